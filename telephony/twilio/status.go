package twilio

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// CallStatus is the progress of a call, in Twilio's terms: "queued", "ringing", "in-progress",
// "completed", …
type CallStatus string

// The statuses that end a call from outside: one that was answered, and one that was not.
const (
	StatusCompleted CallStatus = "completed"
	StatusCanceled  CallStatus = "canceled"
)

// AnsweredBy is the result of answering-machine detection: "human", "unknown", "machine_start",
// "fax", or how a machine's greeting ended: "machine_end_beep", ….
type AnsweredBy string

// AnsweredByFax means that a fax picked up.
const AnsweredByFax AnsweredBy = "fax"

// MachineReady reports whether a machine answered and its greeting is over, which is when to leave
// a message. machine_start is not enough: it misfires on people who answer slowly or with a long
// phrase.
func (a AnsweredBy) MachineReady() bool { return strings.HasPrefix(string(a), "machine_end_") }

// CallEvent holds the data of a webhook about a call: the voice webhook, a status callback, or the
// result of machine detection. Fields that a kind of webhook does not contain are zero.
type CallEvent struct {
	CallSID    CallSID
	Status     CallStatus
	From       string // not verified; may be "anonymous"
	AnsweredBy AnsweredBy
	At         time.Time
}

// ErrNoCall is returned for a webhook that names no call.
var ErrNoCall = errors.New("the webhook names no call")

// ParseCallEvent parses a webhook's verified form. It returns [ErrNoCall] if CallSid is missing.
func ParseCallEvent(form url.Values) (CallEvent, error) {
	if form.Get("CallSid") == "" {
		return CallEvent{}, fmt.Errorf("read call event: %w", ErrNoCall)
	}
	return CallEvent{
		CallSID: CallSID(form.Get("CallSid")), Status: CallStatus(form.Get("CallStatus")),
		From: form.Get("From"), AnsweredBy: AnsweredBy(form.Get("AnsweredBy")), At: parseTime(form.Get("Timestamp")),
	}, nil
}

package twilio

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// CallStatus is how far a call has come.
type CallStatus string

// The statuses, in the order in which a call may pass through them. The last
// five are final.
const (
	StatusQueued     CallStatus = "queued"
	StatusInitiated  CallStatus = "initiated"
	StatusRinging    CallStatus = "ringing"
	StatusInProgress CallStatus = "in-progress"
	StatusCompleted  CallStatus = "completed"
	StatusBusy       CallStatus = "busy"
	StatusNoAnswer   CallStatus = "no-answer"
	StatusFailed     CallStatus = "failed"
	StatusCanceled   CallStatus = "canceled"
)

// finalRank is the rank of every status that ends a call.
const finalRank = 5

// Rank orders statuses: a callback is news only if its rank is higher than
// that of what is known, since callbacks arrive in any order. All final
// statuses share one rank, so that the first of them stands. An unknown status
// has rank 0.
func (s CallStatus) Rank() int {
	switch s {
	case StatusQueued:
		return 1
	case StatusInitiated:
		return 2
	case StatusRinging:
		return 3
	case StatusInProgress:
		return 4
	case StatusCompleted, StatusBusy, StatusNoAnswer, StatusFailed, StatusCanceled:
		return finalRank
	default:
		return 0
	}
}

// Final reports whether the call is over.
func (s CallStatus) Final() bool { return s.Rank() == finalRank }

// AnsweredBy is the verdict of answering-machine detection.
type AnsweredBy string

// The verdicts. The three that begin with machine_end come after the greeting.
const (
	AnsweredByHuman             AnsweredBy = "human"
	AnsweredByMachineStart      AnsweredBy = "machine_start"
	AnsweredByMachineEndBeep    AnsweredBy = "machine_end_beep"
	AnsweredByMachineEndSilence AnsweredBy = "machine_end_silence"
	AnsweredByMachineEndOther   AnsweredBy = "machine_end_other"
	AnsweredByFax               AnsweredBy = "fax"
	AnsweredByUnknown           AnsweredBy = "unknown"
)

// MachineReady reports whether a machine answered and its greeting is over, so
// that a message can be left. machine_start is not enough: it misfires on
// people who answer slowly or with a long phrase.
func (a AnsweredBy) MachineReady() bool {
	switch a {
	case AnsweredByMachineEndBeep, AnsweredByMachineEndSilence, AnsweredByMachineEndOther:
		return true
	default:
		return false
	}
}

// CallEvent is what a webhook says about a call: the voice webhook, a status
// callback, or the verdict of machine detection. Fields that a kind of webhook
// does not carry are zero.
type CallEvent struct {
	CallSID    CallSID
	AccountSID AccountSID
	Status     CallStatus
	Direction  string
	From, To   string // From is a claim, not a proof, and may be "anonymous"
	AnsweredBy AnsweredBy
	// Sequence counts a call's status callbacks from 0; -1 without one.
	Sequence int
	// SIPCode is the final SIP response, 0 without one.
	SIPCode int
	// Duration is how long the call lasted, with completed only.
	Duration time.Duration
	// DetectionTime is how long machine detection took.
	DetectionTime time.Duration
	// At is when it happened, zero where the webhook does not say.
	At time.Time
}

// ErrNoCall is returned for a webhook that names no call.
var ErrNoCall = errors.New("the webhook names no call")

// ParseCallEvent reads a webhook's verified form. Unknown fields are ignored,
// and a number that cannot be read counts as absent. It returns [ErrNoCall]
// when CallSid is missing.
func ParseCallEvent(form url.Values) (CallEvent, error) {
	e := CallEvent{
		CallSID: CallSID(form.Get("CallSid")), AccountSID: AccountSID(form.Get("AccountSid")),
		Status: CallStatus(form.Get("CallStatus")), Direction: form.Get("Direction"),
		From: form.Get("From"), To: form.Get("To"), AnsweredBy: AnsweredBy(form.Get("AnsweredBy")),
		Sequence:      formInt(form, "SequenceNumber", -1),
		SIPCode:       formInt(form, "SipResponseCode", 0),
		Duration:      time.Duration(formInt(form, "CallDuration", 0)) * time.Second,
		DetectionTime: time.Duration(formInt(form, "MachineDetectionDuration", 0)) * time.Millisecond,
		At:            parseTime(form.Get("Timestamp")),
	}
	if e.CallSID == "" {
		return CallEvent{}, fmt.Errorf("read call event: %w", ErrNoCall)
	}
	return e, nil
}

// maxFormInt keeps counts and durations far from overflow: a day in ms.
const maxFormInt = 24 * 60 * 60 * 1000

func formInt(form url.Values, key string, absent int) int {
	n, err := strconv.Atoi(form.Get(key))
	if err != nil || n < 0 || n > maxFormInt {
		return absent
	}
	return n
}

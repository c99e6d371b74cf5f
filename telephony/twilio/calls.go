package twilio

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// CallRequest is a request to place a call. Every field is required, except that only one of TwiML
// and URL is.
type CallRequest struct {
	// To and From are E.164 numbers; the account must own From.
	To, From string
	// TwiML runs when the call is answered, or Twilio fetches it from URL then.
	TwiML, URL string
	// StatusCallback receives the call's progress: initiated, ringing, answered,
	// completed.
	StatusCallback string
	// RingTimeout is how long the telephone may ring, rounded up to whole seconds.
	RingTimeout time.Duration
	// TimeLimit is how long after the answer Twilio ends the call, rounded up to whole seconds.
	TimeLimit time.Duration
	// MachineCallback receives the result of answering-machine detection. Detection runs in
	// parallel with the call, to spare a person who says "hello?" the silence, and waits for the
	// end of a greeting.
	MachineCallback string
}

func (r CallRequest) form() url.Values {
	f := url.Values{
		"To": {r.To}, "From": {r.From},
		"StatusCallback": {r.StatusCallback}, "StatusCallbackMethod": {http.MethodPost},
		"StatusCallbackEvent": {"initiated", "ringing", "answered", "completed"},
		"Timeout":             {wholeSeconds(r.RingTimeout)}, "TimeLimit": {wholeSeconds(r.TimeLimit)},
		"MachineDetection": {"DetectMessageEnd"}, "AsyncAmd": {"true"},
		"AsyncAmdStatusCallback": {r.MachineCallback}, "AsyncAmdStatusCallbackMethod": {http.MethodPost},
	}
	if r.URL != "" {
		f.Set("Url", r.URL)
		f.Set("Method", http.MethodPost)
	} else {
		f.Set("Twiml", r.TwiML)
	}
	return f
}

// wholeSeconds rounds up to seconds, so that a limit is never shorter than requested.
func wholeSeconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

// Call is Twilio's record of a call.
type Call struct {
	SID       CallSID    `json:"sid"`
	Status    CallStatus `json:"status"`
	Direction string     `json:"direction"` // "outbound-api", "inbound", …
	To        string     `json:"to"`
	From      string     `json:"from"`
	// Created and Started are zero if Twilio gives no time: a queued call has not started.
	Created, Started time.Time `json:"-"`
}

// UnmarshalJSON implements [json.Unmarshaler]: Twilio's times are RFC 2822.
func (c *Call) UnmarshalJSON(b []byte) error {
	type plain Call
	wire := struct {
		*plain
		Created string `json:"date_created"`
		Started string `json:"start_time"`
	}{plain: (*plain)(c)}
	err := json.Unmarshal(b, &wire)
	c.Created, c.Started = parseTime(wire.Created), parseTime(wire.Started)
	return err
}

// parseTime parses RFC 2822, and returns the zero time for anything else.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC1123Z, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// CreateCall asks Twilio to place a call, without retrying if the outcome is unknown. The call's
// status is then queued: accepted, and not yet ringing.
//
// An error of [ClassOutcomeUnknown] means that the call may be ringing all the same;
// [Client.PlaceCall] handles that.
func (c *Client) CreateCall(ctx context.Context, r CallRequest) (Call, error) {
	return c.call(ctx, rest.Request{Op: "create call", Method: http.MethodPost, Path: c.account + "/Calls.json", Form: r.form()})
}

// GetCall returns a call. Twilio's answer is eventually consistent: follow a live call by its
// callbacks, and use this to reconcile.
func (c *Client) GetCall(ctx context.Context, sid CallSID) (Call, error) {
	return c.call(ctx, rest.Request{Op: "get call " + string(sid), Path: c.callPath(sid), Idempotent: true})
}

func (c *Client) callPath(sid CallSID) string {
	return rest.Path(c.account+"/Calls/", string(sid), ".json")
}

func (c *Client) call(ctx context.Context, r rest.Request) (Call, error) {
	var call Call
	if _, err := c.rest.Do(ctx, r, &call); err != nil {
		return Call{}, err
	}
	if call.SID == "" {
		return Call{}, &Error{Op: r.Op, Err: errors.New("the answer names no call"), Class: ClassOutcomeUnknown}
	}
	return call, nil
}

// FindCalls returns the calls to a number that were created at or after since, of the latest twenty
// to it, newest first.
//
// Twilio's own filter uses the start time and would miss a call that is still queued, so the bound
// is applied here. since is by our clock, and is converted to Twilio's.
func (c *Client) FindCalls(ctx context.Context, to string, since time.Time) ([]Call, error) {
	var page struct {
		Calls []Call `json:"calls"`
	}
	header, err := c.rest.Do(ctx, rest.Request{
		Op: "find calls", Path: c.account + "/Calls.json", Idempotent: true,
		Query: url.Values{"To": {to}, "PageSize": {"20"}},
	}, &page)
	if err != nil {
		return nil, err
	}
	since = carrierTime(header, since)
	return slices.DeleteFunc(page.Calls, func(call Call) bool { return call.SID == "" || call.Created.Before(since) }), nil
}

// carrierTime converts a time by our clock into Twilio's, which it reads from an answer's header,
// and subtracts clockGrain.
func carrierTime(header http.Header, at time.Time) time.Time {
	if now, err := http.ParseTime(header.Get("Date")); err == nil {
		at = now.Add(-time.Since(at))
	}
	return at.Add(-clockGrain)
}

// clockGrain is the resolution of the two clocks that are compared.
const clockGrain = 2 * time.Second

// HangUp ends a call in any state. It returns nil for a call that has ended already, or that Twilio
// does not know.
func (c *Client) HangUp(ctx context.Context, sid CallSID) error {
	_, err := c.rest.Do(ctx, rest.Request{
		Op: "hang up " + string(sid), Method: http.MethodPost, Path: c.callPath(sid),
		Form: url.Values{"Status": {string(StatusCompleted)}}, Idempotent: true,
	}, nil)
	switch ClassOf(err) {
	case ClassNotFound, ClassNotInProgress:
		return nil
	default:
		return err
	}
}

// Cancel ends a call that is queued or ringing, and returns its status. It leaves a call unchanged
// that was answered, and one that has ended or is unknown to Twilio: the status is then empty. If
// the call was still queued, no callback reports its end.
func (c *Client) Cancel(ctx context.Context, sid CallSID) (CallStatus, error) {
	call, err := c.call(ctx, rest.Request{
		Op: "cancel call " + string(sid), Method: http.MethodPost, Path: c.callPath(sid),
		Form: url.Values{"Status": {string(StatusCanceled)}}, Idempotent: true,
	})
	switch ClassOf(err) {
	case ClassNotFound, ClassNotInProgress:
		return "", nil
	default:
		return call.Status, err
	}
}

// Extend sets another time limit for a live call, counted from its answer and rounded up to whole
// seconds.
func (c *Client) Extend(ctx context.Context, sid CallSID, limit time.Duration) error {
	_, err := c.rest.Do(ctx, rest.Request{
		Op: "extend call " + string(sid), Method: http.MethodPost, Path: c.callPath(sid), Form: url.Values{"TimeLimit": {wholeSeconds(limit)}}, Idempotent: true,
	}, nil)
	return err
}

// Redirect replaces the instructions of a live call by twiml, which ends its stream. Addresses in
// twiml must be absolute. It returns an error of [ClassNotInProgress] if the call is not live.
func (c *Client) Redirect(ctx context.Context, sid CallSID, twiml string) error {
	_, err := c.rest.Do(ctx, rest.Request{
		Op: "redirect call " + string(sid), Method: http.MethodPost, Path: c.callPath(sid), Form: url.Values{"Twiml": {twiml}},
	}, nil)
	return err
}

package twilio

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// maxTwiML is the longest inline TwiML that Twilio takes, in characters.
const maxTwiML = 4000

// CallRequest is a call to be placed.
type CallRequest struct {
	// To and From are E.164 numbers; From is one the account owns. Required.
	To, From string
	// TwiML is what runs when the call is answered, at most 4000 characters.
	// Required.
	TwiML string
	// StatusCallback receives the call's progress: initiated, ringing, answered,
	// completed. Empty means none.
	StatusCallback string
	// RingTimeout is how long it may ring, in whole seconds. Zero means Twilio's
	// default of 60 s.
	RingTimeout time.Duration
	// TimeLimit ends the call by force, in whole seconds after the answer. Zero
	// means Twilio's default of four hours.
	TimeLimit time.Duration
	// MachineCallback receives the verdict on whether a machine answered. Empty
	// switches detection off. Detection runs next to the call, so that nobody who
	// says "hello?" hears silence, and waits for the end of a greeting.
	MachineCallback string
}

func (r CallRequest) validate() error {
	switch {
	case r.To == "" || r.From == "":
		return errors.New("both To and From are needed")
	case r.TwiML == "":
		return errors.New("TwiML is missing")
	case utf8.RuneCountInString(r.TwiML) > maxTwiML:
		return errors.New("TwiML is over 4000 characters")
	}
	return nil
}

func (r CallRequest) form() url.Values {
	v := url.Values{"To": {r.To}, "From": {r.From}, "Twiml": {r.TwiML}}
	if r.StatusCallback != "" {
		v.Set("StatusCallback", r.StatusCallback)
		v.Set("StatusCallbackMethod", http.MethodPost)
		v["StatusCallbackEvent"] = []string{"initiated", "ringing", "answered", "completed"}
	}
	if r.RingTimeout > 0 {
		v.Set("Timeout", wholeSeconds(r.RingTimeout))
	}
	if r.TimeLimit > 0 {
		v.Set("TimeLimit", wholeSeconds(r.TimeLimit))
	}
	if r.MachineCallback != "" {
		v.Set("MachineDetection", "DetectMessageEnd")
		v.Set("AsyncAmd", "true")
		v.Set("AsyncAmdStatusCallback", r.MachineCallback)
		v.Set("AsyncAmdStatusCallbackMethod", http.MethodPost)
	}
	return v
}

// wholeSeconds rounds up, so that a limit is never shorter than asked.
func wholeSeconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

// Call is a call as Twilio describes it.
type Call struct {
	SID       CallSID
	Status    CallStatus
	Direction string // "outbound-api", "inbound", …
	To, From  string
	// Created and Started are zero where Twilio gives no time: a queued call has
	// not started.
	Created, Started time.Time
}

type wireCall struct {
	SID         CallSID    `json:"sid"`
	Status      CallStatus `json:"status"`
	Direction   string     `json:"direction"`
	To          string     `json:"to"`
	From        string     `json:"from"`
	DateCreated string     `json:"date_created"`
	StartTime   string     `json:"start_time"`
}

func (w wireCall) call() Call {
	return Call{
		SID: w.SID, Status: w.Status, Direction: w.Direction, To: w.To, From: w.From,
		Created: parseTime(w.DateCreated), Started: parseTime(w.StartTime),
	}
}

// parseTime reads RFC 2822, and returns zero for anything else.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC1123Z, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// CreateCall asks Twilio to place a call, once. Its status is then queued:
// accepted, and not yet ringing.
//
// An error of [ClassOutcomeUnknown] means that the call
// may be ringing all the same; [Client.PlaceCall] looks into that.
func (c *Client) CreateCall(ctx context.Context, r CallRequest) (Call, error) {
	const op = "create call"
	if err := r.validate(); err != nil {
		return Call{}, &Error{Op: op, Err: err}
	}
	return c.call(ctx, rest.Request{Op: op, Method: http.MethodPost, Path: c.account + "/Calls.json", Form: r.form()})
}

// GetCall returns a call. Twilio's answer is eventually consistent: follow a
// live call by its callbacks, and use this to reconcile.
func (c *Client) GetCall(ctx context.Context, sid CallSID) (Call, error) {
	id, err := rest.PathID(string(sid))
	op := "get call " + string(sid)
	if err != nil {
		return Call{}, &Error{Op: op, Err: err}
	}
	return c.call(ctx, rest.Request{Op: op, Path: c.account + "/Calls/" + id + ".json", Idempotent: true})
}

func (c *Client) call(ctx context.Context, r rest.Request) (Call, error) {
	var w wireCall
	if _, err := c.rest.Do(ctx, r, &w); err != nil {
		return Call{}, err
	}
	if w.SID == "" {
		return Call{}, &Error{Op: r.Op, Err: errors.New("the answer names no call"), Class: ClassOutcomeUnknown}
	}
	return w.call(), nil
}

// FindCalls returns calls to a number that were created at or after since, as
// far as they are among the latest limit calls to it, newest first. A zero
// since means no bound.
//
// Twilio's own filter goes by start time and would miss a call that is still
// queued, so the bound is applied here.
func (c *Client) FindCalls(ctx context.Context, to string, since time.Time, limit int) ([]Call, error) {
	found, _, err := c.findCalls(ctx, to, limit)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(call Call) bool { return call.Created.Before(since) }), nil
}

// findCalls also returns the server's clock, zero where it did not tell.
func (c *Client) findCalls(ctx context.Context, to string, limit int) ([]Call, time.Time, error) {
	var page struct {
		Calls []wireCall `json:"calls"`
	}
	header, err := c.rest.Do(ctx, rest.Request{
		Op: "find calls", Path: c.account + "/Calls.json", Idempotent: true,
		Query: url.Values{"To": {to}, "PageSize": {strconv.Itoa(max(limit, 1))}},
	}, &page)
	if err != nil {
		return nil, time.Time{}, err
	}
	calls := make([]Call, 0, len(page.Calls))
	for _, w := range page.Calls {
		if w.SID != "" {
			calls = append(calls, w.call())
		}
	}
	now, _ := http.ParseTime(header.Get("Date")) // zero when absent
	return calls, now, nil
}

// HangUp ends a call in whatever state it is. A call that has ended already, or
// that Twilio does not know, counts as success.
func (c *Client) HangUp(ctx context.Context, sid CallSID) error {
	err := c.update(ctx, "hang up "+string(sid), sid, url.Values{"Status": {string(StatusCompleted)}}, true)
	switch ClassOf(err) {
	case ClassNotFound, ClassNotInProgress:
		return nil
	default:
		return err
	}
}

// Redirect replaces what a live call is doing by twiml, which ends its stream.
// Addresses in twiml must be absolute. It fails with [ClassNotInProgress] when
// the call is not live.
func (c *Client) Redirect(ctx context.Context, sid CallSID, twiml string) error {
	return c.update(ctx, "redirect call "+string(sid), sid, url.Values{"Twiml": {twiml}}, false)
}

func (c *Client) update(ctx context.Context, op string, sid CallSID, form url.Values, idempotent bool) error {
	id, err := rest.PathID(string(sid))
	if err != nil {
		return &Error{Op: op, Err: err}
	}
	_, err = c.rest.Do(ctx, rest.Request{
		Op: op, Method: http.MethodPost, Path: c.account + "/Calls/" + id + ".json", Form: form, Idempotent: idempotent,
	}, nil)
	return err
}

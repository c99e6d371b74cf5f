package twilio

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// TextSID names one text message ("SM…").
type TextSID string

// TextRequest is a request to send a text message.
type TextRequest struct {
	// To is an E.164 number.
	To string
	// From is a number that the account owns. If ServiceSID, of a messaging service ("MG…"), is
	// set, From is ignored.
	From, ServiceSID string
	// Body has at most 1600 characters. No two messages to one number may have the same body, see
	// [Client.SendText].
	Body string
	// StatusCallback receives the message's delivery status.
	StatusCallback string
	// Validity is how long the message may wait for a telephone that is switched off, rounded up to
	// whole seconds.
	Validity time.Duration
}

func (r TextRequest) form() url.Values {
	f := url.Values{"To": {r.To}, "Body": {r.Body}, "StatusCallback": {r.StatusCallback}, "ValidityPeriod": {wholeSeconds(r.Validity)}}
	if r.ServiceSID != "" {
		f.Set("MessagingServiceSid", r.ServiceSID)
	} else {
		f.Set("From", r.From)
	}
	return f
}

// SentText is Twilio's record of a text message.
type SentText struct {
	SID       TextSID   `json:"sid"`
	Status    string    `json:"status"` // "accepted", "queued", "sent", "delivered", …
	Direction string    `json:"direction"`
	To        string    `json:"to"`
	Body      string    `json:"body"`
	Created   time.Time `json:"-"`
}

// UnmarshalJSON implements [json.Unmarshaler]: Twilio's times are RFC 2822.
func (m *SentText) UnmarshalJSON(b []byte) error {
	type plain SentText
	wire := struct {
		*plain
		Created string `json:"date_created"`
	}{plain: (*plain)(m)}
	err := json.Unmarshal(b, &wire)
	m.Created = parseTime(wire.Created)
	return err
}

// SendText sends a text message, and guarantees that one request sends it no more than once: as in
// [Client.PlaceCall], a message with unknown outcome is looked up, by its number and its body,
// before it is sent once more.
func (c *Client) SendText(ctx context.Context, r TextRequest) (SentText, error) {
	start := time.Now()
	return once(ctx, c.lookWait, "send message", func() (SentText, error) {
		var m SentText
		const op = "create message"
		_, err := c.rest.Do(ctx, rest.Request{Op: op, Method: http.MethodPost, Path: c.account + "/Messages.json", Form: r.form()}, &m)
		if err == nil && m.SID == "" {
			err = &Error{Op: op, Err: errors.New("the answer names no message"), Class: ClassOutcomeUnknown}
		}
		return m, err
	}, func() (SentText, bool, error) { return c.findText(ctx, r, start) })
}

// findText looks up a message that r may have sent at or after start. On a trial account, Twilio
// prepends a sentence to each body.
func (c *Client) findText(ctx context.Context, r TextRequest, start time.Time) (SentText, bool, error) {
	var page struct {
		Messages []SentText `json:"messages"`
	}
	header, err := c.rest.Do(ctx, rest.Request{
		Op: "find messages", Path: c.account + "/Messages.json", Idempotent: true, Query: url.Values{"To": {r.To}, "PageSize": {"20"}},
	}, &page)
	if err != nil {
		return SentText{}, false, err
	}
	start = carrierTime(header, start)
	i := slices.IndexFunc(page.Messages, func(m SentText) bool {
		return m.SID != "" && m.To == r.To && strings.HasSuffix(m.Body, r.Body) && !m.Created.Before(start) && !strings.HasPrefix(m.Direction, "inbound")
	})
	if i < 0 {
		return SentText{}, false, nil
	}
	return page.Messages[i], true, nil
}

// TextStatus is the status of a message from a callback.
type TextStatus struct {
	SID    TextSID
	Status string
	Code   string // error code, or empty
}

// Delivered reports whether the message has arrived.
func (s TextStatus) Delivered() bool { return s.Status == "delivered" || s.Status == "read" }

// Failed reports whether the message will not arrive.
func (s TextStatus) Failed() bool {
	return s.Status == "failed" || s.Status == "undelivered" || s.Status == "canceled"
}

// ErrNoText is returned for a webhook that names no message.
var ErrNoText = errors.New("the webhook names no message")

// ParseTextStatus parses the verified form of a message's status callback. It returns [ErrNoText]
// if MessageSid is missing.
func ParseTextStatus(form url.Values) (TextStatus, error) {
	s := TextStatus{SID: TextSID(form.Get("MessageSid")), Status: form.Get("MessageStatus"), Code: form.Get("ErrorCode")}
	if s.SID == "" {
		return s, ErrNoText
	}
	return s, nil
}

// Text is an incoming text message.
type Text struct {
	SID        TextSID
	From, Body string
	// OptOut is the keyword that Twilio recognised in the message and has answered itself, if the
	// account has that enabled: "STOP", "START" or "HELP".
	OptOut string
}

// ParseText parses the verified form of an incoming message. It returns [ErrNoText] if MessageSid
// is missing.
func ParseText(form url.Values) (Text, error) {
	if form.Get("MessageSid") == "" {
		return Text{}, ErrNoText
	}
	return Text{SID: TextSID(form.Get("MessageSid")), From: form.Get("From"), Body: form.Get("Body"), OptOut: form.Get("OptOutType")}, nil
}

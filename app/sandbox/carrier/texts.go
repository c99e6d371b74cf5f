package carrier

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/wire"
)

const (
	// keepTexts is how many messages are remembered.
	keepTexts = 1000
	maxText   = 1600
)

// The words after which the carrier itself stops sending messages to a number, or starts again.
var (
	stopWords  = []string{"STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT"}
	startWords = []string{"START", "UNSTOP", "YES"}
)

// Text is a text message, in either direction.
type Text struct {
	SID    string    `json:"sid"`
	From   string    `json:"from"`
	To     string    `json:"to"`
	Body   string    `json:"body"`
	Status string    `json:"status"`
	At     time.Time `json:"at"`
}

// Texts returns the messages so far, oldest first.
func (c *Carrier) Texts() []Text {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]Text, len(c.texts))
	for i, t := range c.texts {
		out[i] = *t
	}
	return out
}

// Text sends a message from a number to the account's number and returns the text of the answer:
// empty if there is none, or if the number has sent STOP. The error wraps ErrNotAnswered if there
// is no TextURL or its webhook fails.
func (c *Carrier) Text(ctx context.Context, from, body string) (answer string, err error) {
	if c.cfg.TextURL == "" {
		return "", fmt.Errorf("%w: the number has no text URL", ErrNotAnswered)
	}
	in := c.keepText(from, c.cfg.Number, body, "received")
	word := strings.ToUpper(strings.TrimSpace(body))
	c.mu.Lock()
	if slices.Contains(stopWords, word) {
		c.stopped[from] = true
	} else if slices.Contains(startWords, word) {
		delete(c.stopped, from)
	}
	stopped := c.stopped[from]
	c.mu.Unlock()
	r, err := c.deliver(ctx, c.cfg.TextURL, in.SID, url.Values{
		"MessageSid": {in.SID}, "SmsMessageSid": {in.SID}, "AccountSid": {c.cfg.AccountSID}, "From": {from}, "To": {c.cfg.Number},
		"Body": {body}, "NumMedia": {"0"}, "NumSegments": {"1"}, "SmsStatus": {"received"}, "ApiVersion": {"2010-04-01"}, "FromCity": {""},
	})
	if err == nil && (r.code < 200 || r.code > 299) {
		err = fmt.Errorf("webhook answered %d", r.code)
	}
	if err != nil {
		c.warn(ctx, 11200, in.SID, "webhook failed")
		return "", errors.Join(ErrNotAnswered, err)
	}
	verbs, err := parseTwiML(r.body)
	if err != nil {
		c.warn(ctx, 12100, in.SID, "document does not parse")
		return "", err
	}
	for _, verb := range verbs {
		switch {
		case verb.name() != "Message":
			c.warn(ctx, 14103, in.SID, "verb not supported: "+verb.name())
		case stopped:
			c.warn(ctx, 21610, in.SID, "the number has sent STOP")
		default:
			c.keepText(c.cfg.Number, from, verb.text(), "delivered")
			answer += verb.text()
		}
	}
	return answer, nil
}

func (c *Carrier) keepText(from, to, body, status string) *Text {
	t := &Text{SID: wire.ID("SM"), From: from, To: to, Body: body, Status: status, At: time.Now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.texts) >= keepTexts {
		c.texts = slices.Delete(c.texts, 0, 1)
	}
	c.texts = append(c.texts, t)
	return t
}

// createText creates and sends a message.
func (c *Carrier) createText(r *http.Request) (any, *apiError) {
	f := r.PostForm
	to, from, body, callback := f.Get("To"), f.Get("From"), f.Get("Body"), f.Get("StatusCallback")
	if f.Get("MessagingServiceSid") != "" {
		from = c.cfg.Number
	}
	validity := 0
	c.mu.Lock()
	stopped := c.stopped[to]
	c.mu.Unlock()
	for _, check := range []struct {
		ok     bool
		code   int
		format string
		args   []any
	}{
		{to != "", 21604, "A 'To' phone number is required.", nil},
		{from != "", 21603, "A 'From' phone number is required.", nil},
		{e164.MatchString(to), 21211, "The 'To' number %s is not a valid phone number.", []any{to}},
		{from == c.cfg.Number, 21606, "The 'From' phone number %s is not a valid, message-capable phone number.", []any{from}},
		{body != "", 21602, "Message body is required.", nil},
		{utf8.RuneCountInString(body) <= maxText, 21617, "The concatenated message body exceeds the 1600 character limit.", nil},
		{callbackOK(callback), 21609, "The 'StatusCallback' URL %s is not a valid URL.", []any{callback}},
		{number(f, "ValidityPeriod", &validity, 1, 36000), 20001, "ValidityPeriod must be a number from 1 to 36000", nil},
		{!stopped, 21610, "Attempt to send to unsubscribed recipient", nil},
	} {
		if !check.ok {
			return nil, bad(check.code, check.format, check.args...)
		}
	}
	t := c.keepText(from, to, body, queued)
	made := c.textResource(*t)
	if !c.life.Go(func(ctx context.Context) { c.deliverText(ctx, t, callback) }) {
		return nil, refuse(http.StatusServiceUnavailable, 20503, "Service is temporarily unavailable")
	}
	c.neverAnswer(r)
	return made, nil
}

// deliverText delivers a message to its telephone, and reports that.
func (c *Carrier) deliverText(ctx context.Context, t *Text, callback string) {
	statuses := []string{"sent", "delivered"}
	if c.cfg.Faults.On(faults.OutOfOrderCallbacks) {
		slices.Reverse(statuses)
	}
	c.mu.Lock()
	t.Status = "delivered"
	c.mu.Unlock()
	times := 1
	if c.cfg.Faults.On(faults.DuplicateCallbacks) {
		times = 2
	}
	for _, status := range statuses {
		form := url.Values{
			"MessageSid": {t.SID}, "SmsSid": {t.SID}, "MessageStatus": {status}, "SmsStatus": {status}, "AccountSid": {c.cfg.AccountSID},
			"From": {t.From}, "To": {t.To}, "ApiVersion": {"2010-04-01"},
		}
		for range times {
			c.callback(ctx, t.SID, callback, t.SID+status, form)
		}
	}
}

// listTexts lists messages, newest first, filtered by To and From.
func (c *Carrier) listTexts(r *http.Request) (any, *apiError) {
	size := 50
	if !number(r.Form, "PageSize", &size, 1, 1000) {
		return nil, bad(20001, "PageSize must be a number from 1 to 1000")
	}
	found := []any{}
	for _, t := range slices.Backward(c.Texts()) {
		is := func(name, value string) bool { return r.FormValue(name) == "" || r.FormValue(name) == value }
		if len(found) < size && is("To", t.To) && is("From", t.From) {
			found = append(found, c.textResource(t))
		}
	}
	return page(r, "messages", found), nil
}

// textResource returns a message as REST shows it.
func (c *Carrier) textResource(t Text) map[string]any {
	direction := "outbound-api"
	if t.To == c.cfg.Number {
		direction = "inbound"
	}
	return map[string]any{
		"sid": t.SID, "account_sid": c.cfg.AccountSID, "status": t.Status, "direction": direction, "from": t.From, "to": t.To, "body": t.Body,
		"num_segments": "1", "num_media": "0", "error_code": nil, "error_message": nil, "price": nil, "price_unit": "USD",
		"api_version": "2010-04-01", "date_created": stamp(t.At), "date_updated": stamp(t.At), "date_sent": nil, "uri": c.uri("/Messages/" + t.SID),
	}
}

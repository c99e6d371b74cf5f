package carrier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/wire"
	"github.com/naiber/naiber/telephony/twilio"
)

// Twilio's defaults, unless the URL's fragment overrides them.
const (
	defaultConnect = 5 * time.Second
	defaultTotal   = 15 * time.Second
	defaultRetries = 1
	// retryPause is the back-off before the first retry, and doubles with each. It is in real
	// time, like the server that answers. How long Twilio waits is not documented.
	retryPause = 250 * time.Millisecond
	// maxReply bounds a webhook's answer, in bytes.
	maxReply = 256 << 10
)

// reply is the answer to a webhook, with any status.
type reply struct {
	code        int
	contentType string
	body        []byte
}

// overrides are the connection settings in a URL's fragment.
type overrides struct {
	connect, read, total time.Duration
	retries              int
	policy               []string
}

// parseOverrides parses a fragment such as "rc=3&rp=4xx,rt&rt=5000". Values that are unknown or
// out of bounds keep their defaults.
func parseOverrides(fragment string) overrides {
	o := overrides{defaultConnect, defaultTotal, defaultTotal, defaultRetries, []string{"ct"}}
	values, err := url.ParseQuery(fragment)
	if err != nil {
		return o
	}
	number := func(name string, lowest, highest int, set func(int)) {
		if n, err := strconv.Atoi(values.Get(name)); err == nil && n >= lowest && n <= highest {
			set(n)
		}
	}
	number("ct", 100, 10_000, func(n int) { o.connect = time.Duration(n) * time.Millisecond })
	number("rt", 100, 15_000, func(n int) { o.read = time.Duration(n) * time.Millisecond })
	number("tt", 100, 15_000, func(n int) { o.total = time.Duration(n) * time.Millisecond })
	number("rc", 0, 5, func(n int) { o.retries = n })
	if p := values.Get("rp"); p != "" {
		o.policy = strings.Split(p, ",")
	}
	return o
}

// retry reports whether the policy retries an attempt with this outcome.
func (o overrides) retry(code int, err error) bool {
	var kind string
	op, isNet := errors.AsType[*net.OpError](err)
	switch {
	case isNet && op.Op == "dial":
		kind = "ct"
	case err != nil:
		kind = "rt"
	case code >= 500:
		kind = "5xx"
	case code >= 400:
		kind = "4xx"
	default:
		return false
	}
	return slices.Contains(o.policy, kind) || slices.Contains(o.policy, "all")
}

// sign returns the signature of a request to target, which a fault can make wrong.
func (c *Carrier) sign(target string, form url.Values) string {
	token := c.cfg.AuthToken
	if c.cfg.Faults.On(faults.BadSignature) {
		token = "not-" + token
	}
	return twilio.Sign(twilio.Secret(token), target, form)
}

// deliver sends form to target, signed, with as many retries as the target's fragment asks for.
// It returns the last answer, whatever its status, or an error if there was none. Every attempt
// sends the same id.
func (c *Carrier) deliver(ctx context.Context, target, id string, form url.Values) (reply, error) {
	target, fragment, _ := strings.Cut(target, "#")
	o := parseOverrides(fragment)
	if c.cfg.BeforeWebhook != nil {
		c.cfg.BeforeWebhook(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, o.total)
	defer cancel()
	for attempt := 0; ; attempt++ {
		r, err := c.attempt(ctx, target, id, form, o.connect+o.read)
		if attempt >= o.retries || !o.retry(r.code, err) || !wire.Wait(ctx, retryPause<<attempt) {
			return r, err
		}
	}
}

// attempt sends form once.
func (c *Carrier) attempt(ctx context.Context, target, id string, form url.Values, limit time.Duration) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(form.Encode())) //nolint:gosec // where those who use the carrier want to be told
	if err != nil {
		return reply{}, fmt.Errorf("make webhook: %w", err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8", "User-Agent": "TwilioProxy/1.1", "Accept": "*/*",
		"I-Twilio-Idempotency-Token": id, twilio.SignatureHeader: c.sign(target, form),
	} {
		req.Header.Set(name, value)
	}
	resp, err := c.client.Do(req) //nolint:gosec // as above
	if err != nil {
		return reply{}, fmt.Errorf("post webhook: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // it has been read
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return reply{}, fmt.Errorf("read webhook's answer: %w", err)
	}
	return reply{resp.StatusCode, resp.Header.Get("Content-Type"), b}, nil
}

// callback posts form to target, unless that is empty. The content of the answer is ignored.
func (k *call) callback(ctx context.Context, target, id string, form url.Values) {
	k.c.callback(ctx, k.sid, target, id, form)
}

// callback posts form, which is about sid, to target, unless that is empty.
func (c *Carrier) callback(ctx context.Context, sid, target, id string, form url.Values) {
	if target == "" {
		return
	}
	r, err := c.deliver(ctx, target, id, form)
	if err != nil || r.code >= 400 {
		c.warn(ctx, 11200, sid, "callback failed")
		c.cfg.Log.DebugContext(ctx, "callback failed", slog.String("call_sid", sid), slog.Int("status", r.code), slog.Any("err", err))
	}
}

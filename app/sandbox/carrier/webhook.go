package carrier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What Twilio does unless the URL's fragment asks for something else.
const (
	defaultConnect = 5 * time.Second
	defaultTotal   = 15 * time.Second
	defaultRetries = 1
	// retryPause comes before the first retry, in the carrier's seconds, and
	// doubles with each. How long Twilio waits is not documented.
	retryPause = 0.25
	// maxReply bounds a webhook's answer.
	maxReply = 256 << 10
)

// webhook is one request to the account's own server.
type webhook struct {
	url  string
	form url.Values
	id   string // the same for every delivery; deliver makes one up when empty
}

// reply is what came back, with any status.
type reply struct {
	code   int
	header http.Header
	body   []byte
}

// overrides are the connection settings in a URL's fragment.
type overrides struct {
	connect, read, total time.Duration
	retries              int
	policy               []string
}

// parseOverrides reads a fragment such as "rc=3&rp=4xx,rt&rt=5000". What is
// unknown or out of bounds keeps its default.
func parseOverrides(fragment string) overrides {
	o := overrides{defaultConnect, defaultTotal, defaultTotal, defaultRetries, []string{"ct"}}
	values, err := url.ParseQuery(fragment)
	if err != nil {
		return o
	}
	millis := func(name string, d *time.Duration, limit int) {
		if n, err := strconv.Atoi(values.Get(name)); err == nil && n >= 100 && n <= limit {
			*d = time.Duration(n) * time.Millisecond
		}
	}
	millis("ct", &o.connect, 10_000)
	millis("rt", &o.read, 15_000)
	millis("tt", &o.total, 15_000)
	if n, err := strconv.Atoi(values.Get("rc")); err == nil && n >= 0 && n <= 5 {
		o.retries = n
	}
	if p := values.Get("rp"); p != "" {
		o.policy = strings.Split(p, ",")
	}
	return o
}

// retry reports whether the outcome of an attempt is one to try again.
func (o overrides) retry(code int, err error) bool {
	var kind string
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
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

// newClient is the client for webhooks and media sockets.
func newClient() *http.Client {
	t := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: defaultConnect}).DialContext,
		TLSHandshakeTimeout: defaultConnect,
		MaxIdleConnsPerHost: 32,
		IdleConnTimeout:     30 * time.Second,
	}
	return &http.Client{Transport: t}
}

// deliver sends h, signed, as often as its fragment asks for. It returns the
// last answer, whatever its status, or an error when there was none.
func (c *Carrier) deliver(ctx context.Context, h webhook) (reply, error) {
	target, fragment, _ := strings.Cut(h.url, "#")
	o := parseOverrides(fragment)
	ctx, cancel := context.WithTimeout(ctx, o.total)
	defer cancel()
	if h.id == "" {
		h.id = hexID()
	}
	for attempt := 0; ; attempt++ {
		r, err := c.attempt(ctx, target, h, o)
		if attempt >= o.retries || !o.retry(r.code, err) || !pause(ctx, c.seconds(retryPause)<<attempt) {
			return r, err
		}
	}
}

// attempt sends h once.
func (c *Carrier) attempt(ctx context.Context, target string, h webhook, o overrides) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, o.connect+o.read)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(h.form.Encode()))
	if err != nil {
		return reply{}, fmt.Errorf("make webhook: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
	req.Header.Set("User-Agent", "TwilioProxy/1.1")
	req.Header.Set("Accept", "*/*")
	req.Header.Set("I-Twilio-Idempotency-Token", h.id)
	req.Header.Set("X-Twilio-Signature", sign(c.token(), target, h.form))
	resp, err := c.client.Do(req)
	if err != nil {
		return reply{}, fmt.Errorf("post webhook: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing more is wanted of it
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return reply{}, fmt.Errorf("read webhook's answer: %w", err)
	}
	return reply{resp.StatusCode, resp.Header, b}, nil
}

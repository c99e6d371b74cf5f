package twilio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// maxAnswerBytes bounds what is read of an answer. A page of fifty calls is
// about 100 kB.
const maxAnswerBytes = 4 << 20

// Client places and ends calls over Twilio's REST API. It may be used
// concurrently.
//
// A request that Twilio refuses with 429 was not processed, so it is sent
// again, at most three times in all. Requests that may be repeated without harm
// (reads, hanging up, setting a number's webhooks) are also sent again when the
// outcome is unknown; creating a call never is, see [Client.PlaceCall].
type Client struct {
	cfg Config
}

// New returns a client for the account in cfg. Nothing is sent.
func New(cfg Config) (*Client, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("twilio: %w", err)
	}
	return &Client{cfg: cfg}, nil
}

// request is one request to the API, below the account's path.
type request struct {
	op         string
	method     string
	path       string
	query      url.Values
	form       url.Values
	idempotent bool // may be sent again when the outcome is unknown
}

// answer is what came with a success.
type answer struct {
	date time.Time // the server's clock, or zero
}

// do sends r until it succeeds, fails for good, or was tried often enough, and
// decodes the answer into out unless that is nil. Its error is an *Error.
func (c *Client) do(ctx context.Context, r request, out any) (answer, error) {
	var last *Error
	policy := backoff.NewExponentialBackOff()
	policy.InitialInterval = c.cfg.RetryWait
	policy.MaxInterval = maxRetryWait
	got, err := backoff.Retry(ctx, func() (answer, error) {
		got, wait, failed := c.attempt(ctx, r, out)
		if last = failed; failed == nil {
			return got, nil
		}
		if !failed.Retryable() && (!r.idempotent || !failed.OutcomeUnknown()) {
			return got, backoff.Permanent(failed)
		}
		if wait > maxRetryWait {
			return got, backoff.Permanent(failed)
		}
		if wait > 0 {
			return got, &backoff.RetryAfterError{Duration: wait}
		}
		return got, failed
	}, backoff.WithBackOff(policy), backoff.WithMaxTries(maxTries))
	switch {
	case err == nil:
		return got, nil
	case ctx.Err() != nil && !errors.Is(last, context.Cause(ctx)):
		return got, last.withCancel(ctx)
	default:
		return got, last
	}
}

// attempt sends r once. The duration is how long the server asks us to wait.
func (c *Client) attempt(ctx context.Context, r request, out any) (answer, time.Duration, *Error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Timeout,
		fmt.Errorf("no answer within %s: %w", c.cfg.Timeout, context.DeadlineExceeded))
	defer cancel()

	var connected atomic.Bool // the transport calls back from its own goroutines
	req, err := c.build(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}), r)
	if err != nil {
		return answer{}, 0, &Error{Op: r.op, Err: err}
	}
	res, err := c.cfg.HTTPClient.Do(req)
	if err != nil {
		class := ClassRetryable // without a connection nothing was sent
		if connected.Load() {
			class = ClassOutcomeUnknown
		}
		return answer{}, 0, &Error{Op: r.op, Err: transportCause(ctx, err), class: class}
	}
	defer func() { _ = res.Body.Close() }() // nothing depends on it: the body was read

	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes))
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return answer{}, retryAfter(res.Header), decodeError(r.op, res.StatusCode, body)
	}
	if err == nil && out != nil {
		err = tolerant(json.Unmarshal(body, out))
	}
	if err != nil {
		// Twilio did the work, but which call it was is lost.
		return answer{}, 0, &Error{
			Op: r.op, HTTPStatus: res.StatusCode, class: ClassOutcomeUnknown,
			Err: fmt.Errorf("read answer: %w", transportCause(ctx, err)),
		}
	}
	date, _ := http.ParseTime(res.Header.Get("Date")) // zero when absent
	return answer{date: date}, 0, nil
}

func (c *Client) build(ctx context.Context, r request) (*http.Request, error) {
	address := c.cfg.BaseURL + "/2010-04-01/Accounts/" + url.PathEscape(string(c.cfg.AccountSID)) + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, strings.NewReader(r.form.Encode()))
	if err != nil {
		return nil, errors.New("build request") // the cause would repeat the address, with the number in it
	}
	if r.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "naiber")
	req.SetBasicAuth(c.cfg.AuthUser, string(c.cfg.AuthSecret))
	return req, nil
}

// transportCause strips the address from err, since it may hold a phone
// number, and names our own deadline where that was the reason.
func transportCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 3600)) * time.Second
}

// Package rest holds the common parts of the vendors' REST clients: sending a request, retrying it,
// and classifying a failure.
package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// maxAnswerBytes bounds how much of an answer is read. An hour's conversation with all its
	// metrics is about 1 MB, a page of fifty calls 100 kB.
	maxAnswerBytes = 16 << 20

	// defaultTimeout bounds one attempt at one request, as in Twilio's own library.
	defaultTimeout = 10 * time.Second

	// The pauses between attempts at a request that was refused because of load; Twilio's Node
	// library waits 100 ms.
	defaultRetryWait = 200 * time.Millisecond
	maxRetryWait     = 3 * time.Second
	maxTries         = 3
)

// Client sends requests to one vendor. It may be used concurrently.
//
// A request that was certainly not processed is sent again, at most three times in all; an
// idempotent one also if its outcome is unknown.
type Client struct {
	// BaseURL is the root of the API: https, or http on loopback.
	BaseURL string
	// HTTP sends the requests. Nil means a client that follows no redirects, which would carry the
	// credentials to another host.
	HTTP *http.Client
	// Timeout bounds each attempt. Zero means 10 s.
	Timeout time.Duration
	// RetryWait is the first pause before a retry; later ones grow up to 3 s. Zero means 200 ms.
	RetryWait time.Duration
	// Authorize adds the credentials to a request.
	Authorize func(*http.Request)
	// Refused parses the vendor's answer into an error that already holds the HTTP status.
	Refused func(e *Error, body []byte)
	// NotSent is the class of a request that got no connection.
	NotSent Class
}

// Complete sets the zero fields to their defaults, and returns an error if the base URL is not
// valid.
func (c *Client) Complete(defaultURL string) error {
	c.BaseURL = strings.TrimRight(cmp.Or(c.BaseURL, defaultURL), "/")
	c.Timeout = cmp.Or(c.Timeout, defaultTimeout)
	c.RetryWait = cmp.Or(c.RetryWait, defaultRetryWait)
	if c.HTTP == nil {
		c.HTTP = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if _, err := ParseURL(c.BaseURL); err != nil {
		return fmt.Errorf("base URL: %w", err)
	}
	return nil
}

// Request is one request.
type Request struct {
	// Op is the operation, with the id of its object.
	Op string
	// An empty Method means GET. An empty Path, as [Path] may return, is refused.
	Method, Path string
	Query        url.Values
	// Form or JSON is the body; without either there is none.
	Form url.Values
	JSON any
	// Idempotent allows a retry if the outcome is unknown.
	Idempotent bool
}

// Do sends r until it succeeds, fails permanently, or was tried often enough, and decodes the
// answer into out unless that is nil. It returns the answer's header. Its error is an *[Error].
func (c *Client) Do(ctx context.Context, r Request, out any) (http.Header, error) {
	if r.Path == "" {
		return nil, &Error{Op: r.Op, Err: errors.New("id is missing"), Class: Invalid}
	}
	payload, kind := []byte(r.Form.Encode()), "application/x-www-form-urlencoded"
	if r.JSON != nil {
		var err error
		if payload, err = json.Marshal(r.JSON); err != nil {
			return nil, &Error{Op: r.Op, Err: fmt.Errorf("marshal request: %w", err), Class: Invalid}
		}
		kind = "application/json"
	} else if r.Form == nil {
		kind = ""
	}
	var last *Error
	policy := backoff.NewExponentialBackOff()
	policy.InitialInterval = c.RetryWait
	policy.MaxInterval = maxRetryWait
	header, err := backoff.Retry(ctx, func() (http.Header, error) {
		header, wait, failed := c.attempt(ctx, r, payload, kind, out)
		last = failed
		switch {
		case failed == nil:
			return header, nil
		case failed.Class != Retryable && (failed.Class != OutcomeUnknown || !r.Idempotent), wait > maxRetryWait:
			return nil, backoff.Permanent(failed)
		case wait > 0:
			return nil, &backoff.RetryAfterError{Duration: wait}
		}
		return nil, failed
	}, backoff.WithBackOff(policy), backoff.WithMaxTries(maxTries))
	switch {
	case err == nil:
		return header, nil
	case ctx.Err() != nil && !errors.Is(last, context.Cause(ctx)):
		end := *last
		end.Err = errors.Join(last.Err, context.Cause(ctx))
		return nil, &end
	default:
		return nil, last
	}
}

// attempt sends r once. The duration is how long the server asks us to wait before a retry.
func (c *Client) attempt(ctx context.Context, r Request, payload []byte, kind string, out any) (http.Header, time.Duration, *Error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout,
		fmt.Errorf("no answer within %s: %w", c.Timeout, context.DeadlineExceeded))
	defer cancel()
	var connected atomic.Bool // the transport calls back from its own goroutines
	address := c.BaseURL + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}), r.Method, address, bytes.NewReader(payload))
	if err != nil { // its text would repeat the address, which may contain the number
		return nil, 0, &Error{Op: r.Op, Err: errors.New("build request"), Class: Invalid}
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "naiber")
	c.Authorize(req)
	res, err := c.HTTP.Do(req)
	if err != nil {
		class := c.NotSent
		if connected.Load() {
			class = OutcomeUnknown
		}
		return nil, 0, &Error{Op: r.Op, Err: transportCause(ctx, err), Class: class}
	}
	defer func() { _ = res.Body.Close() }() // the error does not matter: the body was read

	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes))
	if res.StatusCode < 200 || res.StatusCode > 299 {
		e := &Error{Op: r.Op, HTTPStatus: res.StatusCode}
		c.Refused(e, body)
		return nil, retryAfter(res.Header), e
	}
	if err == nil && out != nil {
		err = Tolerant(json.Unmarshal(body, out))
	}
	if err != nil { // the request was processed, but its result is lost
		return nil, 0, &Error{
			Op: r.Op, HTTPStatus: res.StatusCode, Class: OutcomeUnknown, Err: fmt.Errorf("read answer: %w", transportCause(ctx, err)),
		}
	}
	return res.Header, 0, nil
}

// transportCause removes the address from err, since it may contain a phone number, and returns the
// cause of our own deadline if that was the reason.
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

// Path returns the path of the resource id between before and after, or "" if id is missing or
// would name another resource.
func Path(before, id, after string) string {
	if strings.Trim(id, ".") == "" {
		return ""
	}
	return before + url.PathEscape(id) + after
}

// ParseURL parses an absolute URL without credentials, query and fragment that is
// https, or http on loopback.
func ParseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("is not a URL") // the parser's error repeats the URL, including any password
	case u.Hostname() == "":
		return nil, errors.New("must have a scheme and a host")
	case u.User != nil:
		return nil, errors.New("must not contain credentials")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("must have no query and no fragment")
	case u.Scheme == "https", u.Scheme == "http" && IsLoopback(u.Hostname()):
		return u, nil
	case u.Scheme == "http":
		return nil, errors.New("may be plain http on loopback only")
	default:
		return nil, fmt.Errorf("scheme %q is not https", u.Scheme)
	}
}

// IsLoopback reports whether host is localhost or a loopback address.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

package elevenlabs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// maxAnswerBytes bounds what is read of an answer. An hour's conversation with
// all its metrics is about 1 MB.
const maxAnswerBytes = 16 << 20

// Client speaks to ElevenLabs' REST API. It may be used concurrently.
//
// A request refused with 429 is sent again, at most three times in all. Reads
// are also sent again after a failure of theirs or of the network.
type Client struct {
	cfg Config
}

// New returns a client for the workspace in cfg. Nothing is sent.
func New(cfg Config) (*Client, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("elevenlabs: %w", err)
	}
	return &Client{cfg: cfg}, nil
}

// request is one request to the API.
type request struct {
	op     string
	method string
	path   string
	query  url.Values
	body   any // marshalled to JSON unless nil
}

// do sends r until it succeeds, fails for good, or was tried often enough, and
// decodes the answer into out unless that is nil. Its error is an *Error.
func (c *Client) do(ctx context.Context, r request, out any) error {
	var payload []byte
	if r.body != nil {
		var err error
		if payload, err = json.Marshal(r.body); err != nil {
			return &Error{Op: r.op, Err: fmt.Errorf("marshal request: %w", err), class: ClassInvalid}
		}
	}
	var last *Error
	policy := backoff.NewExponentialBackOff()
	policy.InitialInterval = c.cfg.RetryWait
	policy.MaxInterval = maxRetryWait
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		wait, failed := c.attempt(ctx, r, payload, out)
		if last = failed; failed == nil {
			return struct{}{}, nil
		}
		again := failed.class == ClassBusy || (failed.class == ClassUnavailable && r.method == http.MethodGet)
		if !again || wait > maxRetryWait {
			return struct{}{}, backoff.Permanent(failed)
		}
		if wait > 0 {
			return struct{}{}, &backoff.RetryAfterError{Duration: wait}
		}
		return struct{}{}, failed
	}, backoff.WithBackOff(policy), backoff.WithMaxTries(maxTries))
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && !errors.Is(last, context.Cause(ctx)):
		return last.withCancel(ctx)
	default:
		return last
	}
}

// attempt sends r once. The duration is how long the server asks us to wait.
func (c *Client) attempt(ctx context.Context, r request, payload []byte, out any) (time.Duration, *Error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Timeout,
		fmt.Errorf("no answer within %s: %w", c.cfg.Timeout, context.DeadlineExceeded))
	defer cancel()

	req, err := c.build(ctx, r, payload)
	if err != nil {
		return 0, &Error{Op: r.op, Err: err, class: ClassInvalid}
	}
	res, err := c.cfg.HTTPClient.Do(req)
	if err != nil {
		return 0, &Error{Op: r.op, Err: transportCause(ctx, err), class: ClassUnavailable}
	}
	defer func() { _ = res.Body.Close() }() // nothing depends on it: the body was read

	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes))
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return retryAfter(res.Header), decodeError(r.op, res.StatusCode, body)
	}
	if err == nil && out != nil {
		err = tolerant(json.Unmarshal(body, out))
	}
	if err != nil {
		return 0, &Error{
			Op: r.op, HTTPStatus: res.StatusCode, class: ClassUnavailable,
			Err: fmt.Errorf("read answer: %w", transportCause(ctx, err)),
		}
	}
	return 0, nil
}

func (c *Client) build(ctx context.Context, r request, payload []byte) (*http.Request, error) {
	address := c.cfg.BaseURL + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(payload))
	if err != nil {
		return nil, errors.New("build request")
	}
	if payload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "naiber")
	req.Header.Set("xi-api-key", string(c.cfg.APIKey))
	return req, nil
}

// transportCause strips the address from err and names our own deadline where
// that was the reason.
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

// idPath joins a path and an id, and refuses an id that would name another
// resource.
func idPath(prefix, id string) (string, error) {
	if strings.Trim(id, ".") == "" {
		return "", errors.New("id is missing")
	}
	return prefix + url.PathEscape(id), nil
}

package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Errors that callers may distinguish.
var (
	// ErrAllModelsFailed is matched by [*AllModelsFailedError].
	ErrAllModelsFailed = errors.New("all models failed")
	// ErrNoContent means that a model ended its answer without a useful token.
	ErrNoContent = errors.New("answer has no content")
	// ErrNotStream means that something other than a model answered, such as a proxy's HTML page.
	ErrNotStream = errors.New("answer is not an event stream")
	// ErrBrokenChunk means that a chunk was not valid JSON.
	ErrBrokenChunk = errors.New("chunk is not valid JSON")
	// ErrTooLong means that an answer exceeded a bound that no proper one reaches.
	ErrTooLong = errors.New("answer is too long")
	// ErrNoMessages means that a request contains no messages.
	ErrNoMessages = errors.New("request has no messages")
	// ErrNoEmbeddingModel means that [Config.EmbeddingModel] is empty.
	ErrNoEmbeddingModel = errors.New("no embedding model is configured")
)

// AllModelsFailedError holds, for each attempt, why the model gave no useful token. It contains no
// keys and no words. It matches [ErrAllModelsFailed] and the error of each attempt.
type AllModelsFailedError struct {
	Failures []ModelFailure
}

// ModelFailure is one failed attempt.
type ModelFailure struct {
	Model   string
	Elapsed time.Duration
	Err     error
}

func (e *AllModelsFailedError) Error() string {
	var b strings.Builder
	b.WriteString(ErrAllModelsFailed.Error())
	for i, f := range e.Failures {
		b.WriteString([]string{": ", "; "}[min(i, 1)])
		fmt.Fprintf(&b, "%s after %s: %v", f.Model, f.Elapsed.Round(time.Millisecond), f.Err)
	}
	return b.String()
}

// Unwrap returns [ErrAllModelsFailed] and each attempt's error.
func (e *AllModelsFailedError) Unwrap() []error {
	errs := []error{ErrAllModelsFailed}
	for _, f := range e.Failures {
		errs = append(errs, f.Err)
	}
	return errs
}

// TimeoutError names the limit that was reached. It matches
// [context.DeadlineExceeded].
type TimeoutError struct {
	What  string // "first token", "whole reply", "next token", ...
	After time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("no %s within %s", e.What, e.After)
}

func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// StatusError is an HTTP status other than 2xx. It omits the server's own message, which may quote
// the key or the prompt.
type StatusError struct {
	Status int
	// Code is the error's code or type by OpenAI's dialect ("model_not_found"),
	// or empty.
	Code string
	// Param is the parameter that the server objects to, or empty.
	Param string
	// RetryAfter is the wait that the server asked for, or 0.
	RetryAfter time.Duration

	body []byte // bounded; never shown
}

func (e *StatusError) Error() string {
	s := "status " + strconv.Itoa(e.Status)
	if e.Code != "" {
		s += " " + e.Code
	}
	if e.Param != "" {
		s += " (" + e.Param + ")"
	}
	return s
}

// StreamError is an error that the server reported inside its stream.
type StreamError struct {
	Code string // may be empty
}

func (e *StreamError) Error() string {
	if e.Code == "" {
		return "error in the stream"
	}
	return "error in the stream: " + e.Code
}

// statusError reads the error in an answer.
func statusError(resp *http.Response) *StatusError {
	e := &StatusError{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header)}
	// With a partial body, the status is still known.
	e.body, _ = io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
	if gjson.ValidBytes(e.body) {
		detail := gjson.GetBytes(e.body, "error")
		e.Code = identifier(detail.Get("code").String())
		if e.Code == "" {
			e.Code = identifier(detail.Get("type").String())
		}
		e.Param = identifier(detail.Get("param").String())
	}
	return e
}

// identifier returns s if it looks like a protocol's name and not like text, else "".
func identifier(s string) string {
	if len(s) > 64 {
		return ""
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.', r == '-':
		default:
			return ""
		}
	}
	return s
}

// retryAfter parses the Retry-After header, in seconds or as a date. It returns 0 if there is none,
// or if it is in the past or more than 24 h of seconds.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if v == "" {
		return 0
	}
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s <= 0 || s > 24*60*60 {
			return 0
		}
		return time.Duration(s * float64(time.Second))
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}

// public removes the URL from a transport error, since it may contain a password.
func public(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// passing reports whether err may be temporary, so that retrying the same model makes sense. A
// refused key or an unknown model is not.
func passing(err error) bool {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout ||
			e.Status == http.StatusConflict || e.Status >= http.StatusInternalServerError
	}
	return true
}

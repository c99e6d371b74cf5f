package model

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
)

// maxHang ends a request that hangs for a client without a deadline of its
// own, so that a forgotten fault cannot keep connections for ever.
const maxHang = 2 * time.Minute

// troubles are the faults of one request, asked for once.
type troubles struct {
	slow      int // milliseconds
	status    int // 0: no error
	html      int // 0: no page
	empty     bool
	halfAfter int // tokens before the break; -1: none
	length    int // 0: no limit
	hangAfter int // tokens before the silence; -1: none, 0: before the headers
}

// troubles asks for the faults. A value that makes no sense means the default,
// since the fault was wanted.
func (s *server) troubles() troubles {
	t := troubles{halfAfter: -1, hangAfter: -1}
	const most = 1 << 30
	for _, f := range []struct {
		name                 string
		into                 *int
		low, high, byDefault int
	}{
		{faults.SlowModel, &t.slow, 0, most, 3000},
		{faults.ModelError, &t.status, 200, 599, http.StatusInternalServerError},
		{faults.ModelHTML, &t.html, 200, 599, http.StatusOK},
		{faults.ModelHalfChunk, &t.halfAfter, 0, most, 3},
		{faults.ModelLength, &t.length, 1, most, 6},
		{faults.ModelHang, &t.hangAfter, 0, most, 0},
	} {
		if value, on := s.cfg.Faults(f.name); on {
			n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), "ms"))
			if err != nil || n < f.low || n > f.high {
				n = f.byDefault
			}
			*f.into = n
		}
	}
	_, t.empty = s.cfg.Faults(faults.ModelEmpty)
	return t
}

// delay returns the time before the first word: what is configured, and what a
// fault adds.
func (t troubles) delay(usual time.Duration) time.Duration {
	return usual + time.Duration(t.slow)*time.Millisecond
}

// strike carries out the faults that come before any answer. It reports
// whether the request is answered with that.
func (s *server) strike(ctx context.Context, w http.ResponseWriter, t troubles) bool {
	switch {
	case t.hangAfter == 0:
		_ = wait(ctx, maxHang)
		panic(http.ErrAbortHandler) // no status line: the peer sees a broken connection
	case t.status != 0:
		faultError(t.status).write(w)
	case t.html != 0:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(t.html)
		_, _ = w.Write([]byte("<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head>" +
			"<body><h1>Checking your browser</h1><p>data: this page is not a stream</p></body></html>\n"))
	default:
		return false
	}
	return true
}

func faultError(status int) *apiError {
	switch {
	case status == http.StatusTooManyRequests:
		return &apiError{status: status, kind: "requests", code: "rate_limit_exceeded", message: "Rate limit reached for requests."}
	case status >= http.StatusInternalServerError:
		return errInternal.as(status)
	default:
		return invalid("", "", "The request was refused by a fault that is switched on.").as(status)
	}
}

// wait returns after d, or with the context's error when it ends first.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

package model

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/wire"
)

// maxHang ends a request that hangs for a client without a deadline of its
// own, so that a forgotten fault cannot keep connections for ever.
const maxHang = 2 * time.Minute

// troubles are the faults of one request that are on, and their values.
type troubles map[string]int

// troubles asks for the faults, once each. A value out of bounds means the usual one,
// since the fault was wanted.
func (s *server) troubles() troubles {
	t := troubles{}
	const most = 1 << 30
	for name, bounds := range map[string]struct{ low, high, usual int }{
		faults.SlowModel:      {0, most, 3000},                            // milliseconds
		faults.ModelError:     {200, 599, http.StatusInternalServerError}, // the status
		faults.ModelHTML:      {200, 599, http.StatusOK},                  // likewise
		faults.ModelEmpty:     {0, most, 0},
		faults.ModelHalfChunk: {0, most, 3}, // tokens before the break
		faults.ModelLength:    {1, most, 6}, // tokens at most
		faults.ModelHang:      {0, most, 0}, // tokens before the silence; 0: before the headers
	} {
		if value, on := s.cfg.Faults(name); on {
			n, err := strconv.Atoi(value)
			if err != nil || n < bounds.low || n > bounds.high {
				n = bounds.usual
			}
			t[name] = n
		}
	}
	return t
}

// has reports whether a fault is on.
func (t troubles) has(name string) bool {
	_, on := t[name]
	return on
}

// delay returns the time before the first word: what is configured, and what a
// fault adds.
func (t troubles) delay(usual time.Duration) time.Duration {
	return usual + time.Duration(t[faults.SlowModel])*time.Millisecond
}

// strike carries out the faults that come before any answer. It reports
// whether the request is answered with that.
func (t troubles) strike(ctx context.Context, w http.ResponseWriter) bool {
	switch status := t[faults.ModelError]; {
	case t.has(faults.ModelHang) && t[faults.ModelHang] == 0:
		hang(ctx) // no status line: the peer sees a broken connection
	case status == http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "1")
		(&apiError{status, "Rate limit reached for requests.", "requests", nil, "rate_limit_exceeded"}).write(w)
	case status >= http.StatusInternalServerError:
		(&apiError{status, "The server had an error while processing your request.", "server_error", nil, nil}).write(w)
	case status != 0:
		invalid(status, nil, nil, "The request was refused by a fault that is switched on.").write(w)
	case t.has(faults.ModelHTML):
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(t[faults.ModelHTML])
		_, _ = w.Write([]byte("<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head>" +
			"<body><h1>Checking your browser</h1><p>data: this page is not a stream</p></body></html>\n"))
	default:
		return false
	}
	return true
}

// hang waits until the client has gone, and breaks the connection.
func hang(ctx context.Context) {
	wire.Wait(ctx, maxHang)
	panic(http.ErrAbortHandler)
}

// Package wire holds what the simulated services share: answers in JSON, ids, waiting, and
// goroutines that end with their service.
package wire

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// JSON answers with v. It ignores errors, since the client may be gone.
func JSON(w http.ResponseWriter, status int, v any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// Equal reports whether two secrets are equal, in constant time.
func Equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// ID returns prefix and a random part, in the form of both services' ids.
func ID(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}

// IsURL reports whether v is an absolute http or https URL.
func IsURL(v string) bool {
	u, err := url.Parse(v)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// Wait waits for d. It reports false if ctx is done first.
func Wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// A Life is the lifetime of a service: the functions it runs end with it.
type Life struct {
	ctx context.Context //nolint:containedctx // the life itself
	end context.CancelFunc
	mu  sync.Mutex // serializes join and Close
	wg  sync.WaitGroup
}

// NewLife returns a Life that lasts until Close.
func NewLife() *Life {
	l := new(Life)
	l.ctx, l.end = context.WithCancel(context.Background())
	return l
}

// Context returns the context of the life, which is canceled by Close.
func (l *Life) Context() context.Context { return l.ctx }

// Do runs f, which must return soon after its context is done. It reports false, and does not run
// f, if the life is over.
func (l *Life) Do(f func(context.Context)) bool {
	if !l.join() {
		return false
	}
	defer l.wg.Done()
	f(l.ctx)
	return true
}

// Go is like Do, but runs f in a new goroutine.
func (l *Life) Go(f func(context.Context)) bool {
	if !l.join() {
		return false
	}
	go func() {
		defer l.wg.Done()
		f(l.ctx)
	}()
	return true
}

func (l *Life) join() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil {
		return false
	}
	l.wg.Add(1)
	return true
}

// Close ends the life and returns when nothing of it runs any more. It may be
// called twice.
func (l *Life) Close() {
	l.mu.Lock()
	l.end()
	l.mu.Unlock()
	l.wg.Wait()
}

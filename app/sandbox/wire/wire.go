// Package wire is what the simulated services have in common: answers in JSON,
// ids, waiting, and goroutines that end with their service.
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

// JSON answers with v. The client may be gone; there is nobody to tell.
func JSON(w http.ResponseWriter, status int, v any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// Equal compares secrets.
func Equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// ID returns prefix and a random part, as both services make their ids.
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

// Wait waits for d. It returns false when ctx ended first.
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

// A Life is that of a service: what runs for it ends with it.
type Life struct {
	ctx context.Context //nolint:containedctx // it is the life
	end context.CancelFunc
	mu  sync.Mutex // keeps joining and ending apart
	wg  sync.WaitGroup
}

// NewLife begins one.
func NewLife() *Life {
	l := new(Life)
	l.ctx, l.end = context.WithCancel(context.Background())
	return l
}

// Context ends with the life.
func (l *Life) Context() context.Context { return l.ctx }

// Do runs f, which must return soon after its context ends. It reports false,
// and does not run f, when the life is over.
func (l *Life) Do(f func(context.Context)) bool {
	if !l.join() {
		return false
	}
	defer l.wg.Done()
	f(l.ctx)
	return true
}

// Go is Do in a goroutine.
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

package api

import (
	"encoding/binary"
	"net/http"
	"testing"
	"time"
)

func TestRateLimit(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, func(c *chatConfig) { c.perMinute, c.burst = 1, 3 })
	for range 3 {
		r.do(200, http.MethodGet, "/health", "")
	}
	got := r.do(http.StatusTooManyRequests, http.MethodGet, "/health", "")
	if after := got.header.Get("Retry-After"); after != "60" && after != "59" {
		t.Errorf("Retry-After = %q", after)
	}
	// A stranger is turned away at the door, and costs nobody their share.
	r.do(http.StatusUnauthorized, http.MethodGet, "/health", "", "Authorization", "Bearer wrong")
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	l, now := newLimiter(60, 2), time.Unix(1_800_000_000, 0)
	id := func(n uint32) (who [32]byte) {
		binary.BigEndian.PutUint32(who[:], n)
		return who
	}
	for range 2 {
		if l.wait(id(1), now) != 0 {
			t.Error("the burst is not granted")
		}
	}
	if wait := l.wait(id(1), now); wait != time.Second {
		t.Errorf("wait = %s, want a second", wait)
	}
	if l.wait(id(2), now) != 0 {
		t.Error("one client takes another's share")
	}
	if l.wait(id(1), now.Add(time.Second)) != 0 {
		t.Error("waiting does not help")
	}
	for n := range uint32(3 * maxClients) {
		l.wait(id(n+10), now)
	}
	if len(l.clients) > maxClients {
		t.Errorf("%d clients are counted", len(l.clients))
	}
}

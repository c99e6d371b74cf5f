package checkpoint

import (
	"errors"
	"testing"
	"time"

	"github.com/naiber/naiber/store/checkpoint/redistest"
)

func openRedis(t *testing.T, url string) *redis {
	t.Helper()
	r, err := newRedis(url, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.client.Close)
	return r
}

// at is a thread whose head has a revision.
func at(t *testing.T, rev int64) stored {
	t.Helper()
	h := History{rev: rev - 1}
	s, err := h.with(Checkpoint{ID: NewID()}, 1)
	if err != nil || s.rev != rev {
		t.Fatalf("revision %d, %v", s.rev, err)
	}
	return s
}

// Redis takes a thread unless what it has is newer than what was seen, by the
// revision of its head, which the script puts together from two halves of 32 bits.
func TestRedisPutComparesRevisions(t *testing.T) {
	t.Parallel()
	r := openRedis(t, redistest.New(t).URL())
	const now = int64(1_790_000_000_000_000) // microseconds: in the autumn of 2026
	for _, tt := range []struct {
		name       string
		here, seen int64 // zero: none
		conflict   bool
	}{
		{"nothing is here", 0, 0, false},
		{"nothing is here any more", 0, now, false},
		{"as it was seen", now, now, false},
		{"older than was seen", now - 1, now, false},
		{"newer than was seen", now + 1, now, true},
		{"nothing was seen", 1, 0, true},
		{"newer by the upper half", 1 << 32, 1<<32 - 1, true},
		{"older by the upper half", 1<<32 - 1, 1 << 32, false},
		{"upper half newer, lower half older", 6<<32 | 1, 5<<32 | 9, true},
		{"upper half older, lower half newer", 5<<32 | 9, 6<<32 | 1, false},
		{"lower half of which the top bit is set", 7<<32 | 1<<31, 7<<32 | 1<<31 - 1, true},
		{"the largest there may be", 1<<53 - 1, 1<<53 - 3, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			thread := NewID().String()
			if tt.here > 0 {
				if err := r.put(t.Context(), thread, at(t, tt.here), 1<<53); err != nil {
					t.Fatal(err)
				}
			}
			next := at(t, tt.seen+1)
			err := r.put(t.Context(), thread, next, tt.seen)
			if errors.Is(err, ErrConflict) != tt.conflict || err != nil && !tt.conflict {
				t.Errorf("got %v; want a conflict: %t", err, tt.conflict)
			}
			want := next.rev
			if tt.conflict {
				want = tt.here
			}
			if h, err := r.load(t.Context(), thread); err != nil || h.rev != want {
				t.Errorf("kept: revision %d, %v; want %d", h.rev, err, want)
			}
		})
	}
}

// A Redis that does not answer is waited for no longer than its timeout, and what
// it does of that when it answers again changes nothing.
func TestRedisIsFrozen(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	r := openRedis(t, srv.URL())
	first := at(t, 100)
	if err := r.put(t.Context(), "t", first, 0); err != nil {
		t.Fatal(err)
	}
	r.timeout = 20 * time.Millisecond
	srv.Freeze(t)
	if _, err := r.load(t.Context(), "t"); err == nil {
		t.Error("load: a frozen Redis answers")
	}
	late, next := at(t, 200), at(t, 300)
	if err := r.put(t.Context(), "t", late, 100); err == nil || errors.Is(err, ErrConflict) {
		t.Errorf("put: got %v", err)
	}
	srv.Thaw(t)
	r.timeout = 20 * time.Second
	if err := r.put(t.Context(), "t", next, 200); err != nil { // PostgreSQL took it at 200
		t.Fatal(err)
	}
	if err := r.put(t.Context(), "t", late, 100); !errors.Is(err, ErrConflict) {
		t.Errorf("what was late: got %v", err)
	}
	if h, err := r.load(t.Context(), "t"); err != nil || h.rev != 300 {
		t.Errorf("kept: revision %d, %v", h.rev, err)
	}
}

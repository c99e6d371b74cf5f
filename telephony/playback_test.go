package telephony

import (
	"testing"
	"time"
)

func TestPlayback(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC)
	var p playback
	if !p.ends().IsZero() || p.queued(now) != 0 {
		t.Fatal("something is queued before anything was sent")
	}
	p.add(216, now) // 162 bytes with padding counted: 20.25 ms
	p.add(10668, now)
	if got, want := p.queued(now), 20250*time.Microsecond+8001*125*time.Microsecond; got != want {
		t.Errorf("queued %v, want %v", got, want)
	}
	if got, want := p.queued(now.Add(time.Second)), 20250*time.Microsecond+125*time.Microsecond; got != want {
		t.Errorf("queued %v a second later, want %v", got, want)
	}
	later := now.Add(time.Minute)
	p.add(216, later) // nothing was left, so it starts now
	if got, want := p.queued(later), 20250*time.Microsecond; got != want {
		t.Errorf("queued %v after a pause, want %v", got, want)
	}
	p.cleared(later)
	if got := p.queued(later); got != 0 {
		t.Errorf("queued %v after a clear, want nothing", got)
	}
}

func TestPlaybackMarks(t *testing.T) {
	t.Parallel()
	var p playback
	before := p.newMark("bye")
	p.cleared(time.Now())
	after := p.newMark("bye")
	if before == after {
		t.Fatalf("two marks are both called %q", before)
	}
	for _, tt := range []struct {
		name, mark string
		want       bool
	}{
		{"a clear came after it", before, false},
		{"played", after, true},
		{"returned twice", after, false},
		{"never sent", "bye-99", false},
	} {
		if got := p.returned(tt.mark); got != tt.want {
			t.Errorf("%s: returned(%q) = %t, want %t", tt.name, tt.mark, got, tt.want)
		}
	}
}

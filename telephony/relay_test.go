package telephony

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func frameOf(n int) []byte { return []byte(audioOf(n, 160)) }

func drainRing(r *ring) (numbers []string) {
	var buf []byte
	for {
		var more bool
		if buf, more = r.pop(buf); !more {
			return numbers
		}
		numbers = append(numbers, strings.TrimPrefix(string(buf), `{"user_audio_chunk":"`)[:4])
	}
}

func TestRingKeepsOrder(t *testing.T) {
	t.Parallel()
	r := newRing(time.Second)
	var want []string
	for i := range 30 {
		if n := r.push(frameOf(i)); n != 0 {
			t.Fatalf("frame %d: %d dropped", i, n)
		}
		want = append(want, fmt.Sprintf("n%03d", i))
	}
	if got := drainRing(r); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRingDropsTheOldest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		limit  time.Duration
		frames int
		keep   int
	}{
		{time.Second, 200, 49}, // 216 characters a frame, 10,664 a second
		{2 * time.Second, 200, 98},
		{time.Minute, 300, ringFrames},
		{time.Millisecond, 5, 1}, // a piece that is too large goes alone
	} {
		r := newRing(tt.limit)
		dropped := 0
		for i := range tt.frames {
			dropped += r.push(frameOf(i))
		}
		got := drainRing(r)
		if len(got) != tt.keep || dropped != tt.frames-tt.keep {
			t.Errorf("limit %v: kept %d and dropped %d of %d, want to keep %d", tt.limit, len(got), dropped, tt.frames, tt.keep)
			continue
		}
		if last := fmt.Sprintf("n%03d", tt.frames-1); got[len(got)-1] != last {
			t.Errorf("limit %v: the last is %s, want %s", tt.limit, got[len(got)-1], last)
		}
	}
}

// TestRingDoesNotAllocate holds the hot path to its word.
func TestRingDoesNotAllocate(t *testing.T) {
	r := newRing(time.Second)
	frame := frameOf(1)
	var buf []byte
	pass := func() {
		r.push(frame)
		r.push(frame)
		buf, _ = r.pop(buf)
		buf, _ = r.pop(buf)
	}
	pass()
	if n := testing.AllocsPerRun(1000, pass); n > 0 {
		t.Errorf("%v allocations for two frames, want none", n)
	}
}

package checkpoint

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func sample() History {
	at := time.Date(2026, 11, 20, 9, 0, 0, 123_456_000, time.UTC)
	first := Checkpoint{ID: NewID(), Rev: 5, At: at, Turn: Turn{At: at}, Outcome: []byte{}, State: []byte{}}
	second := Checkpoint{
		ID: NewID(), Parent: first.ID, Rev: maxRev, Step: 1 << 20, At: at.Add(time.Hour), Graph: "health", Schema: 3, Node: "wait", Done: true,
		Turn:    Turn{Conversation: "conv 1\n", Place: 7, Key: "9f86", At: at.Add(-time.Hour)},
		Outcome: []byte(`{}`), State: bytes.Repeat([]byte("é\x00"), 1000),
	}
	return History{
		Checkpoints: []Checkpoint{second, first},
		Writes:      []Write{{Task: "alert", Value: []byte("x"), At: at}, {Checkpoint: second.ID, Task: strings.Repeat("t", maxText), Value: []byte{}, At: at}},
	}
}

func TestCodec(t *testing.T) {
	t.Parallel()
	h := sample()
	got, err := decode(encode(&h))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, h) {
		t.Errorf("got  %v\nwant %v", got, h)
	}
	if h, err := decode(nil); err != nil || !h.empty() {
		t.Errorf("of nothing: got %v, %v", h, err)
	}
}

func TestCodecRefuses(t *testing.T) {
	t.Parallel()
	h := sample()
	whole := encode(&h)
	for n := 1; n < len(whole); n++ {
		if got, err := decode(whole[:n]); err == nil {
			// A cut between two records leaves a shorter thread: Redis cuts nothing.
			if len(got.Checkpoints)+len(got.Writes) == 4 {
				t.Fatalf("cut after %d bytes of %d: got all", n, len(whole))
			}
		} else if !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut after %d bytes: got %v, want ErrCorrupt", n, err)
		}
	}
	spoil := func(at int, b byte) []byte {
		s := bytes.Clone(whole)
		s[at] = b
		return s
	}
	swapped := History{Checkpoints: []Checkpoint{h.Checkpoints[1], h.Checkpoints[0]}}
	for name, b := range map[string][]byte{
		"another kind":            spoil(4, 'X'),
		"another format":          spoil(5, 9),
		"a revision too large":    spoil(22, 0xff),
		"a hash of another saver": []byte("{\"v\":1,\"ts\":\"2026\"}"),
		"out of order":            encode(&swapped),
		"a checkpoint after work": append(encode(&History{Writes: h.Writes}), encode(&History{Checkpoints: h.Checkpoints})...),
	} {
		if _, err := decode(b); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: got %v, want ErrCorrupt", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	h := sample()
	h.Checkpoints[0].State, h.Writes[1].Task = []byte("{}"), "t" // short, for the fuzzer's sake
	f.Add(encode(&h))
	f.Add(encode(&History{Checkpoints: h.Checkpoints}))
	f.Add(encode(&History{Writes: h.Writes}))
	f.Add([]byte("{\"v\":1}"))
	f.Add([]byte{0, 0, 0, 2, 'C', 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := decode(b)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("got %v, want ErrCorrupt", err)
			}
			return
		}
		again, err := decode(encode(&h))
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
		if !reflect.DeepEqual(again, h) {
			t.Fatalf("got  %v\nwant %v", again, h)
		}
		h.Line()
	})
}

func TestUnion(t *testing.T) {
	t.Parallel()
	var line []Checkpoint
	for i := range 5 {
		cp := Checkpoint{ID: NewID(), Rev: int64(i + 1)}
		if i > 0 {
			cp.Parent = line[i-1].ID
		}
		line = append(line, cp)
	}
	at := func(ids ...int) History {
		var h History
		for _, i := range ids {
			h.Checkpoints = append(h.Checkpoints, line[i])
		}
		return h
	}
	replaced := line[4]
	replaced.ID, replaced.Parent, replaced.Rev = NewID(), line[0].ID, 9
	for _, tt := range []struct {
		name       string
		a, b, want History
		keep       int
	}{
		{"nothing", History{}, History{}, History{}, 3},
		{"one side", at(1, 0), History{}, at(1, 0), 3},
		{"the newer wins", at(1, 0), at(3, 2, 1), at(3, 2, 1), 3},
		{"a gap is filled", at(4, 2), at(3, 1), at(4, 3, 2, 1), 4},
		{"the way back stays", at(3, 2, 0), History{Checkpoints: []Checkpoint{replaced}}, History{Checkpoints: []Checkpoint{replaced, line[3], line[0]}}, 2},
	} {
		if got := union(tt.a, tt.b, tt.keep); !reflect.DeepEqual(got.Checkpoints, tt.want.Checkpoints) {
			t.Errorf("%s: got %v, want %v", tt.name, got.Checkpoints, tt.want.Checkpoints)
		}
		if got := union(tt.b, tt.a, tt.keep); !reflect.DeepEqual(got.Checkpoints, tt.want.Checkpoints) {
			t.Errorf("%s, the other way round: got %v, want %v", tt.name, got.Checkpoints, tt.want.Checkpoints)
		}
	}
	w := Write{Checkpoint: line[1].ID, Task: "t", Value: []byte("a")}
	a, b := at(1), at(1)
	a.Writes = []Write{w}
	w.Value = []byte("b")
	b.Writes = []Write{w, {Checkpoint: line[0].ID, Task: "t"}}
	if got := union(a, b, 3).Writes; len(got) != 1 || string(got[0].Value) != "a" {
		t.Errorf("of two results: got %v, want a's, and none of a checkpoint that is not there", got)
	}
}

func TestNextRev(t *testing.T) {
	t.Parallel()
	now := time.UnixMicro(1000)
	for prev, want := range map[int64]int64{0: 1000, 999: 1000, 1000: 1001, 5000: 5001} {
		if got := NextRev(prev, now); got != want {
			t.Errorf("after %d: got %d, want %d", prev, got, want)
		}
	}
}

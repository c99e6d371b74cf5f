package checkpoint

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"time"
)

func sample() []Checkpoint {
	at := time.Date(2026, 11, 20, 9, 0, 0, 123_456_000, time.UTC)
	first := Checkpoint{ID: NewID(), Rev: 5, At: at, Turn: Turn{At: at}, Outcome: []byte{}, State: []byte{}}
	second := Checkpoint{
		ID: NewID(), Parent: first.ID, Rev: maxRev, Step: 1 << 20, At: at.Add(time.Hour), Graph: "health", Schema: 3, Node: "wait", Done: true,
		Turn:    Turn{Conversation: "conv 1\n", Place: 7, Key: "9f86", At: at.Add(-time.Hour)},
		Outcome: []byte(`{}`), State: bytes.Repeat([]byte("é\x00"), 1000),
	}
	return []Checkpoint{second, first}
}

func encode(cps ...Checkpoint) []byte {
	var b []byte
	for i := range cps {
		b = appendCheckpoint(b, &cps[i])
	}
	return b
}

func TestCodec(t *testing.T) {
	t.Parallel()
	want := sample()
	for name, b := range map[string][]byte{"packed": pack(want[0].ID, want[0].Rev, encode(want...)), "as earlier versions did": encode(want...)} {
		got, err := decode(b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got  %v, %v\nwant %v", name, got, err, want)
		}
	}
	if got, err := decode(nil); err != nil || len(got) != 0 {
		t.Errorf("of nothing: got %v, %v", got, err)
	}
}

func TestCodecRefuses(t *testing.T) {
	t.Parallel()
	cps := sample()
	whole := encode(cps...)
	for n := 1; n < len(whole); n++ {
		if got, err := decode(whole[:n]); err == nil {
			// A cut between two records leaves a shorter thread: no store cuts anything.
			if len(got) == len(cps) {
				t.Fatalf("cut after %d bytes of %d: got all", n, len(whole))
			}
		} else if !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut after %d bytes: got %v, want ErrCorrupt", n, err)
		}
	}
	packed := pack(cps[0].ID, cps[0].Rev, whole)
	for n := threadHead; n < len(packed); n++ {
		if _, err := decode(packed[:n]); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("packed, cut after %d bytes of %d: got %v, want ErrCorrupt", n, len(packed), err)
		}
	}
	spoil := func(at int, b byte) []byte {
		s := bytes.Clone(whole)
		s[at] = b
		return s
	}
	for name, b := range map[string][]byte{
		"another kind":            spoil(4, 'X'),
		"another format":          spoil(5, 9),
		"a revision too large":    spoil(22, 0xff),
		"a hash of another saver": []byte("{\"v\":1,\"ts\":\"2026\"}"),
		"out of order":            encode(cps[1], cps[0]),
	} {
		if _, err := decode(b); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: got %v, want ErrCorrupt", name, err)
		}
	}
	if _, err := (stored{rev: 7, data: whole}).history(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a revision that is not the head's: got %v, want ErrCorrupt", err)
	}
}

func FuzzDecode(f *testing.F) {
	cps := sample()
	cps[0].State = []byte("{}") // short, for the fuzzer's sake
	f.Add(encode(cps...))
	f.Add(encode(cps[1]))
	f.Add(pack(cps[0].ID, cps[0].Rev, encode(cps...)))
	f.Add([]byte("{\"v\":1}"))
	f.Add([]byte{0, 0, 0, 2, 'C', 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		cps, err := decode(b)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("got %v, want ErrCorrupt", err)
			}
			return
		}
		again, err := decode(encode(cps...))
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
		if !reflect.DeepEqual(again, cps) {
			t.Fatalf("got  %v\nwant %v", again, cps)
		}
		h := History{Checkpoints: cps}
		h.Line()
	})
}

func TestNextRev(t *testing.T) {
	t.Parallel()
	now := time.UnixMicro(1000)
	for prev, want := range map[int64]int64{0: 1000, 999: 1000, 1000: 1001, 5000: 5001} {
		if got := nextRev(prev, now); got != want {
			t.Errorf("after %d: got %d, want %d", prev, got, want)
		}
	}
}

func pack(head ID, rev int64, records []byte) []byte {
	b := buffer{records: records}
	return b.pack(head, rev)
}

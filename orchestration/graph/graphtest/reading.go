package graphtest

import (
	"errors"
	"testing"
	"time"

	"github.com/naiber/naiber/store/checkpoint"
)

func testPut(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	if h := load(t, s, thread); len(h.Checkpoints) != 0 || len(h.Writes) != 0 {
		t.Fatalf("a thread nobody wrote to: got %v, want nothing", h)
	}
	first := Next(nil, nil, "energy")
	first.Done = true
	if err := s.Put(t.Context(), thread, first, checkpoint.ID{}); err != nil {
		t.Fatal(err)
	}
	h := load(t, s, thread)
	same(t, "every field", h.Checkpoints, []checkpoint.Checkpoint{first})

	second := Next(&first, &first, "sleep")
	second.State, second.Outcome, second.Turn = nil, nil, checkpoint.Turn{At: second.Turn.At}
	if err := s.Put(t.Context(), thread, second, first.ID); err != nil {
		t.Fatal(err)
	}
	h = load(t, s, thread)
	same(t, "newest first", h.Checkpoints, newestFirst(first, second))
	head, ok := h.Head()
	if !ok || head.ID != second.ID {
		t.Errorf("head: got %s, want %s", head.ID, second.ID)
	}
	for _, at := range []time.Time{head.At, head.Turn.At} {
		if at.Location() != time.UTC {
			t.Errorf("time %v is not in UTC", at)
		}
	}

	// Bytes come back as they were, whatever they are.
	third := Next(&second, &second, "")
	third.State, third.Outcome = []byte("{\"nul\":\"\x00\\u0000\", \"b\": 1 ,\"a\":2}\xff\xfe\n"), []byte{0}
	if err := s.Put(t.Context(), thread, third, second.ID); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(t.Context(), thread, third.ID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "bytes", got, third)
}

func testGet(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	if _, err := s.Get(t.Context(), thread, checkpoint.ID{}); !errors.Is(err, checkpoint.ErrNotFound) {
		t.Errorf("latest of nothing: got %v, want ErrNotFound", err)
	}
	line := Grow(t, s, thread, 4)
	for _, want := range line {
		got, err := s.Get(t.Context(), thread, want.ID)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "by id", got, want)
	}
	got, err := s.Get(t.Context(), thread, checkpoint.ID{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "latest", got, line[3])
	if _, err := s.Get(t.Context(), thread, checkpoint.NewID()); !errors.Is(err, checkpoint.ErrNotFound) {
		t.Errorf("unknown id: got %v, want ErrNotFound", err)
	}
	if _, err := s.Get(t.Context(), Thread(t), line[0].ID); !errors.Is(err, checkpoint.ErrNotFound) {
		t.Errorf("an id of another thread: got %v, want ErrNotFound", err)
	}
}

func testList(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	var line []checkpoint.Checkpoint
	for i, where := range []struct{ node, conversation string }{
		{"ask", "conv_1"}, {"wait", "conv_1"}, {"ask", "conv_2"}, {"wait", "conv_2"}, {"wait", "conv_2"},
	} {
		var last *checkpoint.Checkpoint
		var head checkpoint.ID
		if i > 0 {
			last, head = &line[i-1], line[i-1].ID
		}
		cp := Next(last, last, "x")
		cp.Node, cp.Turn.Conversation = where.node, where.conversation
		if err := s.Put(t.Context(), thread, cp, head); err != nil {
			t.Fatal(err)
		}
		line = append(line, cp)
	}
	for _, tt := range []struct {
		name string
		q    checkpoint.Query
		want []int // in line
	}{
		{"all", checkpoint.Query{}, []int{4, 3, 2, 1, 0}},
		{"limit", checkpoint.Query{Limit: 2}, []int{4, 3}},
		{"limit beyond the end", checkpoint.Query{Limit: 50}, []int{4, 3, 2, 1, 0}},
		{"before", checkpoint.Query{Before: line[2].ID}, []int{1, 0}},
		{"before the newest", checkpoint.Query{Before: line[4].ID}, []int{3, 2, 1, 0}},
		{"before the oldest", checkpoint.Query{Before: line[0].ID}, nil},
		{"before and limit", checkpoint.Query{Before: line[4].ID, Limit: 1}, []int{3}},
		{"one node", checkpoint.Query{Node: "ask"}, []int{2, 0}},
		{"one conversation", checkpoint.Query{Conversation: "conv_2"}, []int{4, 3, 2}},
		{"both", checkpoint.Query{Conversation: "conv_2", Node: "wait"}, []int{4, 3}},
		{"both, before and limit", checkpoint.Query{Conversation: "conv_2", Node: "wait", Before: line[4].ID, Limit: 1}, []int{3}},
		{"a limit counts what fits", checkpoint.Query{Node: "ask", Limit: 2}, []int{2, 0}},
		{"nothing fits", checkpoint.Query{Node: "finalize"}, nil},
	} {
		got, err := s.List(t.Context(), thread, tt.q)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		want := []checkpoint.Checkpoint{}
		for _, i := range tt.want {
			want = append(want, line[i])
		}
		same(t, tt.name, got, want)
	}
	if got, err := s.List(t.Context(), Thread(t), checkpoint.Query{}); err != nil || len(got) != 0 {
		t.Errorf("a thread nobody wrote to: got %d and %v, want none", len(got), err)
	}
	if _, err := s.List(t.Context(), thread, checkpoint.Query{Before: checkpoint.NewID()}); !errors.Is(err, checkpoint.ErrNotFound) {
		t.Errorf("before one that is not there: got %v, want ErrNotFound", err)
	}
}

func testParents(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	line := Grow(t, s, thread, 4)
	h := load(t, s, thread)
	same(t, "line", h.Line(), newestFirst(line...))
	for i, cp := range h.Line() {
		if want := 3 - i; cp.Step != want {
			t.Errorf("step of checkpoint %d from the top: got %d, want %d", i, cp.Step, want)
		}
	}
}

func testReplaced(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	line := Grow(t, s, thread, 2)
	// The turn that led to line[1] is asked again with other words, and again.
	again := Next(&line[0], &line[1], "again")
	if err := s.Put(t.Context(), thread, again, line[1].ID); err != nil {
		t.Fatal(err)
	}
	h := load(t, s, thread)
	same(t, "line", h.Line(), newestFirst(line[0], again))
	same(t, "all", h.Checkpoints, newestFirst(line[0], line[1], again))

	// However often that is, the way back stays.
	last := again
	for range 2 * Keep {
		next := Next(&line[0], &last, "once more")
		if err := s.Put(t.Context(), thread, next, last.ID); err != nil {
			t.Fatal(err)
		}
		last = next
	}
	h = load(t, s, thread)
	same(t, "line", h.Line(), newestFirst(line[0], last))

	// The first turn is replaced as well: its parent is none.
	thread = Thread(t)
	first := Grow(t, s, thread, 1)[0]
	other := Next(nil, &first, "other")
	if err := s.Put(t.Context(), thread, other, first.ID); err != nil {
		t.Fatal(err)
	}
	h = load(t, s, thread)
	same(t, "line of a replaced first turn", h.Line(), newestFirst(other))
}

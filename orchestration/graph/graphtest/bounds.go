package graphtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/naiber/naiber/store/checkpoint"
)

func testIsolation(t *testing.T, s Checkpoints) {
	t.Helper()
	base := Thread(t)
	// Names that a careless pattern, prefix or separator would mix up.
	names := []string{base, base + ":", base + ":x", base + "*", base + "?", base + "[a]", ":" + base, base + " ", strings.ToUpper(base), base + "%", base + "_"}
	lines := map[string][]checkpoint.Checkpoint{}
	for i, name := range names {
		lines[name] = Grow(t, s, name, 1+i%3)
	}
	for _, name := range names {
		h := load(t, s, name)
		same(t, fmt.Sprintf("thread %q", name), h.Checkpoints, newestFirst(lines[name]...))
	}
	for _, name := range names[3:6] {
		if err := s.Delete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		delete(lines, name)
	}
	for name, line := range lines {
		h := load(t, s, name)
		same(t, fmt.Sprintf("thread %q after others were deleted", name), h.Checkpoints, newestFirst(line...))
	}
}

// testWriters has several writers advance one thread, each over what it sees:
// every head that was put is the parent of exactly one that was put.
func testWriters(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	const writers, rounds = 8, 12
	var mu sync.Mutex // guards parents and won
	parents, won := map[checkpoint.ID]int{}, 0
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for won := 0; won < rounds; {
				h, err := s.Load(t.Context(), thread)
				if err != nil {
					t.Error(err)
					return
				}
				var last *checkpoint.Checkpoint
				var head checkpoint.ID
				if cp, ok := h.Head(); ok {
					last, head = &cp, cp.ID
				}
				cp := Next(last, last, fmt.Sprintf("writer %d", w))
				err = s.Put(t.Context(), thread, cp, head)
				if errors.Is(err, checkpoint.ErrConflict) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				won++
				mu.Lock()
				parents[cp.Parent]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	for parent, children := range parents {
		if children != 1 {
			t.Errorf("checkpoint %s was advanced %d times", parent, children)
		}
		won += children
	}
	head, err := s.Get(t.Context(), thread, checkpoint.ID{})
	if err != nil {
		t.Fatal(err)
	}
	if want := writers * rounds; won != want || head.Step != want-1 {
		t.Errorf("got %d advances and step %d, want %d and %d", won, head.Step, want, want-1)
	}
}

// testWorkers has several workers do one task: all see the same result.
func testWorkers(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	head := Grow(t, s, thread, 1)[0]
	results := make([]string, 8)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			w, err := s.Write(t.Context(), thread, work(head.ID, "task", fmt.Sprintf("worker %d", i)))
			if err != nil {
				t.Error(err)
			}
			results[i] = string(w.Value)
		})
	}
	all.Wait()
	h := load(t, s, thread)
	stored, _ := h.Done(head.ID, "task")
	for i, got := range results {
		if got != string(stored.Value) {
			t.Errorf("worker %d saw %q, and stored is %q", i, got, stored.Value)
		}
	}
	if len(h.Writes) != 1 {
		t.Errorf("got %d results of one task", len(h.Writes))
	}
}

func testLarge(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	var last *checkpoint.Checkpoint
	var head checkpoint.ID
	var line []checkpoint.Checkpoint
	for i, seed := range []string{"a", "wide \u00e9 \xff\x00 ", "0123456789"} {
		cp := Next(last, last, "large")
		cp.State = large(seed)
		if err := s.Put(t.Context(), thread, cp, head); err != nil {
			t.Fatal(err)
		}
		line = append(line, cp)
		last, head = &line[i], cp.ID
	}
	w := work(head, "large", string(large("w")))
	if _, err := s.Write(t.Context(), thread, w); err != nil {
		t.Fatal(err)
	}
	h := load(t, s, thread)
	same(t, "megabytes", h.Checkpoints, newestFirst(line...))
	got, _ := h.Done(head, "large")
	same(t, "a large result", got, w)
}

// OddNames are threads that people and systems have come up with.
var OddNames = []string{
	"health_check::", "health_check:user:", "health_check::conv", "::", " ", "with spaces in  it", " leading", "trailing ",
	"percent %s %d %% %00", "line\nbreak", "carriage\r\nreturn", "tab\there", "ünï çødé", "日本語", "👵🏽 élan", "e\u0301 is not é",
	`quotes "'` + "`", `back\slash\0`, "{hash}tag", "health_check:{u}:{c}", "a*b?c[d]e^f", "$1; drop table checkpoints; --", "null", "NULL", "0", "-1",
	"\u202eright to left", "zero\u200bwidth", "\ufeffbom", "\x01\x7f", strings.Repeat("long ", 200),
}

func testNames(t *testing.T, s Checkpoints) {
	t.Helper()
	suffix := Thread(t) // the ground may be shared
	lines := map[string][]checkpoint.Checkpoint{}
	for _, name := range OddNames {
		thread := name
		if len(name) < 900 {
			thread += suffix
		}
		lines[thread] = Grow(t, s, thread, 2)
		w := work(lines[thread][1].ID, name, name)
		if _, err := s.Write(t.Context(), thread, w); err != nil {
			t.Fatalf("task %q: %v", name, err)
		}
		cp := Next(&lines[thread][1], &lines[thread][1], "odd")
		cp.Node, cp.Graph, cp.Turn.Conversation, cp.Turn.Key = name, name, name, name
		if err := s.Put(t.Context(), thread, cp, lines[thread][1].ID); err != nil {
			t.Fatalf("name %q: %v", name, err)
		}
		lines[thread] = append(lines[thread], cp)
	}
	for thread, line := range lines {
		h := load(t, s, thread)
		same(t, fmt.Sprintf("thread %q", thread), h.Checkpoints, newestFirst(line...))
		if err := s.Delete(t.Context(), thread); err != nil {
			t.Fatal(err)
		}
	}
}

func testInvalid(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	first := Grow(t, s, thread, 1)[0]
	for _, name := range []string{"", "nul \x00", "not \xff UTF-8", strings.Repeat("x", 2000)} {
		cp := Next(nil, nil, "x")
		if err := s.Put(t.Context(), name, cp, checkpoint.ID{}); !errors.Is(err, checkpoint.ErrInvalid) {
			t.Errorf("put into thread %.20q: got %v, want ErrInvalid", name, err)
		}
		if _, err := s.Load(t.Context(), name); !errors.Is(err, checkpoint.ErrInvalid) {
			t.Errorf("load thread %.20q: got %v, want ErrInvalid", name, err)
		}
		if err := s.Delete(t.Context(), name); !errors.Is(err, checkpoint.ErrInvalid) {
			t.Errorf("delete thread %.20q: got %v, want ErrInvalid", name, err)
		}
		if err := s.Copy(t.Context(), thread, name); !errors.Is(err, checkpoint.ErrInvalid) {
			t.Errorf("copy to thread %.20q: got %v, want ErrInvalid", name, err)
		}
		if _, err := s.Write(t.Context(), thread, work(first.ID, name, "")); !errors.Is(err, checkpoint.ErrInvalid) {
			t.Errorf("task %.20q: got %v, want ErrInvalid", name, err)
		}
	}
	for what, spoil := range map[string]func(*checkpoint.Checkpoint){
		"no id":          func(cp *checkpoint.Checkpoint) { cp.ID = checkpoint.ID{} },
		"no revision":    func(cp *checkpoint.Checkpoint) { cp.Rev = 0 },
		"huge revision":  func(cp *checkpoint.Checkpoint) { cp.Rev = 1 << 60 },
		"negative step":  func(cp *checkpoint.Checkpoint) { cp.Step = -1 },
		"negative place": func(cp *checkpoint.Checkpoint) { cp.Turn.Place = -1 },
		"node with NUL":  func(cp *checkpoint.Checkpoint) { cp.Node = "\x00" },
		"key not UTF-8":  func(cp *checkpoint.Checkpoint) { cp.Turn.Key = "\xff" },
	} {
		cp := Next(&first, &first, "x")
		spoil(&cp)
		if err := s.Put(t.Context(), thread, cp, first.ID); !errors.Is(err, checkpoint.ErrInvalid) {
			t.Errorf("%s: got %v, want ErrInvalid", what, err)
		}
	}
	h := load(t, s, thread)
	same(t, "after all that", h.Checkpoints, newestFirst(first))
}

// testAliasing changes bytes after they were put and after they were loaded.
func testAliasing(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	cp := Next(nil, nil, "mine")
	want := string(cp.State)
	if err := s.Put(t.Context(), thread, cp, checkpoint.ID{}); err != nil {
		t.Fatal(err)
	}
	clear(cp.State)
	clear(cp.Outcome)
	for range 2 {
		h := load(t, s, thread)
		if got := string(h.Checkpoints[0].State); got != want {
			t.Fatalf("state: got %q, want %q", got, want)
		}
		clear(h.Checkpoints[0].State)
		h.Checkpoints[0].Node = "other"
	}
}

func testCancelled(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	first := Grow(t, s, thread, 1)[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	next := Next(&first, &first, "x")
	_, loaded := s.Load(ctx, thread)
	_, noted := s.Write(ctx, thread, work(first.ID, "task", ""))
	_, got := s.Get(ctx, thread, first.ID)
	for what, err := range map[string]error{
		"load": loaded, "put": s.Put(ctx, thread, next, first.ID), "write": noted, "get": got,
		"copy": s.Copy(ctx, thread, Thread(t)), "prune": s.Prune(ctx, thread, 1), "delete": s.Delete(ctx, thread),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", what, err)
		}
	}
	h := load(t, s, thread)
	same(t, "nothing has happened", h.Checkpoints, newestFirst(first))
}

func testClosed(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	first := Grow(t, s, thread, 1)[0]
	for range 2 { // closing twice is forgiven
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	next := Next(&first, &first, "x")
	_, loaded := s.Load(t.Context(), thread)
	_, noted := s.Write(t.Context(), thread, work(first.ID, "task", ""))
	_, got := s.Get(t.Context(), thread, first.ID)
	_, listed := s.List(t.Context(), thread, checkpoint.Query{})
	for what, err := range map[string]error{
		"load": loaded, "put": s.Put(t.Context(), thread, next, first.ID), "write": noted, "get": got, "list": listed,
		"copy": s.Copy(t.Context(), thread, Thread(t)), "prune": s.Prune(t.Context(), thread, 1), "delete": s.Delete(t.Context(), thread),
	} {
		if !errors.Is(err, checkpoint.ErrClosed) {
			t.Errorf("%s: got %v, want ErrClosed", what, err)
		}
	}
}

package graphtest

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/naiber/naiber/store/checkpoint"
)

func testKeep(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	var line []checkpoint.Checkpoint
	var head checkpoint.ID
	var last *checkpoint.Checkpoint
	for i := range 3 * Keep {
		cp := Next(last, last, strconv.Itoa(i))
		if err := s.Put(t.Context(), thread, cp, head); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Write(t.Context(), thread, work(cp.ID, "task", "done")); err != nil {
			t.Fatal(err)
		}
		line = append(line, cp)
		head, last = cp.ID, &line[i]
	}
	h := load(t, s, thread)
	same(t, "the newest stay", h.Checkpoints, newestFirst(line[2*Keep:]...))
	if len(h.Writes) != Keep {
		t.Errorf("work after checkpoints that stay: got %d, want %d", len(h.Writes), Keep)
	}
	for _, w := range h.Writes {
		if _, ok := h.Find(w.Checkpoint); !ok {
			t.Errorf("work after %s, which was pruned, is still there", w.Checkpoint)
		}
	}
}

func testConflict(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	orphan := Next(nil, nil, "x")
	if err := s.Put(t.Context(), thread, orphan, checkpoint.NewID()); !errors.Is(err, checkpoint.ErrConflict) {
		t.Errorf("onto a head in a thread without one: got %v, want ErrConflict", err)
	}
	line := Grow(t, s, thread, 3)
	for _, tt := range []struct {
		name string
		head checkpoint.ID
	}{
		{"as if it were the first", checkpoint.ID{}},
		{"onto the head before", line[1].ID},
		{"onto a head that never was", checkpoint.NewID()},
	} {
		cp := Next(&line[1], &line[2], "late")
		if err := s.Put(t.Context(), thread, cp, tt.head); !errors.Is(err, checkpoint.ErrConflict) {
			t.Errorf("%s: got %v, want ErrConflict", tt.name, err)
		}
	}
	old := Next(&line[2], &line[2], "old")
	old.Rev = line[2].Rev
	if err := s.Put(t.Context(), thread, old, line[2].ID); !errors.Is(err, checkpoint.ErrConflict) {
		t.Errorf("not newer than the head: got %v, want ErrConflict", err)
	}
	h := load(t, s, thread)
	same(t, "after conflicts", h.Checkpoints, newestFirst(line...))
}

func testTwice(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	line := Grow(t, s, thread, 2)
	for range 2 {
		if err := s.Put(t.Context(), thread, line[1], line[0].ID); err != nil {
			t.Errorf("the same checkpoint again, since the answer was lost: %v", err)
		}
	}
	h := load(t, s, thread)
	same(t, "told twice", h.Checkpoints, newestFirst(line...))
	if err := s.Put(t.Context(), thread, line[0], checkpoint.ID{}); !errors.Is(err, checkpoint.ErrConflict) {
		t.Errorf("one further down again: got %v, want ErrConflict", err)
	}
}

func work(after checkpoint.ID, task, value string) checkpoint.Write {
	cp := Next(nil, nil, "")
	return checkpoint.Write{Checkpoint: after, Task: task, Value: []byte(value), At: cp.At}
}

func testWork(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	line := Grow(t, s, thread, 2)
	noted := []checkpoint.Write{
		work(line[1].ID, "alert: fall %s\n", "alert_1"),
		work(line[1].ID, "model", "\x00\xff{}"),
		work(line[0].ID, "model", ""),
	}
	for _, w := range noted {
		got, err := s.Write(t.Context(), thread, w)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the first result", got, w)
	}
	// Once for each task: a second result is not taken, and the first comes back.
	for _, w := range noted {
		again := w
		again.Value, again.At = []byte("another"), w.At.Add(1e6)
		got, err := s.Write(t.Context(), thread, again)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "a second result", got, w)
	}
	h := load(t, s, thread)
	if len(h.Writes) != len(noted) {
		t.Errorf("noted: got %d, want %d", len(h.Writes), len(noted))
	}
	for _, w := range noted {
		got, ok := h.Done(w.Checkpoint, w.Task)
		if !ok {
			t.Fatalf("task %q is not noted", w.Task)
		}
		same(t, "noted", got, w)
	}
	if _, err := s.Write(t.Context(), thread, work(checkpoint.NewID(), "task", "")); !errors.Is(err, checkpoint.ErrNotFound) {
		t.Errorf("after a checkpoint that is not there: got %v, want ErrNotFound", err)
	}
	if _, err := s.Write(t.Context(), Thread(t), work(line[1].ID, "task", "")); !errors.Is(err, checkpoint.ErrNotFound) {
		t.Errorf("in another thread: got %v, want ErrNotFound", err)
	}
	// The next checkpoint leaves them where they belong.
	next := Next(&line[1], &line[1], "next")
	if err := s.Put(t.Context(), thread, next, line[1].ID); err != nil {
		t.Fatal(err)
	}
	h = load(t, s, thread)
	if _, ok := h.Done(next.ID, "model"); ok {
		t.Error("a task done before a checkpoint counts as done after it")
	}
	if _, ok := h.Done(line[1].ID, "model"); !ok {
		t.Error("a task done before a checkpoint is gone after it")
	}
}

func testRootWork(t *testing.T, s Checkpoints) {
	t.Helper()
	thread := Thread(t)
	w := work(checkpoint.ID{}, "greet", "1")
	for range 2 {
		got, err := s.Write(t.Context(), thread, w)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "result", got, w)
	}
	h := load(t, s, thread)
	if len(h.Checkpoints) != 0 || len(h.Writes) != 1 {
		t.Fatalf("got %d checkpoints and %d results, want 0 and 1", len(h.Checkpoints), len(h.Writes))
	}
	first := Next(nil, nil, "first")
	if err := s.Put(t.Context(), thread, first, checkpoint.ID{}); err != nil {
		t.Fatalf("the first checkpoint after work was noted: %v", err)
	}
	h = load(t, s, thread)
	if got, ok := h.Done(checkpoint.ID{}, "greet"); !ok || string(got.Value) != "1" {
		t.Errorf("after the first checkpoint: got %v and %t", got, ok)
	}
}

func testDelete(t *testing.T, s Checkpoints) {
	t.Helper()
	thread, other := Thread(t), Thread(t)
	line := Grow(t, s, thread, 3)
	kept := Grow(t, s, other, 2)
	if _, err := s.Write(t.Context(), thread, work(line[2].ID, "task", "x")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing
		if err := s.Delete(t.Context(), thread); err != nil {
			t.Fatal(err)
		}
		if h := load(t, s, thread); len(h.Checkpoints) != 0 || len(h.Writes) != 0 {
			t.Fatalf("deleted: got %d checkpoints and %d results", len(h.Checkpoints), len(h.Writes))
		}
	}
	late := Next(&line[2], &line[2], "late")
	if err := s.Put(t.Context(), thread, late, line[2].ID); !errors.Is(err, checkpoint.ErrConflict) {
		t.Errorf("a turn that comes after the deletion: got %v, want ErrConflict", err)
	}
	h := load(t, s, other)
	same(t, "the other thread", h.Checkpoints, newestFirst(kept...))
	begun := Grow(t, s, thread, 2)
	h = load(t, s, thread)
	same(t, "begun again", h.Checkpoints, newestFirst(begun...))
}

func testCopy(t *testing.T, s Checkpoints) {
	t.Helper()
	from, to := Thread(t), Thread(t)
	line := Grow(t, s, from, 3)
	if _, err := s.Write(t.Context(), from, work(line[2].ID, "task", "x")); err != nil {
		t.Fatal(err)
	}
	if err := s.Copy(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	before := load(t, s, from)
	same(t, "copy", load(t, s, to), before)
	same(t, "source", before.Checkpoints, newestFirst(line...))

	next := Next(&line[2], &line[2], "apart")
	if err := s.Put(t.Context(), to, next, line[2].ID); err != nil {
		t.Fatalf("go on in the copy: %v", err)
	}
	same(t, "source after that", load(t, s, from), before)
	if err := s.Delete(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	h := load(t, s, to)
	same(t, "copy after the source is gone", h.Checkpoints, newestFirst(append(line, next)...))

	if err := s.Copy(t.Context(), Thread(t), Thread(t)); !errors.Is(err, checkpoint.ErrNotFound) {
		t.Errorf("copy of nothing: got %v, want ErrNotFound", err)
	}
	taken := Thread(t)
	Grow(t, s, taken, 1)
	if err := s.Copy(t.Context(), to, taken); !errors.Is(err, checkpoint.ErrConflict) {
		t.Errorf("copy onto a thread that exists: got %v, want ErrConflict", err)
	}
}

func testPrune(t *testing.T, s Checkpoints) {
	t.Helper()
	thread, other := Thread(t), Thread(t)
	line := Grow(t, s, thread, 5)
	kept := Grow(t, s, other, 3)
	for _, cp := range line {
		if _, err := s.Write(t.Context(), thread, work(cp.ID, "task", "x")); err != nil {
			t.Fatal(err)
		}
	}
	for _, keep := range []int{9, 5, 3, 1, 1, 0} { // fewer than one leaves one
		if err := s.Prune(t.Context(), thread, keep); err != nil {
			t.Fatal(err)
		}
		n := min(max(keep, 1), 5)
		h := load(t, s, thread)
		same(t, fmt.Sprintf("pruned to %d", keep), h.Checkpoints, newestFirst(line[5-n:]...))
		if len(h.Writes) != n {
			t.Errorf("results after pruning to %d: got %d, want %d", keep, len(h.Writes), n)
		}
	}
	h := load(t, s, other)
	same(t, "the other thread", h.Checkpoints, newestFirst(kept...))
	next := Next(&line[4], &line[4], "on")
	if err := s.Put(t.Context(), thread, next, line[4].ID); err != nil {
		t.Errorf("go on after pruning: %v", err)
	}
	if err := s.Prune(t.Context(), Thread(t), 1); err != nil {
		t.Errorf("prune a thread nobody wrote to: %v", err)
	}
}

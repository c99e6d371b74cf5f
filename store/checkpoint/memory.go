package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
)

// Memory keeps threads in the process, for tests and trials. It may be used
// concurrently.
type Memory struct {
	keep int

	mu      sync.Mutex // guards what follows
	threads map[string]History
	closed  bool
}

// NewMemory returns an empty store that keeps at least so many checkpoints of a
// thread; zero means [DefaultKeep].
func NewMemory(keep int) *Memory {
	return &Memory{keep: orDefault(keep, DefaultKeep), threads: make(map[string]History)}
}

// Load returns what there is of a thread.
func (m *Memory) Load(ctx context.Context, thread string) (History, error) {
	var h History
	err := m.do(ctx, "load thread", thread, func() error {
		there := m.threads[thread]
		h = there.clone()
		return nil
	})
	return h, err
}

// Put adds a checkpoint after head, or returns [ErrConflict].
func (m *Memory) Put(ctx context.Context, thread string, cp Checkpoint, head ID) error {
	if err := cp.check(); err != nil {
		return fmt.Errorf("put checkpoint of %q: %w", thread, err)
	}
	return m.do(ctx, "put checkpoint of", thread, func() error {
		h := m.threads[thread]
		last, _ := h.Head()
		switch {
		case last.ID == cp.ID:
			return nil // told twice
		case last.ID != head || last.Rev >= cp.Rev:
			return ErrConflict
		}
		h.push(cp.clone(), m.keep)
		m.threads[thread] = h
		return nil
	})
}

// Write notes a task's result and returns the one that counts: the first.
func (m *Memory) Write(ctx context.Context, thread string, w Write) (Write, error) {
	if err := checkWrite(&w); err != nil {
		return Write{}, fmt.Errorf("note work of %q: %w", thread, err)
	}
	err := m.do(ctx, "note work of", thread, func() error {
		h := m.threads[thread]
		if have, ok := h.Done(w.Checkpoint, w.Task); ok {
			w = have.clone()
			return nil
		}
		if _, ok := h.Find(w.Checkpoint); !ok && w.Checkpoint.Known() {
			return ErrNotFound
		}
		h.Writes = append(h.Writes, w.clone())
		m.threads[thread] = h
		return nil
	})
	return w, err
}

// Get returns one checkpoint, the newest for the zero id, or [ErrNotFound].
func (m *Memory) Get(ctx context.Context, thread string, id ID) (Checkpoint, error) {
	return get(ctx, m, thread, id)
}

// List returns the checkpoints that q asks for, newest first.
func (m *Memory) List(ctx context.Context, thread string, q Query) ([]Checkpoint, error) {
	return list(ctx, m, thread, q)
}

// Copy copies a thread to one that does not exist, or returns [ErrConflict].
func (m *Memory) Copy(ctx context.Context, from, to string) error {
	if err := checkThread(to); err != nil {
		return fmt.Errorf("copy %q: %w", from, err)
	}
	return m.do(ctx, "copy", from, func() error {
		h, ok := m.threads[from]
		if !ok {
			return ErrNotFound
		}
		if _, taken := m.threads[to]; taken {
			return ErrConflict
		}
		m.threads[to] = h.clone()
		return nil
	})
}

// Prune leaves the newest checkpoints of a thread, at least one.
func (m *Memory) Prune(ctx context.Context, thread string, keep int) error {
	return m.do(ctx, "prune", thread, func() error {
		if h, ok := m.threads[thread]; ok {
			h.prune(max(keep, 1), ID{})
			m.threads[thread] = h
		}
		return nil
	})
}

// Delete forgets a thread. One that is not there is fine.
func (m *Memory) Delete(ctx context.Context, thread string) error {
	return m.do(ctx, "delete", thread, func() error {
		delete(m.threads, thread)
		return nil
	})
}

// Close makes the store answer [ErrClosed].
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// do runs f under the lock.
func (m *Memory) do(ctx context.Context, what, thread string, f func() error) error {
	err := checkThread(thread)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if err = ErrClosed; !m.closed {
			err = f()
		}
	}
	if err != nil {
		return fmt.Errorf("%s %q: %w", what, thread, err)
	}
	return nil
}

// clone copies what others could change.
func (h *History) clone() History {
	c := History{Checkpoints: slices.Clone(h.Checkpoints), Writes: slices.Clone(h.Writes)}
	for i := range c.Checkpoints {
		c.Checkpoints[i] = c.Checkpoints[i].clone()
	}
	for i := range c.Writes {
		c.Writes[i] = c.Writes[i].clone()
	}
	return c
}

func (cp *Checkpoint) clone() Checkpoint {
	c := *cp
	c.State, c.Outcome = bytes.Clone(cp.State), bytes.Clone(cp.Outcome)
	return c
}

func (w Write) clone() Write {
	w.Value = bytes.Clone(w.Value)
	return w
}

package checkpoint

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// Memory keeps threads in the process, for tests and trials. It may be used concurrently.
type Memory struct {
	keep int

	mu      sync.Mutex // guards threads
	threads map[string]stored
}

// NewMemory returns an empty store that keeps at least keep checkpoints of a thread; zero
// means [DefaultKeep].
func NewMemory(keep int) *Memory {
	return &Memory{keep: cmp.Or(keep, DefaultKeep), threads: make(map[string]stored)}
}

// Load returns the history of a thread.
func (m *Memory) Load(ctx context.Context, thread string) (h History, err error) {
	if err = checkCall(ctx, thread); err == nil {
		m.mu.Lock()
		s := m.threads[thread]
		m.mu.Unlock()
		h, err = s.history()
	}
	if err != nil {
		return History{}, fmt.Errorf("load thread %q: %w", thread, err)
	}
	return h, nil
}

// Put adds a checkpoint to the thread that was loaded as h. It returns [ErrConflict] if the
// thread has changed since.
func (m *Memory) Put(ctx context.Context, thread string, h History, cp Checkpoint) error {
	err := checkCall(ctx, thread)
	var next stored
	if err == nil {
		next, err = h.with(cp, m.keep)
	}
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if old := m.threads[thread]; old.rev > h.rev && old.head != next.head {
			err = ErrConflict
		} else {
			m.threads[thread] = next
		}
	}
	if err != nil {
		return fmt.Errorf("put checkpoint of %q: %w", thread, err)
	}
	return nil
}

// Delete deletes a thread. It is a no-op if there is none.
func (m *Memory) Delete(ctx context.Context, thread string) error {
	if err := checkCall(ctx, thread); err != nil {
		return fmt.Errorf("delete thread %q: %w", thread, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.threads[thread] = stored{rev: nextRev(m.threads[thread].rev, time.Now())}
	return nil
}

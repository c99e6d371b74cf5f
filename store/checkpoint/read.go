package checkpoint

import (
	"context"
	"fmt"
	"time"
)

const (
	// DefaultKeep is how many checkpoints of a thread are kept: a replaced turn
	// goes back one, and a repeated one is rarely further behind than a few.
	DefaultKeep = 6
	// DefaultTTL is how long a thread is kept after its last write. A check can
	// be resumed for half a day; the rest is for an aftermath that was held up.
	DefaultTTL = 7 * 24 * time.Hour
)

// loader is what the reading verbs need of a store.
type loader interface {
	Load(ctx context.Context, thread string) (History, error)
}

func get(ctx context.Context, from loader, thread string, id ID) (Checkpoint, error) {
	h, err := from.Load(ctx, thread)
	if err != nil {
		return Checkpoint{}, err
	}
	cp, ok := h.Find(id)
	if !id.Known() {
		cp, ok = h.Head()
	}
	if !ok {
		return Checkpoint{}, fmt.Errorf("get checkpoint %s of %q: %w", id, thread, ErrNotFound)
	}
	return cp, nil
}

func list(ctx context.Context, from loader, thread string, q Query) ([]Checkpoint, error) {
	h, err := from.Load(ctx, thread)
	if err != nil {
		return nil, err
	}
	found, err := h.Select(q)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints of %q before %s: %w", thread, q.Before, err)
	}
	return found, nil
}

func orDefault[T comparable](v, byDefault T) T {
	var zero T
	if v == zero {
		return byDefault
	}
	return v
}

package telephony

import (
	"context"
	"fmt"
	"sync"
)

// keyed is a set of locks by name. The zero value is ready to use.
type keyed struct {
	mu   sync.Mutex // guards held
	held map[string]chan struct{}
}

// lock waits until key is free, takes it, and returns the function that releases it. It fails when
// ctx ends.
func (k *keyed) lock(ctx context.Context, key string) (unlock func(), err error) {
	for {
		k.mu.Lock()
		other, taken := k.held[key]
		if !taken {
			mine := make(chan struct{})
			if k.held == nil {
				k.held = make(map[string]chan struct{})
			}
			k.held[key] = mine
			k.mu.Unlock()
			return func() {
				k.mu.Lock()
				delete(k.held, key)
				k.mu.Unlock()
				close(mine)
			}, nil
		}
		k.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for another dial: %w", ctx.Err())
		}
	}
}

package chat

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/survive"
)

const (
	// tasksAtOnce bounds the background work that runs at a time: a local model server does little
	// at once, and replies have priority.
	tasksAtOnce = 4
	// tasksWaiting bounds the background work that waits or runs. What is dropped is done after
	// another turn of the session, or by [Channel.CatchUp].
	tasksWaiting = 256
	// taskTime bounds one task: a summary by a slow model.
	taskTime = 2 * time.Minute
)

// tasks runs background work.
type tasks struct {
	log   *slog.Logger
	slots chan struct{}
	// life ends when close has waited long enough.
	life context.Context
	end  context.CancelFunc
	wg   sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	waiting int
	closed  bool
}

func newTasks(log *slog.Logger) *tasks {
	t := &tasks{log: log, slots: make(chan struct{}, tasksAtOnce)}
	t.life, t.end = context.WithCancel(context.Background())
	return t
}

// do calls it in the background, unless too much waits or t is closed. An error is logged.
func (t *tasks) do(what string, session uuid.UUID, it func(ctx context.Context) error) {
	log := t.log.With("task", what, "session_id", session)
	if !t.enter() {
		log.WarnContext(t.life, "background work left out: too much waits, or the process stops")
		return
	}
	t.wg.Go(func() {
		defer t.leave()
		select {
		case t.slots <- struct{}{}:
			defer func() { <-t.slots }()
		case <-t.life.Done():
			return
		}
		ctx, cancel := context.WithTimeout(t.life, taskTime)
		defer cancel()
		if err := survive.Try(log, "chat_"+what, func() error { return it(ctx) }); err != nil {
			log.WarnContext(ctx, "background work failed", "err", err)
		}
	})
}

func (t *tasks) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.waiting >= tasksWaiting {
		return false
	}
	t.waiting++
	return true
}

func (t *tasks) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting--
}

// close accepts no more work and waits for the rest, until ctx ends; then it cuts that off. It may
// be called twice.
func (t *tasks) close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	left := t.waiting
	t.mu.Unlock()
	done := make(chan struct{})
	go func() { t.wg.Wait(); close(done) }()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = fmt.Errorf("work behind %d chats was cut off: %w", left, ctx.Err())
	}
	t.end()
	<-done // each task ends when life does
	return err
}

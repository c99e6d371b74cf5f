package chat

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

func TestTasks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ts := newTasks(slog.New(slog.DiscardHandler))
		done := 0
		ts.do("panic", uuid.Nil, func(context.Context) error { panic("oh") })
		ts.do("fail", uuid.Nil, func(context.Context) error { return errors.New("no") })
		ts.do("work", uuid.Nil, func(context.Context) error { time.Sleep(time.Second); done++; return nil }) //nolint:forbidigo // time stands still here
		if err := ts.close(t.Context()); err != nil || done != 1 {
			t.Errorf("close did not wait: %v, %d", err, done)
		}
		ts.do("late", uuid.Nil, func(context.Context) error { done++; return nil })
		if err := ts.close(t.Context()); err != nil || done != 1 {
			t.Errorf("work was taken after the end: %v, %d", err, done)
		}
	})
}

func TestTasksAreCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ts := newTasks(slog.New(slog.DiscardHandler))
		for range tasksAtOnce + 3 {
			ts.do("forever", uuid.Nil, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := ts.close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("close = %v", err)
		}
	})
}

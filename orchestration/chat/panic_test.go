package chat

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/survive/survivetest"
)

// A panic in what is done behind replies ends that piece of work alone.
func TestPanicBehindReplies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, expect := survivetest.Watch(t, "chat_panicking")
		tasks, done := newTasks(log), 0
		for range 2 {
			tasks.do("panicking", uuid.Nil, func(context.Context) error { panic("oh") })
		}
		tasks.do("work", uuid.Nil, func(context.Context) error { done++; return nil })
		if err := tasks.close(t.Context()); err != nil {
			t.Error(err)
		}
		if done != 1 {
			t.Errorf("%d pieces of work came to their end, want 1", done)
		}
		expect(2)
	})
}

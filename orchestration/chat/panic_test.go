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
	for _, tt := range []struct {
		part string
		// work has two pieces of work panic and one come to its end.
		work func(t *testing.T, s *Server) (done int)
	}{
		{"chat_panicking", func(t *testing.T, s *Server) (done int) {
			t.Helper()
			for range 2 {
				s.tasks.do("panicking", uuid.Nil, func(context.Context) error { panic("oh") })
			}
			s.tasks.do("work", uuid.Nil, func(context.Context) error { done++; return nil })
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
			return done
		}},
		{"catch_up", func(t *testing.T, s *Server) int {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), 3*catchUpEvery/2)
			defer cancel()
			s.Run(ctx) // it has no store
			return 1
		}},
	} {
		t.Run(tt.part, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				log, expect := survivetest.Watch(t, tt.part)
				s := &Server{log: log, tasks: newTasks(log)}
				s.cfg.Memory = &bigMouth{}
				if done := tt.work(t, s); done != 1 {
					t.Errorf("%d pieces of work came to their end, want 1", done)
				}
				expect(2)
			})
		})
	}
}

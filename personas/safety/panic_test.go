package safety

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/survive/survivetest"
)

// A panic in marking a call is a failure of that try.
func TestPanicInMarkingIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, expect := survivetest.Watch(t, "safety")
		w := &Rules{log: log, closing: make(chan struct{})}
		w.cfg.Retry = time.Millisecond
		tries := 0
		w.keep(t.Context(), "danger", store.NewCallID(), func(context.Context) error {
			if tries++; tries < 3 {
				panic("in marking")
			}
			return nil
		})
		w.work.Wait()
		w.Close()
		if tries != 3 {
			t.Errorf("tried %d times, want 3", tries)
		}
		expect(2)
	})
}

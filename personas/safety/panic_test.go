package safety

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/survive/survivetest"
)

// panics is a store that panics twice.
type panics struct {
	nowhere

	tries int
}

func (p *panics) MarkDanger(context.Context, store.CallID, string, time.Time) error {
	if p.tries++; p.tries < 3 {
		panic("in marking")
	}
	return nil
}

// A panic in marking a call is a failure of that try.
func TestPanicInMarkingIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, expect := survivetest.Watch(t, "safety")
		st := new(panics)
		w, err := New(Config{Store: st, Retry: time.Millisecond, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		w.keep(t.Context(), record{Call: store.NewCallID(), Danger: "fall"})
		w.work.Wait()
		w.Close()
		if st.tries != 3 {
			t.Errorf("tried %d times, want 3", st.tries)
		}
		expect(2)
	})
}

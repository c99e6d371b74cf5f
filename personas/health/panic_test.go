package health_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/store/survive/survivetest"
)

// panicking is a store that panics where earlier checks are asked for.
type panicking struct {
	health.Store
	in string
}

func (p panicking) HealthPast(ctx context.Context, id store.PersonID, call store.CallID, since, broken time.Time) checks.Past {
	if p.in == "past" {
		panic("in the past")
	}
	was := p.Store.HealthPast(ctx, id, call, since, broken)
	was.Unfinished = true
	return was
}

func (p panicking) UnfinishedHealthCheck(context.Context, store.PersonID, time.Time) (checks.Check, bool, error) {
	panic("in the check that was broken off")
}

// A check begins without what panics when earlier checks are looked at.
func TestPanicInLookingBack(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"past", "broken off"} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			st := storetest.New(t)
			s := newStage(t, st, nil)
			log, expect := survivetest.Watch(t, "look_back")
			s.config.Log, s.config.Store = log, panicking{st, in}
			s.call()
			s.says("Yes")
			s.says("Seven")
			s.finish()
			expect(1)
			if got := s.results(); !strings.Contains(got, "energy: answered 7") {
				t.Errorf("the answer is lost:\n%s", got)
			}
		})
	}
}

package health_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/store/survive/survivetest"
)

// panicking is a store that panics where earlier checks are asked for.
type panicking struct {
	health.Store
	in string
}

func (p panicking) at(what string) {
	if p.in == what {
		panic("in " + what)
	}
}

func (p panicking) Call(ctx context.Context, id store.CallID) (calls.Call, error) {
	p.at("call")
	return p.Store.Call(ctx, id)
}

func (p panicking) HealthHistory(ctx context.Context, id store.PersonID, since time.Time) ([]checks.Point, error) {
	p.at("history")
	return p.Store.HealthHistory(ctx, id, since)
}

func (p panicking) HealthScreens(ctx context.Context, id store.PersonID) ([]checks.Screen, error) {
	p.at("screens")
	return p.Store.HealthScreens(ctx, id)
}

func (p panicking) HealthAsked(ctx context.Context, id store.PersonID) (map[string]time.Time, error) {
	p.at("asked")
	return p.Store.HealthAsked(ctx, id)
}

func (p panicking) LastHealthCall(ctx context.Context, id store.PersonID, before store.CallID, since time.Time) (calls.Call, bool, error) {
	p.at("last call")
	return p.Store.LastHealthCall(ctx, id, before, since)
}

// A check begins without what panics when earlier checks are looked at.
func TestPanicInLookingBack(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"call", "history", "screens", "asked", "last call"} {
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

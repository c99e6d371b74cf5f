package app

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/survive/survivetest"
)

// What panics while an opening is prepared is missing there, and that is all.
func TestPanicBesideAnOpening(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	ada := a.remembered(t, people.Person{Conditions: []string{"arthritis"}, Notes: "She grows roses."})
	open := func(change func(*openings)) func(*testing.T, *slog.Logger) {
		return func(t *testing.T, log *slog.Logger) {
			t.Helper()
			r := *a.recall
			r.log = log
			o := &openings{recall: &r, learner: a.learner, store: a.store, facts: a.openings.facts, warm: a.warm}
			change(o)
			defer o.Close()
			if _, err := o.Recollect(t.Context(), calls.Call{}, ada); err != nil {
				t.Error(err)
			}
		}
	}
	for _, tt := range []struct {
		part string
		do   func(*testing.T, *slog.Logger)
	}{
		{"warm", open(func(o *openings) { o.warm = func(context.Context, store.PersonID) { panic("cold") } })},
		{"recollect", open(func(o *openings) { o.learner = nil })},
	} {
		t.Run(tt.part, func(t *testing.T) {
			t.Parallel()
			log, expect := survivetest.Watch(t, tt.part)
			for n := range 2 {
				tt.do(t, log)
				expect(n + 1)
			}
		})
	}
}

// What the process does now and then is done again after a panic.
func TestPanicInTheBackground(t *testing.T) {
	t.Parallel()
	for name, counted := range map[string]string{
		"index": "index", "reconcile": "reconcile", "lately": "lately", "catch up": "catch_up", // there is nothing that they could do it with
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				log, expect := survivetest.Watch(t, counted)
				a := &App{log: log, indexLost: prometheus.NewCounter(prometheus.CounterOpts{Name: "lost"})}
				parts := a.list()
				p := parts[slices.IndexFunc(parts, func(p *part) bool { return p.name == name })]
				if err := p.start(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(3*time.Minute - time.Second) //nolint:forbidigo // fake time, in a synctest bubble
				if err := p.stop(t.Context()); err != nil {
					t.Error(err)
				}
				expect(2)
			})
		})
	}
}

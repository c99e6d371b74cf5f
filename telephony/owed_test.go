package telephony

import (
	"errors"
	"testing"

	"github.com/naiber/naiber/store/calls"
)

// An ending that could not be recorded is not lost: whatever settles the call later
// records it, and the work that it asks for.
func TestEndingIsOwedUntilItIsRecorded(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123"))
	h.conversed(c, "Hello?")
	h.post.fails(errors.New("the database is away"))
	if err := h.finish(t.Context(), c.ID, endingOf(calls.CauseTrouble, "", 3)); err == nil {
		t.Fatal("the ending was recorded")
	}
	h.post.fails(nil)
	h.carrier.set(c.SID, "completed")
	if err := h.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.ended(c.ID, &calls.Ending{Outcome: calls.OutcomeReached, Cause: calls.CauseTrouble, By: byNaiber})
	if n := h.post.count(); n != 1 {
		t.Errorf("%d × work after the call", n)
	}
}

func (p *postCalls) fails(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

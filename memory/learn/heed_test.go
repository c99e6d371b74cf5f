package learn

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// limits are the rules and topics of the house's person.
func (h *house) limits(t *testing.T) []string {
	t.Helper()
	return h.column(t, "select rule || ' ' || topic from memory_limits where person_id = $1 order by 1", h.who.ID.UUID)
}

// What somebody does not want raised holds from the turn that asks for it, and the
// work after the call hears nothing new in the same words.
func TestHeed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	learnt := 0
	h.cfg.Learnt = func(store.PersonID) { learnt++ }
	said := []string{
		"I grow roses.", "Don't mention my brother's wife.", "I'd rather not talk about money or my hip today.", "You can talk about my garden again.",
		"Don't bring that up again.",
	}
	c := h.call(t, tuesday, said...)
	// The second line was heard in three goes.
	for _, words := range slices.Insert(slices.Clone(said), 1, "Don't mention my", "Don't mention my brother") {
		for range 2 {
			if err := h.Heed(t.Context(), c, words, tuesday); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []string{"cool_down hip", "cool_down money", "never_raise brother", "never_raise brother's wife"}
	if diff := cmp.Diff(want, h.limits(t)); diff != "" || learnt == 0 {
		t.Errorf("heeded in the call: %s\nthe copies are told %d times", diff, learnt)
	}
	ids := "select id::text from memory_limits where topic <> 'brother' order by id"
	before := h.column(t, ids)
	h.learn(t, c)
	h.learn(t, c)
	if diff := cmp.Diff(slices.Delete(slices.Clone(want), 2, 3), h.limits(t)); diff != "" || !slices.Equal(before, h.column(t, ids)) {
		t.Errorf("after the call: %s", diff)
	}
}

func TestHeedWithoutConsent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.call(t, tuesday)
	if _, err := h.st.RevokeConsent(t.Context(), h.who.ID, people.ScopeMemory, "Margaret", "by telephone"); err != nil {
		t.Fatal(err)
	}
	if err := h.Heed(t.Context(), c, "Don't mention my brother.", tuesday); err != nil || len(h.limits(t)) > 0 {
		t.Errorf("kept %q, %v", h.limits(t), err)
	}
	if err := h.Heed(t.Context(), calls.Call{}, "Don't mention my brother.", tuesday); err != nil {
		t.Errorf("of nobody: %v", err)
	}
}

// What is written holds at once as well. Words that ask for something never to be
// kept are kept until they were read: what was told before goes then.
func TestHeedWriting(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.learn(t, h.call(t, tuesday, "My brother called."))
	s := h.session(t)
	said := []string{"Don't mention my hip.", "Please don't remember anything about my brother."}
	for _, words := range said {
		if err := h.HeedWriting(t.Context(), h.who.ID, s.id, words, s.now); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"never_raise brother", "never_raise hip"}, h.limits(t)); diff != "" {
		t.Errorf("heeded: %s", diff)
	}
	s.now = tuesday.AddDate(0, 0, 1)
	s.learn(t, s.write(t, said...))
	if diff := cmp.Diff([]string{"never_raise brother", "never_raise hip", "never_store brother"}, h.limits(t)); diff != "" {
		t.Errorf("learned: %s", diff)
	}
	left, err := h.svc.List(t.Context(), memory.Scope{Person: h.who.ID}, memory.Turn{}, 10)
	if err != nil || len(left) != 1 || left[0].Text != said[0] {
		t.Errorf("left: %+v, %v", left, err)
	}
}

package evaluation

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/store/memories"
)

// floors are what a search of ten turns must find, a little below what it does:
// see docs/benchmarks.md. Most of what is missed shares no word with its question.
var floors = map[Kind]float64{Single: 0.76, Several: 0.72, When: 0.85, Changed: 0.95, Dependent: 0.92}

const floor = 0.82

// settings are the defaults for k turns, with the weights of one variant.
func settings(k int, keyword, vector float64) search.Settings {
	set := search.DefaultSettings()
	set.Limit, set.KeywordWeight, set.VectorWeight = k, keyword*set.KeywordWeight, vector*set.VectorWeight
	return set
}

func TestRecall(t *testing.T) {
	t.Parallel()
	h := newHome(t, load(t), embedder(t), how{facts: true, names: true})
	all := h.ask(t, settings(10, 1, 1), func(e Elder, in memory.Scope, q Question, r Result, found search.Found) {
		if r.Leaked {
			t.Errorf("%s: %q found what was to be forgotten", e.CallName, q.Text)
		}
		if q.Kind == Changed {
			h.noneClosed(t, e, in, q, found)
		}
		checkMarked(t, e, in, q, found)
		if len(r.Missed) > 0 {
			t.Logf("%s, %s: %q misses %v", e.CallName, q.Kind, q.Text, r.Missed)
		}
	})
	for k, want := range floors {
		if got := all.Recall(k); got < want {
			t.Errorf("recall@10 of kind %s is %.3f, want %.2f", k, got, want)
		}
	}
	if got := all.Recall(); got < floor {
		t.Errorf("recall@10 is %.3f, want %.2f", got, floor)
	}
	h.checkKnown(t)
}

// hopsFloor is what words must find of ten turns that lie two or three relations away.
const hopsFloor = 0.77

func TestRecallOverRelations(t *testing.T) {
	t.Parallel()
	h := newHome(t, loadFrom(t, "hops"), embedder(t), how{names: true})
	if got := h.ask(t, settings(10, 1, 0), nil).Recall(); got < hopsFloor {
		t.Errorf("recall@10 is %.3f, want %.2f", got, hopsFloor)
	}
}

// noneClosed says that what is given out as a fact with the turns that were
// found is still true.
func (h *home) noneClosed(t *testing.T, e Elder, in memory.Scope, q Question, found search.Found) {
	t.Helper()
	var turns []uuid.UUID
	for _, hit := range found.Hits {
		turns = append(turns, hit.ID)
	}
	facts, err := h.st.MemoryFactsFrom(t.Context(), nil, in.Person, turns)
	if err != nil {
		t.Fatal(err)
	}
	closed := closedFacts(e, in)
	for _, f := range facts {
		if slices.Contains(closed, f.ID) {
			t.Errorf("%s: %q is answered with %q, which was true once", e.CallName, q.Text, f.Text)
		}
	}
}

// checkMarked says that what is recalled of what was true once, or answers as it
// was before, is marked as such.
func checkMarked(t *testing.T, e Elder, in memory.Scope, q Question, found search.Found) {
	t.Helper()
	ids, holds, over := e.Tagged(in), map[uuid.UUID]bool{}, map[uuid.UUID]bool{}
	for _, f := range e.Facts {
		for _, tag := range f.From {
			if f.ClosedBy == "" {
				holds[ids[tag]] = true
			} else {
				over[ids[tag]] = true
			}
		}
	}
	for _, tag := range q.Old {
		over[ids[tag]] = true
	}
	for _, hit := range found.Hits {
		if over[hit.ID] && !holds[hit.ID] && hit.Outdated == nil {
			t.Errorf("%s: %q is answered with %q, which was true once, as if it were so", e.CallName, q.Text, hit.Text)
		}
	}
}

func closedFacts(e Elder, in memory.Scope) []uuid.UUID {
	var ids []uuid.UUID
	for _, f := range e.Facts {
		if f.ClosedBy != "" {
			ids = append(ids, factID(in, f.ID))
		}
	}
	return ids
}

// checkKnown holds what is known of everybody to what is true when the questions
// are asked, and to a doubt where something that a fact depends on has changed.
func (h *home) checkKnown(t *testing.T) {
	t.Helper()
	for i, e := range h.elders {
		in := h.people[i]
		known, err := h.st.KnownMemoryFacts(t.Context(), in.Person, e.Asked, 100, memories.DefaultTextConfig, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(known) != len(e.Facts)-len(closedFacts(e, in)) {
			t.Errorf("%s: %d facts are known, of %d with %d closed", e.Name, len(known), len(e.Facts), len(closedFacts(e, in)))
		}
		for _, f := range known {
			if slices.Contains(closedFacts(e, in), f.ID) {
				t.Errorf("%s: %q is given out as true", e.Name, f.Text)
			}
			if f.Stale != h.doubtful(e, in, f) {
				t.Errorf("%s: %q is stale: %t", e.Name, f.Text, f.Stale)
			}
		}
	}
}

func (h *home) doubtful(e Elder, in memory.Scope, known memories.Fact) bool {
	for _, f := range e.Facts {
		if factID(in, f.ID) == known.ID && f.DependsOn != "" {
			return slices.Contains(closedFacts(e, in), factID(in, f.DependsOn))
		}
	}
	return false
}

package vectors_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
)

// isolationSteps is how many random changes the property is tried over; each is
// followed by searches of random scopes.
const isolationSteps = 120

// world is what ought to be there, beside random owners to choose from.
type world struct {
	rng                       *rand.Rand
	people, sessions, project []uuid.UUID
	points                    map[uuid.UUID]vectors.Point
}

// testIsolation changes the store at random and holds after each change that
// searches of random scopes find exactly what they ought to: nothing from
// outside the scope, of another model or kind, or deleted, and nothing less.
func testIsolation(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	w := world{
		rng:    rand.New(rand.NewPCG(seed, 1)),
		points: map[uuid.UUID]vectors.Point{},
	}
	for range 4 {
		w.people = append(w.people, s.Person())
		w.sessions = append(w.sessions, uuid.New())
		w.project = append(w.project, uuid.New())
	}
	for step := range isolationSteps {
		st := []vectors.Store{s.Store, s.Other}[w.rng.IntN(2)]
		if err := w.change(t, st); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		for range 2 {
			st := []vectors.Store{s.Store, s.Other}[w.rng.IntN(2)]
			if err := w.look(t, st); err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
		}
	}
}

func (w *world) change(t *testing.T, st vectors.Store) error {
	t.Helper()
	switch n := w.rng.IntN(20); {
	case n == 0:
		scope := w.scope()
		for id, p := range w.points {
			if scope.Covers(p.Scope) {
				delete(w.points, id)
			}
		}
		return st.DeleteScope(t.Context(), scope)
	case n < 4:
		ids := w.some(w.rng.IntN(4))
		for _, id := range ids {
			delete(w.points, id)
		}
		return st.Delete(t.Context(), ids...)
	default:
		var fresh []vectors.Point
		for range 1 + w.rng.IntN(6) {
			fresh = append(fresh, w.point(uuid.New()))
		}
		for _, id := range w.some(w.rng.IntN(3)) { // again, perhaps elsewhere
			fresh = append(fresh, w.point(id))
		}
		for _, p := range fresh {
			w.points[p.ID] = p
		}
		return st.Upsert(t.Context(), fresh)
	}
}

func (w *world) look(t *testing.T, st vectors.Store) error {
	t.Helper()
	q := vectors.Query{Vector: w.vector(), Scope: w.scope(), Model: w.model(), Limit: 1 + w.rng.IntN(12)}
	if w.rng.IntN(2) == 0 {
		q.Kinds = []string{w.kind()}
	}
	hits, err := st.Search(t.Context(), q)
	if err != nil {
		return err
	}
	want := w.scores(q)
	if len(hits) != min(len(want), q.Limit) {
		return fmt.Errorf("search of %+v found %d of %d with a limit of %d", q.Scope, len(hits), len(want), q.Limit)
	}
	for i, h := range hits {
		p, there := w.points[h.ID]
		if !there || !q.Scope.Covers(p.Scope) || p.Model != q.Model || (q.Kinds != nil && !slices.Contains(q.Kinds, p.Kind)) {
			return fmt.Errorf("search of %+v, %q, %v crossed to %+v (there: %v)", q.Scope, q.Model, q.Kinds, p, there)
		}
		if math.Abs(float64(h.Score)-want[i]) > 1e-4 || math.Abs(float64(h.Score)-angle(q.Vector, p.Vector)) > 1e-4 {
			return fmt.Errorf("hit %d has the score %f, want %f", i, h.Score, want[i])
		}
	}
	n, err := st.Count(t.Context(), q.Scope, q.Model)
	q.Kinds = nil
	if all := len(w.scores(q)); err == nil && n != all {
		return fmt.Errorf("count of %+v is %d, want %d", q.Scope, n, all)
	}
	return err
}

// scores are those of all that a search may find, best first.
func (w *world) scores(q vectors.Query) []float64 {
	var out []float64
	for _, p := range w.points {
		if q.Scope.Covers(p.Scope) && p.Model == q.Model && (q.Kinds == nil || slices.Contains(q.Kinds, p.Kind)) {
			out = append(out, angle(q.Vector, p.Vector))
		}
	}
	slices.SortFunc(out, func(a, b float64) int { return cmp.Compare(b, a) })
	return out
}

func (w *world) point(id uuid.UUID) vectors.Point {
	return vectors.Point{ID: id, Vector: w.vector(), Scope: w.scope(), Kind: w.kind(), Model: w.model(), At: when}
}

func (w *world) vector() []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(w.rng.NormFloat64())
	}
	return v
}

// scope has one to three owners, out of few, so that scopes meet.
func (w *world) scope() vectors.Scope {
	for {
		var s vectors.Scope
		if w.rng.IntN(3) > 0 {
			s.Person = w.people[w.rng.IntN(len(w.people))]
		}
		if w.rng.IntN(3) == 0 {
			s.Session = w.sessions[w.rng.IntN(len(w.sessions))]
		}
		if w.rng.IntN(3) == 0 {
			s.Project = w.project[w.rng.IntN(len(w.project))]
		}
		if !s.Empty() {
			return s
		}
	}
}

func (w *world) kind() string  { return []string{"window", "fact", "entity"}[w.rng.IntN(3)] }
func (w *world) model() string { return []string{model, "small@2"}[w.rng.IntN(2)] }

// some returns up to n ids of points that are there.
func (w *world) some(n int) []uuid.UUID {
	var ids []uuid.UUID
	for id := range w.points {
		if len(ids) >= n {
			break
		}
		ids = append(ids, id)
	}
	return ids
}

func angle(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

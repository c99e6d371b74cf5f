package vectors_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
)

// Subject is an implementation of [vectors.Store] under test, empty and not yet set up.
type Subject struct {
	Store vectors.Store
	// Other is what another process would have: it keeps the same vectors.
	Other vectors.Store
	// Person returns the id of a fresh person who may own vectors.
	Person func() uuid.UUID
}

// dims is small, so that a vector can be read in a failure.
const dims = 8

// model made the vectors of most tests.
const model = "small@1"

var when = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)

// testStore holds an implementation to the contract. open is called once for
// each test, and cleans up after it.
func testStore(t *testing.T, open func(t *testing.T) Subject) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Subject){
		"closest first": testClosestFirst, "written again": testWrittenAgain, "union of owners": testUnion,
		"models and kinds": testModelsAndKinds, "refusals": testRefusals, "deletion": testDeletion,
		"before ensure": testBeforeEnsure, "ensure again": testEnsureAgain, "another process": testAnotherProcess,
		"many": testMany, "cancelled": testCancelled, "closed": testClosed, "lengths": testLengths,
		"isolation": testIsolation, "at the same time": testConcurrent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// ready is a subject with Ensure done.
func ready(t *testing.T, s Subject) {
	t.Helper()
	for _, st := range []vectors.Store{s.Store, s.Other} {
		if err := st.Ensure(t.Context(), dims); err != nil {
			t.Fatalf("ensure: %v", err)
		}
	}
}

// towards is a vector at an angle, in degrees, from the first axis: its cosine
// with towards(0) is known.
func towards(degrees float64) []float32 {
	v := make([]float32, dims)
	v[0], v[1] = float32(math.Cos(degrees*math.Pi/180)), float32(math.Sin(degrees*math.Pi/180))
	return v
}

func at(scope vectors.Scope, degrees float64) vectors.Point {
	return vectors.Point{ID: uuid.New(), Vector: towards(degrees), Scope: scope, Kind: "window", Model: model, At: when}
}

func upsert(t *testing.T, st vectors.Store, points ...vectors.Point) {
	t.Helper()
	if err := st.Upsert(t.Context(), points); err != nil {
		t.Fatalf("upsert: %v", err)
	}
}

// expect searches and compares ids and, roughly, scores.
func expect(t *testing.T, st vectors.Store, q vectors.Query, want ...vectors.Hit) {
	t.Helper()
	if q.Vector == nil {
		q.Vector = towards(0)
	}
	if q.Model == "" {
		q.Model = model
	}
	if q.Limit == 0 {
		q.Limit = 10
	}
	got, err := st.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-4), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("search of %+v (-want +got):\n%s", q.Scope, diff)
	}
}

func hit(p vectors.Point, degrees float64) vectors.Hit {
	return vectors.Hit{ID: p.ID, Score: float32(math.Cos(degrees * math.Pi / 180))}
}

// count checks how many points a scope has, by both ways of asking.
func count(t *testing.T, st vectors.Store, s vectors.Scope, want int) {
	t.Helper()
	n, err := st.Count(t.Context(), s, "")
	if err != nil || n != want {
		t.Errorf("count of %+v = %d, %v, want %d", s, n, err, want)
	}
	ids, err := st.IDs(t.Context(), s)
	if err != nil || len(ids) != want {
		t.Errorf("ids of %+v are %d, %v, want %d", s, len(ids), err, want)
	}
}

func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func testClosestFirst(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	scope := vectors.Scope{Person: s.Person()}
	far, near, opposite, middle := at(scope, 80), at(scope, 10), at(scope, 180), at(scope, 45)
	upsert(t, s.Store, far, near, opposite, middle)
	expect(t, s.Store, vectors.Query{Scope: scope}, hit(near, 10), hit(middle, 45), hit(far, 80), hit(opposite, 180))
	expect(t, s.Store, vectors.Query{Scope: scope, Limit: 2}, hit(near, 10), hit(middle, 45))
	expect(t, s.Store, vectors.Query{Scope: vectors.Scope{Person: s.Person()}})
}

// testLengths holds that only direction counts, of points and of queries.
func testLengths(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	scope := vectors.Scope{Person: s.Person()}
	for _, scale := range []float32{1e-12, 0.5, 1e12} {
		p := at(scope, 60)
		for i := range p.Vector {
			p.Vector[i] *= scale
		}
		upsert(t, s.Store, p)
		expect(t, s.Store, vectors.Query{Scope: scope, Limit: 1}, hit(p, 60))
		expect(t, s.Store, vectors.Query{Scope: scope, Vector: p.Vector}, hit(p, 0))
		if err := s.Store.Delete(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func testWrittenAgain(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	one, two := vectors.Scope{Person: s.Person()}, vectors.Scope{Person: s.Person(), Session: uuid.New()}
	p := at(one, 10)
	upsert(t, s.Store, p)
	upsert(t, s.Store, p)
	expect(t, s.Store, vectors.Query{Scope: one}, hit(p, 10))
	p.Vector = towards(70)
	upsert(t, s.Store, p)
	expect(t, s.Store, vectors.Query{Scope: one}, hit(p, 70))
	p.Kind, p.Model = "fact", "small@2"
	upsert(t, s.Store, p)
	expect(t, s.Store, vectors.Query{Scope: one})
	expect(t, s.Store, vectors.Query{Scope: one, Model: "small@2", Kinds: []string{"fact"}}, hit(p, 70))
	p.Scope, p.Model = two, model
	upsert(t, s.Store, p)
	expect(t, s.Store, vectors.Query{Scope: one, Model: "small@2"})
	expect(t, s.Store, vectors.Query{Scope: one})
	expect(t, s.Store, vectors.Query{Scope: vectors.Scope{Session: two.Session}}, hit(p, 70))
	count(t, s.Store, one, 0)
	count(t, s.Store, two, 1)

	twice := p
	twice.Vector = towards(20)
	upsert(t, s.Store, p, twice)
	expect(t, s.Store, vectors.Query{Scope: two}, hit(p, 20))
}

func testUnion(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	all := vectors.Scope{Person: s.Person(), Session: uuid.New(), Project: uuid.New()}
	person, session, project := vectors.Scope{Person: all.Person}, vectors.Scope{Session: all.Session}, vectors.Scope{Project: all.Project}
	ofPerson, ofSession, ofProject, ofAll := at(person, 10), at(session, 20), at(project, 30), at(all, 40)
	stranger := at(vectors.Scope{Person: s.Person(), Session: uuid.New(), Project: uuid.New()}, 0)
	upsert(t, s.Store, ofPerson, ofSession, ofProject, ofAll, stranger)
	expect(t, s.Store, vectors.Query{Scope: person}, hit(ofPerson, 10), hit(ofAll, 40))
	expect(t, s.Store, vectors.Query{Scope: session}, hit(ofSession, 20), hit(ofAll, 40))
	expect(t, s.Store, vectors.Query{Scope: vectors.Scope{Person: all.Person, Project: all.Project}},
		hit(ofPerson, 10), hit(ofProject, 30), hit(ofAll, 40))
	expect(t, s.Store, vectors.Query{Scope: all}, hit(ofPerson, 10), hit(ofSession, 20), hit(ofProject, 30), hit(ofAll, 40))
	expect(t, s.Store, vectors.Query{Scope: all, Limit: 3}, hit(ofPerson, 10), hit(ofSession, 20), hit(ofProject, 30))
	count(t, s.Store, all, 4)
	// An id says of what kind its owner is by where it stands, not by itself.
	expect(t, s.Store, vectors.Query{Scope: vectors.Scope{Session: all.Person, Project: all.Session}})
}

func testModelsAndKinds(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	scope := vectors.Scope{Person: s.Person()}
	window, fact, entity, other := at(scope, 10), at(scope, 20), at(scope, 30), at(scope, 0)
	fact.Kind, entity.Kind, other.Model = "fact", "entity", "large@1"
	upsert(t, s.Store, window, fact, entity, other)
	expect(t, s.Store, vectors.Query{Scope: scope}, hit(window, 10), hit(fact, 20), hit(entity, 30))
	expect(t, s.Store, vectors.Query{Scope: scope, Model: "large@1"}, hit(other, 0))
	expect(t, s.Store, vectors.Query{Scope: scope, Model: "none@1"})
	expect(t, s.Store, vectors.Query{Scope: scope, Kinds: []string{"fact"}}, hit(fact, 20))
	expect(t, s.Store, vectors.Query{Scope: scope, Kinds: []string{"fact", "entity"}}, hit(fact, 20), hit(entity, 30))
	expect(t, s.Store, vectors.Query{Scope: scope, Kinds: []string{"topic"}})
	for m, want := range map[string]int{model: 3, "large@1": 1, "": 4, "none@1": 0} {
		if n, err := s.Store.Count(t.Context(), scope, m); err != nil || n != want {
			t.Errorf("count of model %q = %d, %v, want %d", m, n, err, want)
		}
	}
}

func testBeforeEnsure(t *testing.T, s Subject) {
	t.Helper()
	scope := vectors.Scope{Person: s.Person()}
	wantError(t, "upsert", s.Store.Upsert(t.Context(), []vectors.Point{at(scope, 0)}), vectors.ErrNotReady)
	_, err := s.Store.Search(t.Context(), vectors.Query{Vector: towards(0), Scope: scope, Model: model, Limit: 1})
	wantError(t, "search", err, vectors.ErrNotReady)
	for _, n := range []int{-1, 0, vectors.MaxDims + 1} {
		wantError(t, fmt.Sprintf("ensure %d", n), s.Store.Ensure(t.Context(), n), vectors.ErrDimension)
	}
	if err := s.Store.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
}

func testEnsureAgain(t *testing.T, s Subject) {
	t.Helper()
	scope := vectors.Scope{Person: s.Person()}
	errs := make(chan error)
	for i := range 6 {
		st := []vectors.Store{s.Store, s.Other}[i%2]
		go func() { errs <- st.Ensure(t.Context(), dims) }()
	}
	for range 6 {
		if err := <-errs; err != nil {
			t.Errorf("ensure at the same time: %v", err)
		}
	}
	p := at(scope, 10)
	upsert(t, s.Store, p)
	if err := s.Store.Ensure(t.Context(), dims); err != nil {
		t.Fatal(err)
	}
	expect(t, s.Store, vectors.Query{Scope: scope}, hit(p, 10))
}

func testCancelled(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	scope := vectors.Scope{Person: s.Person()}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Store.Upsert(ctx, []vectors.Point{at(scope, 0)})
	_, searched := s.Store.Search(ctx, vectors.Query{Vector: towards(0), Scope: scope, Model: model, Limit: 1})
	for what, err := range map[string]error{"upsert": err, "search": searched} {
		wantError(t, what, err, context.Canceled)
		if errors.Is(err, vectors.ErrUnreachable) {
			t.Errorf("%s: what the caller ended counts as unreachable: %v", what, err)
		}
	}
	count(t, s.Store, scope, 0)
}

func testClosed(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	scope := vectors.Scope{Person: s.Person()}
	for range 2 {
		if err := s.Store.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	_, err := s.Store.Search(t.Context(), vectors.Query{Vector: towards(0), Scope: scope, Model: model, Limit: 1})
	wantError(t, "search", err, vectors.ErrNotReady)
	wantError(t, "upsert", s.Store.Upsert(t.Context(), []vectors.Point{at(scope, 0)}), vectors.ErrNotReady)
	wantError(t, "delete", s.Store.Delete(t.Context(), uuid.New()), vectors.ErrNotReady)
	wantError(t, "ping", s.Store.Ping(t.Context()), vectors.ErrNotReady)
	expect(t, s.Other, vectors.Query{Scope: scope}) // another's is not disturbed
}

package vectors_test

import (
	"bytes"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
)

func testRefusals(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	scope := vectors.Scope{Person: s.Person()}
	with := func(change func(*vectors.Point)) vectors.Point {
		p := at(scope, 10)
		change(&p)
		return p
	}
	for name, c := range map[string]struct {
		point vectors.Point
		want  error
	}{
		"nobody's":       {with(func(p *vectors.Point) { p.Scope = vectors.Scope{} }), vectors.ErrEmptyScope},
		"too short":      {with(func(p *vectors.Point) { p.Vector = p.Vector[1:] }), vectors.ErrDimension},
		"too long":       {with(func(p *vectors.Point) { p.Vector = append(p.Vector, 1) }), vectors.ErrDimension},
		"no vector":      {with(func(p *vectors.Point) { p.Vector = nil }), vectors.ErrDimension},
		"not a number":   {with(func(p *vectors.Point) { p.Vector[3] = float32(math.NaN()) }), vectors.ErrBadVector},
		"infinite":       {with(func(p *vectors.Point) { p.Vector[3] = float32(math.Inf(-1)) }), vectors.ErrBadVector},
		"all zeros":      {with(func(p *vectors.Point) { clear(p.Vector) }), vectors.ErrBadVector},
		"no id":          {with(func(p *vectors.Point) { p.ID = uuid.Nil }), vectors.ErrInvalid},
		"no kind":        {with(func(p *vectors.Point) { p.Kind = "" }), vectors.ErrInvalid},
		"no model":       {with(func(p *vectors.Point) { p.Model = "" }), vectors.ErrInvalid},
		"at no time":     {with(func(p *vectors.Point) { p.At = time.Time{} }), vectors.ErrInvalid},
		"bad after good": {with(func(p *vectors.Point) { p.Vector[0] = float32(math.Inf(1)) }), vectors.ErrBadVector},
	} {
		err := s.Store.Upsert(t.Context(), []vectors.Point{at(scope, 20), c.point})
		wantError(t, "upsert "+name, err, c.want)
	}
	count(t, s.Store, scope, 0)

	good := vectors.Query{Vector: towards(0), Scope: scope, Model: model, Limit: 5}
	for name, c := range map[string]struct {
		change func(*vectors.Query)
		want   error
	}{
		"of nobody":    {func(q *vectors.Query) { q.Scope = vectors.Scope{} }, vectors.ErrEmptyScope},
		"too short":    {func(q *vectors.Query) { q.Vector = q.Vector[1:] }, vectors.ErrDimension},
		"not a number": {func(q *vectors.Query) { q.Vector = slices.Repeat([]float32{float32(math.NaN())}, dims) }, vectors.ErrBadVector},
		"all zeros":    {func(q *vectors.Query) { q.Vector = make([]float32, dims) }, vectors.ErrBadVector},
		"no model":     {func(q *vectors.Query) { q.Model = "" }, vectors.ErrInvalid},
		"empty kind":   {func(q *vectors.Query) { q.Kinds = []string{"fact", ""} }, vectors.ErrInvalid},
		"for nothing":  {func(q *vectors.Query) { q.Limit = 0 }, vectors.ErrInvalid},
		"for too much": {func(q *vectors.Query) { q.Limit = vectors.MaxLimit + 1 }, vectors.ErrInvalid},
	} {
		q := good
		c.change(&q)
		_, err := s.Store.Search(t.Context(), q)
		wantError(t, "search "+name, err, c.want)
	}
	testNobody(t, s.Store)
}

// testNobody holds that the empty scope is never everybody.
func testNobody(t *testing.T, st vectors.Store) {
	t.Helper()
	_, err := st.Count(t.Context(), vectors.Scope{}, "")
	wantError(t, "count of nobody", err, vectors.ErrEmptyScope)
	_, err = st.IDs(t.Context(), vectors.Scope{})
	wantError(t, "ids of nobody", err, vectors.ErrEmptyScope)
	wantError(t, "delete of nobody", st.DeleteScope(t.Context(), vectors.Scope{}), vectors.ErrEmptyScope)
}

func testDeletion(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	person, other := vectors.Scope{Person: s.Person()}, vectors.Scope{Person: s.Person()}
	both := vectors.Scope{Person: person.Person, Project: uuid.New()}
	one, two, three, theirs := at(person, 10), at(person, 20), at(both, 30), at(other, 40)
	projects := at(vectors.Scope{Person: other.Person, Project: both.Project}, 50)
	upsert(t, s.Store, one, two, three, theirs, projects)
	expect(t, s.Store, vectors.Query{Scope: person}, hit(one, 10), hit(two, 20), hit(three, 30))
	expect(t, s.Store, vectors.Query{Scope: vectors.Scope{Project: both.Project}}, hit(three, 30), hit(projects, 50))

	if err := s.Store.Delete(t.Context(), one.ID, uuid.New()); err != nil {
		t.Fatal(err)
	}
	if err := s.Store.Delete(t.Context()); err != nil {
		t.Errorf("delete nothing: %v", err)
	}
	expect(t, s.Store, vectors.Query{Scope: person}, hit(two, 20), hit(three, 30))
	for range 2 {
		if err := s.Store.DeleteScope(t.Context(), person); err != nil {
			t.Fatal(err)
		}
	}
	for _, st := range []vectors.Store{s.Store, s.Other} {
		expect(t, st, vectors.Query{Scope: person})
		expect(t, st, vectors.Query{Scope: vectors.Scope{Project: both.Project}}, hit(projects, 50))
		expect(t, st, vectors.Query{Scope: other}, hit(theirs, 40), hit(projects, 50))
		count(t, st, person, 0)
		count(t, st, other, 2)
	}
	upsert(t, s.Store, two) // a shelf that went may come back
	for _, st := range []vectors.Store{s.Store, s.Other} {
		expect(t, st, vectors.Query{Scope: person}, hit(two, 20))
	}
}

// testAnotherProcess holds that what one process did is seen by another's next
// search, however much that one has remembered.
func testAnotherProcess(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	scope := vectors.Scope{Person: s.Person()}
	one, two := at(scope, 10), at(scope, 20)
	expect(t, s.Other, vectors.Query{Scope: scope})
	upsert(t, s.Store, one)
	expect(t, s.Other, vectors.Query{Scope: scope}, hit(one, 10))
	upsert(t, s.Store, two)
	expect(t, s.Other, vectors.Query{Scope: scope}, hit(one, 10), hit(two, 20))
	one.Vector = towards(30)
	upsert(t, s.Other, one)
	expect(t, s.Store, vectors.Query{Scope: scope}, hit(two, 20), hit(one, 30))
	expect(t, s.Other, vectors.Query{Scope: scope}, hit(two, 20), hit(one, 30))
	two.Model = "small@2"
	upsert(t, s.Store, two)
	expect(t, s.Other, vectors.Query{Scope: scope}, hit(one, 30))
	expect(t, s.Other, vectors.Query{Scope: scope, Model: "small@2"}, hit(two, 20))
	if err := s.Store.Delete(t.Context(), one.ID); err != nil {
		t.Fatal(err)
	}
	expect(t, s.Other, vectors.Query{Scope: scope})
	if err := s.Store.DeleteScope(t.Context(), scope); err != nil {
		t.Fatal(err)
	}
	expect(t, s.Other, vectors.Query{Scope: scope, Model: "small@2"})
	three := at(scope, 5)
	upsert(t, s.Store, three)
	expect(t, s.Other, vectors.Query{Scope: scope}, hit(three, 5))

	many := []vectors.Point{three, at(scope, 15), at(scope, 25), at(scope, 35)}
	upsert(t, s.Store, many...)
	expect(t, s.Other, vectors.Query{Scope: scope}, hit(many[0], 5), hit(many[1], 15), hit(many[2], 25), hit(many[3], 35))
	for i := range many[:3] {
		many[i].Model = "small@2"
	}
	many[3].Vector = towards(45)
	upsert(t, s.Store, many...) // all at once, the last ones among them
	expect(t, s.Other, vectors.Query{Scope: scope}, hit(many[3], 45))
}

// testMany has more points than any batch or page.
func testMany(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	scope := vectors.Scope{Person: s.Person()}
	points := make([]vectors.Point, 1203)
	want := make([]uuid.UUID, len(points))
	for i := range points {
		points[i] = at(scope, float64(i)/10)
		want[i] = points[i].ID
	}
	upsert(t, s.Store, points...)
	count(t, s.Store, scope, len(points))
	got, err := s.Store.IDs(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	order := func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		t.Errorf("the ids that are listed are not those that were written")
	}
	hits, err := s.Store.Search(t.Context(), vectors.Query{Vector: towards(0), Scope: scope, Model: model, Limit: vectors.MaxLimit})
	if err != nil || len(hits) != vectors.MaxLimit {
		t.Fatalf("search found %d, %v, want %d", len(hits), err, vectors.MaxLimit)
	}
	if err := s.Store.Delete(t.Context(), want[:1100]...); err != nil {
		t.Fatal(err)
	}
	count(t, s.Store, scope, 103)
}

// testConcurrent has writers and readers of the same owners at once. What stays
// is what the last of each wrote, and no reader ever sees another's.
func testConcurrent(t *testing.T, s Subject) {
	t.Helper()
	ready(t, s)
	people := []vectors.Scope{{Person: s.Person()}, {Person: s.Person()}}
	project := uuid.New()
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			st := []vectors.Store{s.Store, s.Other}[w%2]
			scope := vectors.Scope{Person: people[w/2].Person, Project: project}
			var own []vectors.Point
			for i := range 12 {
				p := at(scope, float64(10*w+i))
				own = append(own, p)
				if err := st.Upsert(t.Context(), own); err != nil {
					t.Errorf("upsert: %v", err)
				}
				hits, err := st.Search(t.Context(), vectors.Query{Vector: p.Vector, Scope: people[w/2], Model: model, Limit: vectors.MaxLimit})
				if err != nil || !slices.ContainsFunc(hits, func(h vectors.Hit) bool { return h.ID == p.ID }) {
					t.Errorf("a search does not find what was written before it: %d hits, %v", len(hits), err)
				}
				if i%3 == 2 {
					if err := st.Delete(t.Context(), own[0].ID); err != nil {
						t.Errorf("delete: %v", err)
					}
					own = own[1:]
				}
			}
		})
	}
	all.Wait()
	for _, st := range []vectors.Store{s.Store, s.Other} {
		count(t, st, people[0], 16)
		count(t, st, people[1], 16)
		hits, err := st.Search(t.Context(), vectors.Query{Vector: towards(0), Scope: vectors.Scope{Project: project}, Model: model, Limit: 100})
		if err != nil || len(hits) != 32 {
			t.Errorf("search of the project found %d, %v, want 32", len(hits), err)
		}
	}
}

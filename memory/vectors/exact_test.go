package vectors_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store/storetest"
)

// closest compares all.
func closest(q []float32, ids []uuid.UUID, vs [][]float32, k int) []vectors.Hit {
	all := make([]vectors.Hit, len(vs))
	for i, v := range vs {
		all[i] = vectors.Hit{ID: ids[i], Score: vectors.Exact(q, v)}
	}
	slices.SortFunc(all, vectors.Better)
	return all[:min(k, len(all))]
}

// TestPickedHoldTheClosest holds the choice of vectors to comparing all: none of
// the closest is ever missing, and no score is further from its estimate than
// the bound says.
func TestPickedHoldTheClosest(t *testing.T) {
	t.Parallel()
	const n = 120
	for name, family := range families {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, dims := range []int{1, 2, 7, 8, 9, 100, 256, 264, 1536} {
				rng := rand.New(rand.NewPCG(7, uint64(dims)))
				vs, ids := units(t, family(rng, dims, n)), newIDs(n)
				for i, q := range queries(t, rng, vs) {
					checkBounds(t, q, vs)
					for _, k := range []int{1, 25, n + 1} {
						picked := checkPicked(t, q, ids, vs, k)
						if name == "random" && dims >= 100 && k == 1 && picked > n/4 {
							t.Errorf("%d dimensions, query %d: %d of %d are picked for one", dims, i, picked, n)
						}
					}
				}
			}
		})
	}
}

// queries are some that are easy and hard to answer, at length one.
func queries(t *testing.T, rng *rand.Rand, vs [][]float32) [][]float32 {
	t.Helper()
	dims := len(vs[0])
	flipped := slices.Clone(vs[1])
	flipped[rng.IntN(dims)] *= -1
	qs := [][]float32{gauss(rng, dims), vs[0], flipped}
	if worst := vectors.Residual(vs[0]); slices.ContainsFunc(worst, func(x float32) bool { return x != 0 }) {
		qs = append(qs, worst) // all that it scores is what the codes leave out
	}
	return units(t, qs)
}

func checkPicked(t *testing.T, q []float32, ids []uuid.UUID, vs [][]float32, k int) int {
	t.Helper()
	picked := vectors.Picked(q, ids, vs, k)
	for place, h := range closest(q, ids, vs, k) {
		if !picked[h.ID] {
			t.Fatalf("%d dimensions: the closest %d lack number %d, score %v", len(q), k, place+1, h.Score)
		}
	}
	return len(picked)
}

func newIDs(n int) []uuid.UUID {
	ids := make([]uuid.UUID, n)
	for i := range ids {
		ids[i] = uuid.New()
	}
	return ids
}

// TestLargeShelf has enough vectors to be shared out to all processors.
func TestLargeShelf(t *testing.T) {
	t.Parallel()
	const n, dims = 2200, 1000
	rng := rand.New(rand.NewPCG(13, 1))
	vs := units(t, each(n, func(int) []float32 { return gauss(rng, dims) }))
	if picked := checkPicked(t, vs[n-1], newIDs(n), vs, 50); picked > n/4 {
		t.Errorf("%d of %d are picked for 50", picked, n)
	}
}

func checkBounds(t *testing.T, q []float32, vs [][]float32) {
	t.Helper()
	estimates, bounds := vectors.Estimates(q, vs)
	for place, v := range vs {
		var want float64
		for i := range q {
			want += float64(q[i]) * float64(v[i])
		}
		score := float64(vectors.Exact(q, v))
		if want = min(max(want, -1), 1); math.Abs(score-want) > 1e-7 {
			t.Fatalf("score %v, want %v", score, want)
		}
		if off := math.Abs(estimates[place] - score); off > bounds[place] || bounds[place] > 0.05 {
			t.Fatalf("score %v is estimated at %v, which is not within %v", score, estimates[place], bounds[place])
		}
	}
}

// TestOverestimated has the closest vector estimated far too low, and another far
// too high: their scales differ, so that one's numbers are rounded down to
// nothing, and the other's up to one step.
func TestOverestimated(t *testing.T) {
	t.Parallel()
	vs := units(t, [][]float32{{1, 0.0039, 0.0039, 0}, {0.9, 0.0036, 0.0036, 0.4358}})
	q := units(t, [][]float32{{0, 1, 1, 0}})[0]
	estimates, _ := vectors.Estimates(q, vs)
	if estimates[0] >= estimates[1]/2 {
		t.Fatalf("estimates %v do not make this case", estimates)
	}
	checkPicked(t, q, newIDs(2), vs, 1)
}

// TestNotUnit estimates what nothing should have written: such a vector is
// always read.
func TestNotUnit(t *testing.T) {
	t.Parallel()
	nan, huge := float32(math.NaN()), float32(math.MaxFloat32)
	for _, v := range [][]float32{{0, 0}, {3, 4}, {nan, 1}, {huge, huge}, {1e-30, 0}} {
		if _, bounds := vectors.Estimates([]float32{0.6, 0.8}, [][]float32{v}); !math.IsInf(bounds[0], 1) {
			t.Errorf("%v: the bound is %v, want none", v, bounds[0])
		}
	}
}

// TestSearchIsExact searches through the database: the hits are those of
// comparing all, score by score, before and after half of the vectors changed.
func TestSearchIsExact(t *testing.T) {
	t.Parallel()
	const n = 300
	st := storetest.New(t)
	for name, family := range families {
		for _, dims := range []int{1, 40} {
			t.Run(fmt.Sprintf("%s/%d", name, dims), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(11, uint64(dims)))
				p, scope := ensured(t, st, dims), vectors.Scope{Person: newPerson(t, st)}
				ids, vs := newIDs(n), family(rng, dims, n)
				put := func(from, to int) {
					points := make([]vectors.Point, 0, n)
					for i := from; i < to; i++ {
						points = append(points, vectors.Point{ID: ids[i], Vector: vs[i], Scope: scope, Kind: "window", Model: "m@1", At: time.Now()})
					}
					if err := p.Upsert(t.Context(), points); err != nil {
						t.Fatal(err)
					}
				}
				put(0, n)
				compareAll(t, p, scope, rng, ids, vs)
				copy(vs[:n/2], family(rng, dims, n/2))
				put(0, n/2)
				compareAll(t, p, scope, rng, ids, vs)
				if got := p.CacheStats(); got.Loads != 1 || got.Refreshes != 1 || got.Scans != 0 {
					t.Errorf("the answers did not come from one copy: %+v", got)
				}
			})
		}
	}
}

func compareAll(t *testing.T, p *vectors.Postgres, scope vectors.Scope, rng *rand.Rand, ids []uuid.UUID, vs [][]float32) {
	t.Helper()
	kept := units(t, vs)
	for _, q := range [][]float32{gauss(rng, len(vs[0])), vs[0]} {
		for _, k := range []int{1, 20, len(vs)} {
			got, err := p.Search(t.Context(), vectors.Query{Vector: q, Scope: scope, Model: "m@1", Limit: k})
			if want := closest(units(t, [][]float32{q})[0], ids, kept, k); err != nil || !slices.Equal(got, want) {
				t.Fatalf("the closest %d are %v, %v, want %v", k, got, err, want)
			}
		}
	}
}

// TestSearchIsOfOneMoment searches while all vectors are turned back and forth,
// all at once: no answer has some from before and some from after.
func TestSearchIsOfOneMoment(t *testing.T) {
	t.Parallel()
	const n, k, turns = 40, 10, 25
	st := storetest.New(t)
	p, writer, scope := small(t, st, 0), small(t, st, 0), vectors.Scope{Person: newPerson(t, st)}
	points, scores := [2][]vectors.Point{}, [2][]float32{}
	for i := range n {
		id := uuid.New()
		for way := range points {
			angle := float64(2*i+way) * math.Pi / 360 // one lies between two of the other
			v := []float32{float32(math.Cos(angle)), float32(math.Sin(angle))}
			points[way] = append(points[way], vectors.Point{ID: id, Vector: v, Scope: scope, Kind: "window", Model: "m@1", At: time.Now()})
			unit, _, _ := vectors.Unit(v)
			scores[way] = append(scores[way], vectors.Exact([]float32{1, 0}, unit))
		}
	}
	var done sync.WaitGroup
	defer done.Wait()
	turn := func(way int) {
		if err := writer.Upsert(t.Context(), points[way]); err != nil {
			t.Error(err)
		}
	}
	turn(0)
	stop := make(chan struct{})
	done.Go(func() {
		defer close(stop)
		for i := range turns {
			turn(1 - i%2)
		}
	})
	for open := true; open; {
		select {
		case <-stop:
			open = false
		default:
		}
		hits, err := p.Search(t.Context(), vectors.Query{Vector: []float32{1, 0}, Scope: scope, Model: "m@1", Limit: k})
		got := make([]float32, len(hits))
		for i, h := range hits {
			got[i] = h.Score
		}
		if err != nil || !slices.Equal(got, scores[0][:k]) && !slices.Equal(got, scores[1][:k]) {
			t.Fatalf("found %v, %v", got, err)
		}
	}
}

// TestLookIsOfTheCopy changes vectors behind a copy: what the copy asks for is
// given only where it is still what the copy has.
func TestLookIsOfTheCopy(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p, other := small(t, st, 0), small(t, st, 0)
	scope := vectors.Scope{Person: newPerson(t, st)}
	ids := write(t, p, scope, 10)
	q := vectors.Query{Vector: []float32{1, 0}, Scope: scope, Model: "m@1", Limit: 10}
	again := func(what string, want int) {
		t.Helper()
		if asked, given, err := vectors.LookAgain(t.Context(), p, q); err != nil || asked != 10 || given != want {
			t.Errorf("%s: %d of %d are given, %v, want %d", what, given, asked, err, want)
		}
	}
	found(t, p, scope)
	again("unchanged", 10)
	change := vectors.Point{ID: ids[0], Vector: []float32{1, 0}, Scope: scope, Kind: "window", Model: "m@1", At: time.Now()}
	moved, modern := change, change
	moved.ID, moved.Scope = ids[1], vectors.Scope{Person: newPerson(t, st)}
	modern.ID, modern.Model = ids[2], "m@2"
	for i, p := range []vectors.Point{change, moved, modern} {
		if err := other.Upsert(t.Context(), []vectors.Point{p}); err != nil {
			t.Fatal(err)
		}
		again("written by another", 9-i)
	}
	if err := other.Delete(t.Context(), ids[3]); err != nil {
		t.Fatal(err)
	}
	again("deleted", 6)
	if got := found(t, p, scope); len(got) != 7 {
		t.Errorf("a search finds %d, want 7", len(got))
	}
}

// TestReadsCount has reads under way take the room that copies had, and leaves
// those to be scanned that have none.
func TestReadsCount(t *testing.T) {
	t.Parallel()
	const limit, held = 20_000, 16_000
	st := storetest.New(t)
	p := small(t, st, limit)
	var scope vectors.Scope
	for range 3 {
		scope = vectors.Scope{Person: newPerson(t, st)}
		write(t, p, scope, 100)
		found(t, p, scope)
	}
	if !vectors.Reserve(p, held) || vectors.Reserve(p, limit-held) {
		t.Error("reads may hold as much as the cache, no more and no less")
	}
	if got := p.CacheStats(); got.Reading != held || got.Bytes+got.Reading > limit || got.Evictions == 0 {
		t.Errorf("%+v", got)
	}
	if n := len(found(t, p, scope)); n != 100 {
		t.Errorf("found %d of 100 while there was no room", n)
	}
	vectors.Release(p, held)
	before := p.CacheStats()
	found(t, p, scope)
	after := p.CacheStats()
	if before.Scans != 1 || before.Reading != 0 || after.Loads != before.Loads+1 || after.Reading != 0 {
		t.Errorf("no room: %+v, then: %+v", before, after)
	}
	write(t, p, scope, 700) // what is new has room for a part only
	if n := len(found(t, p, scope)); n != 100 {
		t.Errorf("found %d of the closest 100", n)
	}
	if got := p.CacheStats(); got.Scans != 2 || got.Reading != 0 || got.Bytes > limit {
		t.Errorf("a read that was given up left %+v", got)
	}
}

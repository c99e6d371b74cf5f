package vectors_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/storetest"
)

// BenchmarkPostgres searches a person with ten thousand vectors: warm, with the
// copy in memory; changed, after one more was written; and cold, with nothing in
// memory. MB is what the copy takes.
func BenchmarkPostgres(b *testing.B) {
	for _, dims := range []int{256, 1536} {
		st := storetest.New(b)
		scope := vectors.Scope{Person: newPerson(b, st)}
		fill(b, st, scope, 10_000, dims)
		q := vectors.Query{Vector: direction(dims), Scope: scope, Model: "bench@1", Limit: 100}
		b.Run(fmt.Sprintf("warm/%d", dims), func(b *testing.B) {
			p := ensured(b, st, dims)
			before := heap()
			search(b, p, q)
			size := float64(heap()-before) / 1e6
			measure(b, func() { search(b, p, q) })
			b.ReportMetric(size, "MB")
		})
		b.Run(fmt.Sprintf("changed/%d", dims), func(b *testing.B) {
			p, one := ensured(b, st, dims), vectors.Point{
				ID: uuid.New(), Vector: direction(dims), Scope: scope, Kind: "window", Model: "bench@1", At: time.Now(),
			}
			search(b, p, q)
			measure(b, func() {
				b.StopTimer()
				if err := p.Upsert(context.Background(), []vectors.Point{one}); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}, func() { search(b, p, q) })
		})
		b.Run(fmt.Sprintf("cold/%d", dims), func(b *testing.B) {
			var p *vectors.Postgres
			measure(b, func() { p = ensured(b, st, dims) }, func() { search(b, p, q) })
		})
	}
}

// BenchmarkPostgresPeople searches a hundred people with ten thousand vectors
// each in random order, with the usual cache, once all were searched. MB is what
// it takes; misses are searches whose copy had gone.
func BenchmarkPostgresPeople(b *testing.B) {
	const dims = 256
	st := storetest.New(b)
	scopes := make([]vectors.Scope, 100)
	for i := range scopes {
		scopes[i] = vectors.Scope{Person: newPerson(b, st)}
	}
	fill(b, st, scopes[0], 10_000, dims)
	copyToAll(b, st, scopes[0].Person)
	before := heap()
	p := ensured(b, st, dims)
	ask := func(scope vectors.Scope) {
		search(b, p, vectors.Query{Vector: direction(dims), Scope: scope, Model: "bench@1", Limit: 100})
	}
	for _, s := range scopes {
		ask(s)
	}
	size := float64(heap()-before) / 1e6
	loaded := p.CacheStats()
	measure(b, func() { ask(scopes[rand.IntN(len(scopes))]) })
	b.ReportMetric(size, "MB")
	got := p.CacheStats()
	b.ReportMetric(float64(got.Compared-loaded.Compared)/float64(b.N), "compared/op")
	b.ReportMetric(float64(got.Loads-loaded.Loads), "misses")
}

// copyToAll gives everybody what one person has, which is faster than to write
// a million vectors one by one.
func copyToAll(b *testing.B, st *store.Store, from uuid.UUID) {
	b.Helper()
	for _, sql := range []string{
		`insert into memory_vectors (id, person_id, kind, model, dims, vector, norm, at, rev)
			select gen_random_uuid(), p.id, v.kind, v.model, v.dims, v.vector, v.norm, v.at, v.rev
			from people p, memory_vectors v where p.id <> $1 and v.person_id = $1 order by p.id`,
		`insert into memory_vector_shelves (kind, owner, version, cut)
			select 'person', p.id, s.version, s.cut from people p, memory_vector_shelves s where p.id <> $1 and s.owner = $1`,
	} {
		if _, err := st.Pool().Exec(b.Context(), sql, from); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := st.Pool().Exec(b.Context(), "analyze memory_vectors"); err != nil {
		b.Fatal(err)
	}
}

// measure runs steps b.N times and reports how long the last of them took.
func measure(b *testing.B, steps ...func()) {
	b.Helper()
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for range b.N {
		for _, step := range steps[:len(steps)-1] {
			step()
		}
		start := time.Now()
		steps[len(steps)-1]()
		took = append(took, time.Since(start))
	}
	b.StopTimer()
	slices.Sort(took)
	ms := func(q float64) float64 { return float64(took[int(q*float64(len(took)-1))].Microseconds()) / 1000 }
	b.ReportMetric(ms(0.5), "p50-ms")
	b.ReportMetric(ms(0.99), "p99-ms")
}

func search(tb testing.TB, st vectors.Store, q vectors.Query) {
	tb.Helper()
	hits, err := st.Search(context.Background(), q)
	if err != nil || len(hits) != q.Limit {
		tb.Fatalf("search found %d, %v", len(hits), err)
	}
}

func ensured(tb testing.TB, st *store.Store, dims int) *vectors.Postgres {
	tb.Helper()
	p := vectors.NewPostgres(st, vectors.PostgresConfig{})
	if err := p.Ensure(context.Background(), dims); err != nil {
		tb.Fatal(err)
	}
	return p
}

func fill(tb testing.TB, st *store.Store, scope vectors.Scope, n, dims int) {
	tb.Helper()
	p := ensured(tb, st, dims)
	points := make([]vectors.Point, n)
	for i := range points {
		points[i] = vectors.Point{ID: uuid.New(), Vector: direction(dims), Scope: scope, Kind: "window", Model: "bench@1", At: time.Now()}
	}
	if err := p.Upsert(context.Background(), points); err != nil {
		tb.Fatal(err)
	}
}

func direction(dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(rand.NormFloat64())
	}
	return v
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

package vectors

import (
	"context"
	"encoding/binary"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Reserve and Release are what a read that is under way does to the cache.
func Reserve(p *Postgres, bytes int64) bool { return p.cache.reserve(bytes) }

// Release gives back what Reserve took.
func Release(p *Postgres, bytes int64) { p.cache.release(bytes) }

// Better orders hits, best first.
func Better(a, b Hit) int { return better(a, b) }

// Exact is the score of two vectors of length one.
func Exact(q, v []float32) float32 { return exact(q, bytesOfFloats(v)) }

// Estimates are a copy's estimates of scores, and how far off each may be.
func Estimates(q []float32, vs [][]float32) (estimates, bounds []float64) {
	p, codes := newProbe(q), make([]uint64, words(len(q)))
	for _, v := range vs {
		scale, slip := encode(codes, v)
		estimates, bounds = append(estimates, p.estimate(codes, scale)), append(bounds, p.bound(slip))
	}
	return estimates, bounds
}

// Residual is what the codes of a vector leave out of it.
func Residual(v []float32) []float32 {
	codes, out := make([]uint64, words(len(v))), make([]float32, len(v))
	scale, _ := encode(codes, v)
	for i, x := range v {
		code := int(codes[i/codesPerWord]>>(8*(i%codesPerWord))&0xff) - codeZero
		out[i] = float32(float64(x) - float64(code)*float64(scale))
	}
	return out
}

// LookAgain looks at the copy of a scope's first owner without asking whether it
// is true: how many vectors it asked for, and how many it was given.
func LookAgain(ctx context.Context, p *Postgres, q Query) (asked, given int, err error) {
	q, err = prepareQuery(q, int(p.dims.Load()))
	if err != nil {
		return 0, 0, err
	}
	probe := newProbe(q.Vector)
	l, err := p.cache.find(q.Scope.shelves(q.Model, len(q.Vector))[0]).rank(p.log, &probe, q)
	if err != nil {
		return 0, 0, err
	}
	looks := []look{l}
	_, err = p.look(ctx, q.Scope, looks)
	return len(looks[0].ids), looks[0].found, err
}

// Picked are those of the vectors that a search for the k closest would read
// from the database.
func Picked(q []float32, ids []uuid.UUID, vs [][]float32, k int) map[uuid.UUID]bool {
	in := intake{cache: newCache(1 << 30), dims: len(q), rows: rows{words: words(len(q))}}
	for i, v := range vs {
		_ = in.row(ids[i], "window", bytesOfFloats(v)) // there is room
	}
	s, p := newShelf(shelfKey{dims: len(q)}), newProbe(q)
	s.replace(1, in.rows)
	picked := map[uuid.UUID]bool{}
	l, err := s.rank(slog.New(slog.DiscardHandler), &p, Query{Vector: q, Limit: k})
	if err != nil {
		panic(err)
	}
	for _, id := range l.ids {
		picked[id] = true
	}
	return picked
}

func bytesOfFloats(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// DropCollection takes a test's collection away again.
func DropCollection(tb testing.TB, d *Qdrant) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = d.client.DeleteCollection(ctx, d.cfg.Collection) // a test may not have made it
}

// Target is where a store's calls go.
func Target(d *Qdrant) string {
	return strings.TrimPrefix(d.client.GetConnection().Target(), "dns:///")
}

package vectors

import (
	"errors"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/naiber/naiber/store/survive"
)

// rankShare is how many words of codes are worth a goroutine, which processes them in about
// a quarter of a millisecond.
const rankShare = 1 << 17

// estimates is a pool of buffers for searches.
var estimates = sync.Pool{New: func() any { return new([]float64) }}

// rank picks, by estimates, the vectors that may be among the closest. If t is the k-th
// highest lower bound of the scores, then k vectors score t or more, and a vector whose
// upper bound is below t is not among the closest k, however equal scores are ordered. All
// others are picked.
func (s *shelf) rank(log *slog.Logger, p *probe, q Query) (look, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := &s.rows
	take := make([]bool, len(r.names))
	for i, name := range r.names {
		take[i] = wanted(q.Kinds, name)
	}
	lent, _ := estimates.Get().(*[]float64)
	defer estimates.Put(lent)
	near := slices.Grow((*lent)[:0], len(r.ids))[:len(r.ids)]
	*lent = near
	if err := r.estimate(log, p, take, near); err != nil {
		return look{}, err
	}
	least := floor{k: q.Limit}
	for i, e := range near {
		if take[r.kinds[i]] {
			least.offer(e - p.bound(r.slips[i]))
		}
	}
	l := look{shelf: s, vector: q.Vector, version: s.version, best: top{limit: q.Limit}}
	for i, e := range near {
		if take[r.kinds[i]] && e+p.bound(r.slips[i]) >= least.value() {
			l.ids = append(l.ids, r.ids[i])
		}
	}
	return l, nil
}

// estimate fills near with an estimate for each vector of the kinds to take. A large shelf
// is divided among all processors.
func (r *rows) estimate(log *slog.Logger, p *probe, take []bool, near []float64) error {
	shares := max(1, min(len(r.codes)/rankShare, runtime.GOMAXPROCS(0)))
	step := (len(near) + shares - 1) / shares
	errs := make([]error, shares)
	share := func(i int) {
		errs[i] = survive.Try(log, "rank", func() error {
			r.estimateFrom(i*step, min((i+1)*step, len(near)), p, take, near)
			return nil
		})
	}
	var others sync.WaitGroup
	for i := 1; i < shares; i++ {
		others.Go(func() { share(i) })
	}
	share(0)
	others.Wait()
	return errors.Join(errs...)
}

func (r *rows) estimateFrom(from, to int, p *probe, take []bool, near []float64) {
	for i := from; i < to; i++ {
		if take[r.kinds[i]] {
			near[i] = p.estimate(r.codes[i*r.words:(i+1)*r.words], r.scales[i])
		}
	}
}

func wanted(kinds []string, kind string) bool { return len(kinds) == 0 || slices.Contains(kinds, kind) }

// floor tracks the k-th highest of the numbers offered. kept holds the k highest, in
// ascending order.
type floor struct {
	k    int
	kept []float64
}

// value returns the k-th highest number, or -Inf if there were fewer.
func (f *floor) value() float64 {
	if len(f.kept) < f.k {
		return math.Inf(-1)
	}
	return f.kept[0]
}

func (f *floor) offer(x float64) {
	if len(f.kept) == f.k && x <= f.kept[0] {
		return
	}
	at, _ := slices.BinarySearch(f.kept, x)
	if len(f.kept) < f.k {
		f.kept = slices.Insert(f.kept, at, x)
		return
	}
	copy(f.kept, f.kept[1:at]) // drop the lowest
	f.kept[at-1] = x
}

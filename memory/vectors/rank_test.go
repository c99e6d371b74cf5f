package vectors

import (
	"errors"
	"log/slog"
	"runtime"
	"testing"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/survive"
)

// A share of a large copy that panics, here since a row is of no kind, ends that
// search and nothing else, whichever goroutine goes through it.
func TestPanicInAShareIsAFailure(t *testing.T) {
	t.Parallel()
	const dims = 8
	n := 2 * runtime.GOMAXPROCS(0) * rankShare / words(dims)
	in := rows{words: words(dims)}
	in.room(n)
	for range n {
		in.add(uuid.New(), "window", make([]float32, dims))
	}
	q := make([]float32, dims)
	q[0] = 1
	p, s := newProbe(q), newShelf(shelfKey{dims: dims})
	s.replace(1, in)
	look := func() error {
		_, err := s.rank(slog.New(slog.DiscardHandler), &p, Query{Vector: q, Limit: 10})
		return err
	}
	if err := look(); err != nil {
		t.Fatal(err)
	}
	for _, broken := range []int{0, n - 1} {
		s.rows.kinds[broken] = 7
		if err := look(); !errors.Is(err, survive.ErrPanic) {
			t.Errorf("row %d: %v", broken, err)
		}
		s.rows.kinds[broken] = 0
	}
	if err := look(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

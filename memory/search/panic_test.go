package search_test

import (
	"context"
	"slices"
	"testing"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
)

// A panic in the embedder or in the store of vectors is that one's failure: words
// answer alone, and where they are not wanted, nothing does.
func TestPanicNearbyIsAFailure(t *testing.T) {
	t.Parallel()
	for part, panics := range map[string]func(*service.Config){
		"embedder": func(c *service.Config) { c.Embedder = panicking{c.Embedder, c.Vectors} },
		"vectors":  func(c *service.Config) { c.Vectors = panicking{c.Embedder, c.Vectors} },
	} {
		h := memtest.New(t, panics)
		in := h.Margaret(t)
		keepQuietly(t, h, memtest.Talk(in, "one", memtest.November, "My dog chased a squirrel.")...)
		for _, lists := range []func(*search.Query){func(*search.Query) {}, memtest.Only(search.ListVector)} {
			if got := h.Ask(t, in, "dog", lists); !slices.Equal(got.Degraded, []string{"vectors"}) {
				t.Errorf("%s: found %q, degraded %q", part, memtest.Texts(got.Hits), got.Degraded)
			}
		}
		if got := h.Ask(t, in, "dog"); len(got.Hits) != 1 {
			t.Errorf("%s: words found %q", part, memtest.Texts(got.Hits))
		}
	}
}

// panicking panics where it is asked what something means, or what is near.
type panicking struct {
	memory.Embedder
	vectors.Store
}

func (panicking) Embed(context.Context, []string) ([][]float32, error) { panic("in Embed") }

func (panicking) Search(context.Context, vectors.Query) ([]vectors.Hit, error) { panic("in Search") }

// keepQuietly keeps turns whose vectors nobody makes.
func keepQuietly(t *testing.T, h *memtest.House, turns ...memory.Turn) {
	t.Helper()
	err := h.Store.InTx(t.Context(), func(tx store.Tx) error {
		for i, turn := range turns {
			var err error
			if turns[i], err = memory.Prepare(turn); err != nil {
				return err
			}
		}
		_, _, err := h.KeepTx(t.Context(), tx, turns)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

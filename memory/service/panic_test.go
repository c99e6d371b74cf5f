package service

import (
	"context"
	"slices"
	"testing"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
)

// A panic in the embedder or in the store of vectors is that one's failure: words
// answer alone, and where they are not wanted, nothing does.
func TestPanicNearbyIsAFailure(t *testing.T) {
	t.Parallel()
	for part, panics := range map[string]func(*Config){
		"embedder": func(c *Config) { c.Embedder = panicking{c.Embedder, c.Vectors} },
		"vectors":  func(c *Config) { c.Vectors = panicking{c.Embedder, c.Vectors} },
	} {
		h := newHouse(t, panics)
		in := h.margaret(t)
		h.keepQuietly(t, talk(in, "one", november, "My dog chased a squirrel.")...)
		for _, lists := range []func(*search.Query){func(*search.Query) {}, only(search.ListVector)} {
			if got := h.ask(t, in, "dog", lists); !slices.Equal(got.Degraded, []string{"vectors"}) {
				t.Errorf("%s: found %q, degraded %q", part, texts(got.Hits), got.Degraded)
			}
		}
		if got := h.ask(t, in, "dog"); len(got.Hits) != 1 {
			t.Errorf("%s: words found %q", part, texts(got.Hits))
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
func (h *house) keepQuietly(t *testing.T, turns ...memory.Turn) {
	t.Helper()
	err := h.st.InTx(t.Context(), func(tx store.Tx) error {
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

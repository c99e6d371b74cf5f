package memory

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/survive"
)

// broken panics where consents are asked for.
type broken struct{ *shelf }

func (broken) ConsentScopes(context.Context, store.PersonID) (map[people.Scope]bool, error) {
	panic("in ConsentScopes")
}

// A panic in what memory does beside a search, or a load that others wait for,
// is the failure of that alone.
func TestPanicInMemoryIsAFailure(t *testing.T) {
	t.Parallel()
	quiet := slog.New(slog.DiscardHandler)
	p := NewProfile(Config{Source: allowed(), Consents: broken{allowed()}, Log: quiet})
	t.Cleanup(p.Close)
	for range 2 { // a failure is not kept
		if _, err := p.Recall(t.Context(), margaret(), "roses"); !errors.Is(err, survive.ErrPanic) {
			t.Errorf("recall: %v", err)
		}
	}
}

// A panic in the embedder or in the store of vectors is that one's failure: words
// answer alone, and where they are not wanted, nothing does.
func TestPanicNearbyIsAFailure(t *testing.T) {
	t.Parallel()
	for part, panics := range map[string]func(*ServiceConfig){
		"embedder": func(c *ServiceConfig) { c.Embedder = panicking{c.Embedder, c.Vectors} },
		"vectors":  func(c *ServiceConfig) { c.Vectors = panicking{c.Embedder, c.Vectors} },
	} {
		h := newHouse(t, panics)
		in := h.margaret(t)
		h.keepQuietly(t, talk(in, "one", november, "My dog chased a squirrel.")...)
		for _, lists := range []func(*Query){func(*Query) {}, only(ListVector)} {
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
	Embedder
	vectors.Store
}

func (panicking) Embed(context.Context, []string) ([][]float32, error) { panic("in Embed") }

func (panicking) Search(context.Context, vectors.Query) ([]vectors.Hit, error) { panic("in Search") }

// keepQuietly keeps turns whose vectors nobody makes.
func (h *house) keepQuietly(t *testing.T, turns ...Turn) {
	t.Helper()
	err := h.st.InTx(t.Context(), func(tx store.Tx) error {
		for i, turn := range turns {
			var err error
			if turns[i], err = prepare(turn); err != nil {
				return err
			}
		}
		_, _, err := h.keepTx(t.Context(), tx, turns)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

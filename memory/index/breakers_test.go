package index_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/memory/vectors/embed"
)

const (
	// failuresInARow is after how many a part that searches wait for is left alone,
	// restAfter for how long.
	failuresInARow = 3
	restAfter      = 10 * time.Second
)

// A search waits for an embedder that hangs, or for vectors that do, only so often
// before it does without.
func TestSearchesDoNotWaitForWhatIsAway(t *testing.T) {
	t.Parallel()
	hangs := make(chan struct{})
	h := memtest.New(t, func(c *service.Config) { c.VectorWait = 20 * time.Millisecond })
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My dog chased a squirrel.")...)
	h.Embedder.Hang(hangs)
	for n := range 6 {
		found := h.Ask(t, in, "dog")
		if len(found.Hits) != 1 || len(found.Degraded) != 1 || found.Degraded[0] != "embedder" {
			t.Fatalf("search %d found %q, without %v", n, memtest.Texts(found.Hits), found.Degraded)
		}
	}
	if got := h.Embedder.Hung(); got != failuresInARow {
		t.Errorf("%d searches waited for the embedder, want %d", got, failuresInARow)
	}
	h.Embedder.Hang(nil)

	h.Vectors.Fail(vectors.ErrUnreachable)
	tries := h.Vectors.Asked()
	v := make([]float32, memtest.EmbedderDims)
	v[1] = 1
	for range 6 {
		if found := h.Ask(t, in, "dog", func(q *search.Query) { q.Vector = v }); len(found.Hits) != 1 || found.Degraded[0] != "vectors" {
			t.Fatalf("found %q, without %v", memtest.Texts(found.Hits), found.Degraded)
		}
	}
	if got := h.Vectors.Asked() - tries; got != failuresInARow {
		t.Errorf("%d searches asked for vectors, want %d", got, failuresInARow)
	}
}

// An embedder that was left alone is tried again; a text without words and a
// caller who left say nothing about it.
func TestEmbedderIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		emb := &memtest.Embedder{}
		s, err := service.New(service.Config{Vectors: &memtest.Vectors{}, Embedder: emb, Model: "m", Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{embed.ErrEmptyText, context.Canceled, embed.ErrEmptyText, context.Canceled, memtest.ErrAway, memtest.ErrAway, memtest.ErrAway} {
			emb.Fail(err)
			if _, got := s.Means(t.Context(), "dog"); !errors.Is(got, err) {
				t.Fatalf("got %v, want %v", got, err)
			}
		}
		emb.Fail(nil)
		if _, err := s.Means(t.Context(), "dog"); err == nil {
			t.Error("it is not left alone")
		}
		time.Sleep(restAfter + time.Millisecond) //nolint:forbidigo // fake time, in a synctest bubble
		for range 2 {
			if _, err := s.Means(t.Context(), "dog"); err != nil {
				t.Errorf("not tried again: %v", err)
			}
		}
	})
}

package embed_test

import (
	"context"
	"errors"
	"math"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/naiber/naiber/app/sandbox/model"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/memory/vectors/embed"
	"github.com/naiber/naiber/orchestration/llm"
)

// TestContract runs over the real client and a server that speaks the wire.
func TestContract(t *testing.T) {
	t.Parallel()
	for name, dims := range map[string]int{"the model's own size": 0, "a size that was asked for": 64} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := overWire(t, dims)
			testEmbedder(t, e)
			want := dims
			if want == 0 {
				want = 256 // the server's own
			}
			if v, err := e.Embed(t.Context(), []string{"hello"}); err != nil || len(v[0]) != want {
				t.Errorf("not %d numbers: %v, %v", want, v, err)
			}
		})
	}
}

func overWire(t *testing.T, dims int) *embed.Embedder {
	t.Helper()
	srv := httptest.NewServer(model.New(model.Config{}))
	t.Cleanup(srv.Close)
	client, err := llm.New(llm.Config{
		BaseURL: srv.URL + "/v1", Models: []string{"gpt-4o-mini"}, EmbeddingModel: "text-embedding-3-small", EmbeddingDimensions: dims,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return newEmbedder(t, embed.Config{Model: client, Dims: dims})
}

func newEmbedder(t *testing.T, cfg embed.Config) *embed.Embedder {
	t.Helper()
	e, err := embed.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// answers is a model that says what it is told to.
type answers func(texts []string) ([][]float32, error)

func (a answers) Embed(_ context.Context, texts []string) ([][]float32, error) { return a(texts) }

func TestBadAnswers(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		answer [][]float32
		err    error
		want   error
	}{
		"too few":             {[][]float32{{1, 0}}, nil, embed.ErrBadAnswer},
		"too many":            {[][]float32{{1, 0}, {1, 0}, {1, 0}}, nil, embed.ErrBadAnswer},
		"of two sizes":        {[][]float32{{1, 0}, {1, 0, 0}}, nil, vectors.ErrDimension},
		"not a number":        {[][]float32{{1, 0}, {1, float32(math.NaN())}}, nil, vectors.ErrBadVector},
		"without a direction": {[][]float32{{1, 0}, {0, 0}}, nil, embed.ErrBadAnswer},
		"empty":               {[][]float32{{}, {}}, nil, embed.ErrBadAnswer},
		"the model's own":     {nil, broken, broken},
	} {
		e := newEmbedder(t, embed.Config{Model: answers(func([]string) ([][]float32, error) { return c.answer, c.err })})
		if out, err := e.Embed(t.Context(), []string{"one", "two"}); !errors.Is(err, c.want) || out != nil {
			t.Errorf("%s: %v, %v, want %v", name, out, err, c.want)
		}
	}
	e := newEmbedder(t, embed.Config{Dims: 3, Model: answers(func([]string) ([][]float32, error) { return [][]float32{{1, 0}}, nil })})
	if _, err := e.Embed(t.Context(), []string{"one"}); !errors.Is(err, vectors.ErrDimension) {
		t.Errorf("another size than configured: %v", err)
	}
	for _, cfg := range []embed.Config{{}, {Model: e, Dims: -1}, {Model: e, Dims: vectors.MaxDims + 1}} {
		if _, err := embed.New(cfg); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
}

func TestTheModelGetsValidTextsAndItsVectorsLengthOne(t *testing.T) {
	t.Parallel()
	var got []string
	e := newEmbedder(t, embed.Config{Model: answers(func(texts []string) ([][]float32, error) {
		got = texts
		return [][]float32{{3, 4}, {0, 2}}, nil
	})})
	out, err := e.Embed(t.Context(), []string{"short", "bad \xff byte"})
	if err != nil || len(out) != 2 || out[0][0] != 0.6 || out[1][1] != 1 {
		t.Fatalf("%v, %v", out, err)
	}
	if want := []string{"short", "bad \uFFFD byte"}; !slices.Equal(got, want) {
		t.Errorf("the model got %q, want %q", got, want)
	}
}

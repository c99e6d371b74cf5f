package embed_test

import (
	"context"
	"errors"
	"math"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

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

// TestWhatTheModelGets holds the requests to their size, and long texts to whole words.
func TestWhatTheModelGets(t *testing.T) {
	t.Parallel()
	var sizes []int
	var got []string
	e := newEmbedder(t, embed.Config{Batch: 2, MaxRunes: 12, Model: answers(func(texts []string) ([][]float32, error) {
		sizes, got = append(sizes, len(texts)), append(got, texts...)
		out := make([][]float32, len(texts))
		for i := range out {
			out[i] = []float32{3, 4}
		}
		return out, nil
	})})
	out, err := e.Embed(t.Context(), []string{"short", "twelve runes", "a few more words", strings.Repeat("é", 20), "bad \xff byte"})
	if err != nil || len(out) != 5 || out[4][0] != 0.6 {
		t.Fatalf("%v, %v", out, err)
	}
	want := []string{"short", "twelve runes", "a few more", strings.Repeat("é", 12), "bad \uFFFD byte"}
	for i, text := range got {
		if text != want[i] || !utf8.ValidString(text) {
			t.Errorf("text %d went as %q, want %q", i, text, want[i])
		}
	}
	if len(sizes) != 3 || sizes[0] != 2 || sizes[2] != 1 {
		t.Errorf("requests of %v texts, want 2, 2, 1", sizes)
	}
}

package embed_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
)

// Embedder makes one vector of length one for each text, in order.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// closeEnough is what two embeddings of one text may differ by: real servers compute
// in batches, and round.
const closeEnough = 0.999

// texts lie apart for any model that is worth its name.
var texts = []string{
	"My grandson Tom is in hospital with a broken leg.",
	"We planted tomatoes and runner beans this spring.",
	"The doctor changed my blood pressure tablets.",
	"I used to dance at the Palais every Saturday.",
	"The cat has been missing since Tuesday.",
}

// testEmbedder holds an embedder to the contract.
func testEmbedder(t *testing.T, e Embedder) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Embedder){
		"order": testOrder, "one by one": testOneByOne, "nothing": testNothing, "long": testLong,
		"cancelled": testCancelled, "at the same time": testConcurrent, "meaning": testMeaning,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, e)
		})
	}
}

func vectorsOf(t *testing.T, e Embedder, texts ...string) [][]float32 {
	t.Helper()
	out, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatalf("embed: %v", err)
	}
	if len(out) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(out), len(texts))
	}
	for i, v := range out {
		if len(v) == 0 || len(v) != len(out[0]) {
			t.Fatalf("vector %d has %d dimensions, the first one %d", i, len(v), len(out[0]))
		}
		if length := math.Sqrt(dot(v, v)); math.Abs(length-1) > 1e-4 {
			t.Errorf("vector %d has the length %f, want 1", i, length)
		}
	}
	return out
}

// testOrder asks for texts in two orders.
func testOrder(t *testing.T, e Embedder) {
	t.Helper()
	n := len(texts)
	turned := make([]string, n)
	for i, text := range texts {
		turned[n-1-i] = text
	}
	there, back := vectorsOf(t, e, texts...), vectorsOf(t, e, turned...)
	for i := range there {
		for j := range back {
			if same := dot(there[i], back[j]) >= closeEnough; same != (j == n-1-i) {
				t.Errorf("text %d and turned text %d have the same vector: %v", i, j, same)
			}
		}
	}
}

// testOneByOne holds that company does not change a text's vector, nor time.
func testOneByOne(t *testing.T, e Embedder) {
	t.Helper()
	all := vectorsOf(t, e, texts...)
	for i, text := range texts {
		for range 2 {
			if alone := vectorsOf(t, e, text)[0]; len(alone) != len(all[i]) || dot(alone, all[i]) < closeEnough {
				t.Errorf("text %d alone has another vector than among others", i)
			}
		}
	}
	twice := vectorsOf(t, e, texts[0], texts[1], texts[0])
	if dot(twice[0], twice[2]) < closeEnough {
		t.Error("the same text twice has two vectors")
	}
}

func testNothing(t *testing.T, e Embedder) {
	t.Helper()
	if out, err := e.Embed(t.Context(), nil); err != nil || len(out) != 0 {
		t.Errorf("no texts: %v, %v", out, err)
	}
	for _, empty := range []string{"", "  \n\t", "...", "\u200b"} {
		if out, err := e.Embed(t.Context(), []string{texts[0], empty}); err == nil || out != nil {
			t.Errorf("%q among texts: %d vectors, %v, want an error and none", empty, len(out), err)
		}
	}
}

// testLong embeds as long a text as there is, and one that is not valid.
func testLong(t *testing.T, e Embedder) {
	t.Helper()
	long := vectorsOf(t, e, strings.Repeat(texts[1]+" ", 150), texts[1], texts[2])
	if dot(long[0], long[1]) <= dot(long[0], long[2]) {
		t.Error("a long text about one subject lies closer to another")
	}
	vectorsOf(t, e, "broken \xff\xfe bytes in a sentence")
}

func testCancelled(t *testing.T, e Embedder) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := e.Embed(ctx, texts); !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("got %d vectors, %v, want %v", len(out), err, context.Canceled)
	}
}

func testConcurrent(t *testing.T, e Embedder) {
	t.Helper()
	want := vectorsOf(t, e, texts...)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			got, err := e.Embed(t.Context(), texts)
			if err != nil || len(got) != len(want) {
				t.Errorf("%d vectors, %v", len(got), err)
				return
			}
			for i := range got {
				if dot(got[i], want[i]) < closeEnough {
					t.Errorf("text %d has another vector", i)
				}
			}
		})
	}
	all.Wait()
}

// testMeaning holds the least that a vector must know.
func testMeaning(t *testing.T, e Embedder) {
	t.Helper()
	v := vectorsOf(t, e, "My back hurts today.", "I have pain in my back today.", "We watched the football on television.")
	if near, far := dot(v[0], v[1]), dot(v[0], v[2]); near <= far {
		t.Errorf("a paraphrase lies at %f, another subject at %f", near, far)
	}
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

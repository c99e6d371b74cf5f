package index_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/index"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/memories"
)

// indexBatch is how many texts go to the embedder together at most.
const indexBatch = 64

// TestReembedGoesOn interrupts the making anew of all vectors, and has another
// process go on where it stood.
func TestReembedGoesOn(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	var said []string
	for i := range 3*indexBatch - 10 {
		said = append(said, fmt.Sprint("My dog has ", i, " bones."))
	}
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, said...)...)
	if _, err := h.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := vectorsOf(t, h, in)
	ctx, interrupt := context.WithCancel(t.Context())
	batches := 0
	h.Vectors.Wrote = func() error {
		if batches++; batches == 2 {
			interrupt()
		}
		return nil
	}
	if _, err := h.Reembed(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want an interruption", err)
	}
	h.Vectors.Wrote = nil
	left, err := h.Pending(t.Context())
	if err != nil || left != len(before)-indexBatch {
		t.Errorf("%d of %d are left, %v; want all but the batch that was marked", left, len(before), err)
	}
	lapse(t, h)
	if n, err := h.IndexPending(t.Context()); n != left || err != nil {
		t.Errorf("went on with %d, %v, want the %d that were left", n, err, left)
	}
	if after := vectorsOf(t, h, in); !slices.Equal(after, before) {
		t.Errorf("%d vectors, want the %d from before", len(after), len(before))
	}
}

// vectorsOf lists the vectors of a scope.
func vectorsOf(t *testing.T, h *memtest.House, in memory.Scope) []uuid.UUID {
	t.Helper()
	ids, err := h.Vectors.IDs(t.Context(), index.Scope(in))
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// lapse has every claim on the queue end.
func lapse(t *testing.T, h *memtest.House) {
	t.Helper()
	h.Exec(t, "update memory_queue set claimed_until = now() - interval '1 second'")
}

// TestCrashBetweenVectorAndMark ends the process after the vectors are written
// and before that is noted: it is done again, and nothing is there twice.
func TestCrashBetweenVectorAndMark(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, func(c *service.Config) { c.IndexWait = time.Nanosecond })
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "a: Hello.", "My dog is called Biscuit.", "a: Nice.", "Yes.")...)
	ctx, crash := context.WithCancel(t.Context())
	h.Vectors.Wrote = func() error { crash(); return nil }
	lapse(t, h)
	if _, err := h.IndexPending(ctx); err == nil {
		t.Fatal("no crash")
	}
	h.Vectors.Wrote = nil
	if n, _ := h.Pending(t.Context()); n != 4 || len(vectorsOf(t, h, in)) != 4 {
		t.Fatalf("%d in the queue and %d vectors, want 4 and 4", n, len(vectorsOf(t, h, in)))
	}
	lapse(t, h) // the other process's time is up
	if n, err := h.IndexPending(t.Context()); n != 4 || err != nil {
		t.Errorf("indexed %d, %v", n, err)
	}
	if n, _ := h.Pending(t.Context()); n != 0 || len(vectorsOf(t, h, in)) != 4 {
		t.Errorf("%d in the queue and %d vectors, want 0 and 4", n, len(vectorsOf(t, h, in)))
	}
}

// TestForgottenWhileIndexed forgets a turn while its vector is being made.
func TestForgottenWhileIndexed(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, func(c *service.Config) { c.IndexWait = time.Nanosecond })
	in := h.Margaret(t)
	ids := h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My dog is called Biscuit.")...).IDs
	lapse(t, h)
	h.Vectors.Wrote = func() error {
		h.Vectors.Wrote = nil
		_, err := h.Delete(t.Context(), in, ids...)
		return err
	}
	for range 2 {
		if _, err := h.IndexPending(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := vectorsOf(t, h, in); len(got) != 0 {
		t.Errorf("%d vectors of what was forgotten", len(got))
	}
	if n, _ := h.Pending(t.Context()); n != 0 {
		t.Errorf("%d left in the queue", n)
	}
}

func TestForgottenWhileVectorsAreAway(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	ids := h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My dog is called Biscuit.")...).IDs
	h.Vectors.Fail(vectors.ErrUnreachable)
	if n, err := h.Delete(t.Context(), in, ids...); n != 1 || err != nil {
		t.Fatalf("deleted %d, %v", n, err)
	}
	h.Vectors.Fail(nil)
	if got := h.Ask(t, in, "Biscuit", memtest.Only(search.ListVector)); len(got.Hits) != 0 {
		t.Errorf("found %q, which was forgotten", memtest.Texts(got.Hits))
	}
	lapse(t, h)
	if _, err := h.IndexPending(t.Context()); err != nil || len(vectorsOf(t, h, in)) != 0 {
		t.Errorf("%d vectors are left, %v", len(vectorsOf(t, h, in)), err)
	}
}

func TestForgottenPersonLeavesNoVector(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My dog is called Biscuit.")...)
	h.Exec(t, "delete from people where id = $1", in.Person.UUID)
	if _, err := h.IndexPending(t.Context()); err != nil || len(vectorsOf(t, h, in)) != 0 {
		t.Errorf("%d vectors are left, %v", len(vectorsOf(t, h, in)), err)
	}
	if got := h.Column(t, "select lexeme from memory_terms union all select id::text from memory_queue"); len(got) != 0 {
		t.Errorf("left behind: %q", got)
	}
}

func TestOtherModelMakesAllAnew(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My dog is called Biscuit.")...)
	if _, err := h.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := h.Config
	other.Model, other.Metrics = "bag-of-words-2", nil
	h.Serve(t, other)
	if got := h.Ask(t, in, "Biscuit", memtest.Only(search.ListVector)); len(got.Hits) != 0 {
		t.Errorf("vectors of two models met: %q", memtest.Texts(got.Hits))
	}
	for _, want := range []int{1, 0} {
		if n, err := h.IndexPending(t.Context()); n != want || err != nil {
			t.Errorf("made %d, %v; want %d", n, err, want)
		}
	}
	if got := h.Ask(t, in, "Biscuit", memtest.Only(search.ListVector)); len(got.Hits) != 1 {
		t.Errorf("found %q", memtest.Texts(got.Hits))
	}
	if n, err := h.Reembed(t.Context()); n != 1 || err != nil {
		t.Errorf("made %d anew, %v", n, err)
	}
}

// TestRefusedTextHoldsUpNobody has the embedder refuse one text of many.
func TestRefusedTextHoldsUpNobody(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, func(c *service.Config) { c.IndexWait = time.Nanosecond })
	in := h.Margaret(t)
	h.Embedder.Refuse = "gibberish"
	for i := range 5 {
		text := fmt.Sprint("Word ", i)
		if i == 2 {
			text = "gibberish"
		}
		h.MustKeep(t, memtest.Talk(in, fmt.Sprint("call", i), memtest.November, text)...)
	}
	lapse(t, h)
	if n, err := h.IndexPending(t.Context()); n != 4 || err == nil {
		t.Errorf("made %d, %v; want 4 and an error", n, err)
	}
	if n, err := h.IndexPending(t.Context()); n != 0 || err != nil {
		t.Errorf("then %d, %v: what failed is to be left alone for a while", n, err)
	}
	h.Embedder.Fail(memtest.ErrAway)
	h.Embedder.Refuse = ""
	lapse(t, h)
	if _, err := h.IndexPending(t.Context()); !errors.Is(err, memtest.ErrAway) {
		t.Errorf("without an embedder: %v", err)
	}
	h.Embedder.Fail(nil)
	lapse(t, h)
	if n, err := h.IndexPending(t.Context()); n != 1 || err != nil {
		t.Errorf("in the end %d, %v", n, err)
	}
}

// TestIndexedByMany has several processes work on one queue.
func TestIndexedByMany(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	var said []string
	for i := range 300 {
		said = append(said, fmt.Sprint("Word ", i))
	}
	turns := memtest.Talk(in, "call", memtest.November, said...)
	for i := range turns {
		turns[i].SourceKey = strconv.Itoa(i)
	}
	h.MustKeep(t, turns...) // too many to be indexed at once
	if n, _ := h.Pending(t.Context()); n != 300 {
		t.Fatalf("%d in the queue, want 300", n)
	}
	var wg sync.WaitGroup
	made := make([]int, 3)
	for i := range made {
		wg.Go(func() {
			n, err := h.IndexPending(t.Context())
			if err != nil {
				t.Error(err)
			}
			made[i] = n
		})
	}
	wg.Wait()
	if made[0]+made[1]+made[2] != 300 || len(vectorsOf(t, h, in)) != 300 {
		t.Errorf("made %v, and there are %d, want 300 once", made, len(vectorsOf(t, h, in)))
	}
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	bad := search.DefaultSettings()
	bad.KeywordWeight, bad.VectorWeight, bad.RRFK, bad.Limit = 0, 0, 0, 0
	for name, cfg := range map[string]service.Config{
		"no list has a weight":    {Settings: &bad},
		"an embedder alone":       {Embedder: &memtest.Embedder{}, Model: "m"},
		"a model without a name":  {Embedder: &memtest.Embedder{}, Vectors: &memtest.Vectors{}},
		"vectors of nobody known": {Vectors: &memtest.Vectors{}},
	} {
		if _, err := service.New(cfg); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWithoutVectors(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, func(c *service.Config) { c.Vectors, c.Embedder = nil, nil })
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "My dog is called Biscuit.")...)
	got := h.Ask(t, in, "dog")
	if !slices.Equal(memtest.Texts(got.Hits), []string{"My dog is called Biscuit."}) || len(got.Degraded) != 0 {
		t.Errorf("%+v", got)
	}
	if n, err := h.IndexPending(t.Context()); n != 0 || err != nil {
		t.Errorf("indexed %d, %v", n, err)
	}
	var none memories.Scope
	if !none.Empty() {
		t.Error("nobody's scope is not empty")
	}
}

// An embedding server that takes longer for a whole batch than a request may last
// gets smaller ones, and larger ones again when it has become faster.
func TestBatchesAdaptToASlowEmbedder(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex // guards what follows
	most, sizes := 12, []int(nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		mu.Lock()
		sizes = append(sizes, len(in.Input))
		late := len(in.Input) > most
		mu.Unlock()
		if late {
			<-r.Context().Done() // it would be done after the client has left
			return
		}
		type vector struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var out struct {
			Data []vector `json:"data"`
		}
		for i := range in.Input {
			out.Data = append(out.Data, vector{i, []float32{1, float32(i)}})
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	t.Cleanup(srv.Close)
	client, err := llm.New(llm.Config{BaseURL: srv.URL + "/v1", Models: []string{"none"}, EmbeddingModel: "slow", EmbedDeadline: 1500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	h := memtest.New(t, func(c *service.Config) { c.Embedder, c.IndexWait = client, time.Nanosecond })
	in := h.Margaret(t)
	index := func(conversation string) []int {
		t.Helper()
		var said []string
		for i := range 200 {
			said = append(said, fmt.Sprint(conversation, " had ", i, " bones."))
		}
		h.MustKeep(t, memtest.Talk(in, conversation, memtest.November, said...)...)
		mu.Lock()
		sizes = nil
		mu.Unlock()
		if n, err := h.IndexPending(t.Context()); err != nil || n < 198 {
			t.Fatalf("%d vectors, %v", n, err)
		}
		mu.Lock()
		defer mu.Unlock()
		return sizes
	}
	if got := index("Rex"); slices.Compare(got[:4], []int{64, 32, 16, 8}) != 0 || got[4] > 12 {
		t.Errorf("requests of %v texts", got)
	}
	if left, err := h.Pending(t.Context()); err != nil || left != 0 {
		t.Errorf("%d are left, %v", left, err)
	}
	mu.Lock()
	most = indexBatch
	mu.Unlock()
	if got := index("Biscuit"); slices.Max(got) <= 16 || got[1] > got[0]+max(1, got[0]/8) {
		t.Errorf("a server that is fast again got requests of %v texts", got)
	}
}

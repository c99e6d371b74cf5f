package council_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/storetest"
)

// cut is a model that is cut short: it hands on less than it says, or stops before
// the end of its sentence, as often as it may.
type cut struct {
	*script

	hands int // of each text it hands on so much; 0: all
	stops int // it stops so often after a few words
	asked map[string]int
}

func (c *cut) Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error) {
	text := c.text(req.Messages[1].Content)
	c.asked[text]++
	handed := 0
	res, err := c.script.Stream(ctx, req, func(d llm.Delta) error {
		if c.hands > 0 && handed >= c.hands || c.asked[text] <= c.stops && handed >= 18 {
			return nil
		}
		handed += len(d.Text)
		return yield(d)
	})
	if c.asked[text] <= c.stops {
		res.Text = text[:min(len(text), len(req.Said)+handed)]
	}
	return res, err
}

// held are the messages of a discussion of one round; chunks that differ fail the test.
func held(t *testing.T, model council.Model, reg prometheus.Registerer) []council.MessageShown {
	t.Helper()
	st := storetest.New(t)
	h := open(t, st, &script{}, checkpoint.NewMemory(6), func(cfg *council.Config) { cfg.Model, cfg.Metrics = model, reg })
	id := h.start(t, margaret(t, st), 1)
	if err := h.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	_ = transcript(t, st, id)
	_, shown, err := h.Show(t.Context(), id)
	if err != nil || len(shown.Rounds) != 1 || len(shown.Rounds[0].Messages) != 3 {
		t.Fatalf("%+v, %v", shown, err)
	}
	return shown.Rounds[0].Messages
}

// What the chunks lack of the final text is sent before the message is complete.
func TestMissingChunks(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	for _, m := range held(t, &cut{script: &script{}, hands: 20, asked: map[string]int{}}, reg) {
		if !strings.HasSuffix(m.Content, ".") {
			t.Errorf("turn %d: %q", m.Turn, m.Content)
		}
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if n := f.GetMetric()[0].GetCounter().GetValue(); f.GetName() == "naiber_council_missing_chunks_total" && n != 3 {
			t.Errorf("counted %v", n)
		}
	}
}

// A message that stops in the middle of a sentence is completed, once.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	for stops, whole := range map[int]bool{1: true, 2: false} {
		m := &cut{script: &script{}, stops: stops, asked: map[string]int{}}
		for _, said := range held(t, m, prometheus.NewRegistry()) {
			if ends := strings.HasSuffix(said.Content, "."); ends != whole {
				t.Errorf("%d stops, turn %d: %q", stops, said.Turn, said.Content)
			}
		}
		for text, n := range m.asked {
			if n != 2 {
				t.Errorf("%d stops: asked %d times for %q", stops, n, text)
			}
		}
	}
}

// Of a message that broke off, half is not the whole of it: neither as it breaks off
// nor where no model answers when it is tried again. Where a model has nothing to add,
// it is.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	const half = "data: {\"choices\":[{\"delta\":{\"content\":\"Sleep is\"}}]}\n\n"
	var begins, answers atomic.Bool
	begins.Store(true)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		switch {
		case begins.Swap(false):
			_, _ = io.WriteString(w, half)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case answers.Load():
			_, _ = io.WriteString(w, "data: [DONE]\n\n")
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(srv.Close)
	client, err := llm.New(llm.Config{BaseURL: srv.URL + "/v1", Models: []string{"gpt-4o"}, APIKey: "test"})
	must(t, err)
	t.Cleanup(client.Close)
	st := storetest.New(t)
	h := open(t, st, nil, checkpoint.NewMemory(6), func(cfg *council.Config) { cfg.Model = client })
	id := h.start(t, margaret(t, st), 1)
	for i, want := range []string{council.Incomplete, council.Incomplete, council.Whole} {
		if i > 0 {
			_, err := h.Prolong(t.Context(), id, "", "daughter")
			must(t, err)
		}
		answers.Store(i == 2)
		must(t, h.Run(t.Context(), id))
		d, shown, err := h.Show(t.Context(), id)
		if err != nil || d.Status != discussions.Failed || shown.Rounds[0].Messages[0].Status != want || shown.Rounds[0].Messages[0].Content != "Sleep is" {
			t.Fatalf("try %d: %s %+v, %v", i+1, d.Status, shown.Rounds, err)
		}
	}
}

// halfSummary is a model that breaks off as it sums up.
type halfSummary struct{ *script }

func (h halfSummary) Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error) {
	res, err := h.script.Stream(ctx, req, yield)
	if strings.HasPrefix(req.Messages[0].Content, "Sum up") {
		res.FinishReason, res.Cause = llm.FinishBroken, errCrash
	}
	return res, err
}

// Half a summary stands for nothing.
func TestBrokenSummary(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	h := open(t, st, nil, checkpoint.NewMemory(6), func(cfg *council.Config) {
		cfg.Model, cfg.HistoryTokens = halfSummary{&script{another: true}}, 60
	})
	id := h.start(t, margaret(t, st), 3)
	must(t, h.Run(t.Context(), id))
	if d, err := st.Discussion(t.Context(), id); err != nil || d.Status != discussions.Failed {
		t.Errorf("%s, %v", d.Status, err)
	}
}

// A long history is summarised, and a long discussion begins no round by itself.
func TestBudgets(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := margaret(t, st)
	for name, row := range map[string]struct {
		history, discussion int
		rounds              int
		summed              bool
	}{
		"room":         {6000, 8000, 3, false},
		"long history": {60, 8000, 3, true},
		"long":         {6000, 1, 1, false},
	} {
		model := &script{another: true}
		h := open(t, st, model, checkpoint.NewMemory(6), func(cfg *council.Config) {
			cfg.HistoryTokens, cfg.DiscussionTokens = row.history, row.discussion
		})
		id := h.start(t, p, 3)
		if err := h.Run(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		_, shown, err := h.Show(t.Context(), id)
		if err != nil || len(shown.Rounds) != row.rounds {
			t.Errorf("%s: %d rounds, %v", name, len(shown.Rounds), err)
		}
		last := model.prompts[slices.IndexFunc(model.prompts, func(p string) bool {
			return strings.Contains(p, fmt.Sprintf("\nROUND %d\n", row.rounds)) && strings.HasSuffix(p, "the moderator.")
		})]
		if strings.Contains(last, "Before that, in short: ") != row.summed {
			t.Errorf("%s: the last prompt is\n%s", name, last)
		}
		if row.rounds > 1 && !strings.Contains(last, fmt.Sprintf("Round %d", row.rounds-1)) && !row.summed {
			t.Errorf("%s: the round before is missing in\n%s", name, last)
		}
	}
}

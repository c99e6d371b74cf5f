package learn

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// meanings embeds a text as which of a few meanings it has: an axis for each.
type meanings struct {
	fail error
	svc  *service.Service     // which indexes by them
	reg  *prometheus.Registry // of the learner
}

var axes = [][]string{{"hospital", "ward"}, {"dog", "terrier", "biscuit"}, {"roses", "garden"}}

func (m *meanings) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if m.fail != nil {
		return nil, m.fail
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, len(axes)+1)
		v[len(axes)] = 0.1 // no text is without a meaning
		for k, words := range axes {
			if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(text), w) }) {
				v[k] = 1
			}
		}
		out[i] = v
	}
	return out, nil
}

// withMeaning has a house's facts found by what they mean as well.
func withMeaning(t *testing.T) (*house, *meanings) {
	t.Helper()
	const model = "meanings@1"
	m := &meanings{reg: prometheus.NewRegistry()}
	h := newHouse(t, func(c *Config) {
		c.Vectors, c.Embedder, c.EmbeddingModel = vectors.NewPostgres(c.Store, vectors.PostgresConfig{}), m, model
		c.Metrics = m.reg
		var err error
		m.svc, err = service.New(service.Config{
			Store: c.Store, Vectors: c.Vectors, Embedder: m, Model: model, IndexWait: time.Minute, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		c.Memory = m.svc
	})
	return h, m
}

func TestFactsAlikeInMeaning(t *testing.T) {
	t.Parallel()
	h, m := withMeaning(t)
	add := func(who store.PersonID, text string) uuid.UUID {
		t.Helper()
		f := memories.Fact{ID: uuid.New(), PersonID: who, Text: text, Kind: "pet", Confidence: 1, LearnedAt: tuesday}
		if err := h.st.InTx(t.Context(), func(tx store.Tx) error { return h.st.AddMemoryFact(t.Context(), tx, f, nil, nil) }); err != nil {
			t.Fatal(err)
		}
		return f.ID
	}
	walter := h.person(t, "Walter", people.ScopeMemory)
	dog := add(h.who.ID, "Biscuit sleeps beside her")
	add(h.who.ID, "Margaret grows roses")
	add(walter.ID, "Walter walks his dog") // is nobody else's
	if _, err := m.svc.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := h.lesson(t.Context(), spokenIn(h.call(t, tuesday, "Hello.")))
	if err != nil {
		t.Fatal(err)
	}
	drafts := []draft{
		{Fact: memories.Fact{ID: uuid.New(), Text: "The terrier is old"}},
		{Fact: memories.Fact{ID: uuid.New(), Text: "It rained"}},
	}
	if diff := cmp.Diff([][]uuid.UUID{{dog}, nil}, s.alikeInMeaning(t.Context(), drafts)); diff != "" {
		t.Error(diff)
	}
	near, err := s.similar(t.Context(), drafts)
	if err != nil || len(near[0]) != 1 || near[0][0].ID != dog || len(near[1]) != 0 {
		t.Errorf("compared with %v, %v", near, err)
	}

	// The words alone will do while nothing can be embedded.
	m.fail = errors.New("the embedder is away")
	if diff := cmp.Diff([][]uuid.UUID{nil, nil}, s.alikeInMeaning(t.Context(), drafts)); diff != "" {
		t.Error(diff)
	}
	families, err := m.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "naiber_learn_degraded_total" && f.GetMetric()[0].GetCounter().GetValue() == 1 {
			return
		}
	}
	t.Error("not counted")
}

// TestNewsInOtherWords has a fact ended by one that shares its meaning, not its words.
func TestNewsInOtherWords(t *testing.T) {
	t.Parallel()
	h, m := withMeaning(t)
	h.model.on(TaskFacts, func(task Task) (any, error) {
		if strings.Contains(task.User, "discharged") {
			return FactsAnswer{Facts: []FactAnswer{fact("Tom was discharged from the ward", "health", 1)}}, nil
		}
		return FactsAnswer{Facts: []FactAnswer{fact("Tommy lies in hospital", "health", 1)}}, nil
	})
	var compared string
	h.model.on(TaskRevision, func(task Task) (any, error) { compared = task.User; return RevisionAnswer{}, nil })
	h.learn(t, h.call(t, tuesday, "Tommy lies in hospital."))
	if _, err := m.svc.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "Tom was discharged from the ward."))
	if !strings.Contains(compared, "OLD 1: «Tommy lies in hospital»") {
		t.Errorf("compared: %q", compared)
	}
}

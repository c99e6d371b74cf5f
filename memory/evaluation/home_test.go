package evaluation

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/app/sandbox/model"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/learn"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func load(tb testing.TB) []Elder {
	tb.Helper()
	return loadFrom(tb, ".")
}

func loadFrom(tb testing.TB, folder string) []Elder {
	tb.Helper()
	all, err := Load(os.DirFS("testdata"), folder)
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// known is an embedder that asks for each text once.
type known struct {
	memory.Embedder
	mu      sync.Mutex // guards vectors
	vectors map[string][]float32
}

func (k *known) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var fresh []string
	for _, t := range texts {
		if k.vectors[t] == nil {
			fresh = append(fresh, t)
		}
	}
	if len(fresh) > 0 {
		made, err := k.Embedder.Embed(ctx, fresh)
		if err != nil {
			return nil, err
		}
		for i, t := range fresh {
			k.vectors[t] = made[i]
		}
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = k.vectors[t]
	}
	return out, nil
}

// embedder is the model that the environment names, or else the sandbox's, spoken to
// as to any other.
func embedder(tb testing.TB) *known {
	tb.Helper()
	url := os.Getenv(embedderURL) //nolint:forbidigo // it configures the measurement, not the program
	if url == "" {
		srv := httptest.NewServer(model.New(model.Config{}))
		tb.Cleanup(srv.Close)
		url = srv.URL + "/v1"
	}
	client, err := llm.New(llm.Config{BaseURL: url, Models: []string{"gpt-4o-mini"}, EmbeddingModel: "text-embedding-3-small"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(client.Close)
	return &known{Embedder: client, vectors: map[string][]float32{}}
}

// embedderURL names the environment's variable with the address of a server that
// embeds as OpenAI does: http://127.0.0.1:8000/v1.
const embedderURL = "EVAL_EMBEDDINGS"

// home is a memory in which everybody's calls were kept, and what was to be
// forgotten was.
type home struct {
	*service.Service
	st      *store.Store
	elders  []Elder
	people  []memory.Scope
	learner *learn.Learner // nil if nothing is learned by a model
}

// how says what a memory is made of.
type how struct {
	apart bool // each turn by itself, without those around it
	facts bool // with what is to be learned from the turns, written by hand
	names bool // with whom they speak of, written by hand
	// model is with facts and names as a model learns them; nil means not.
	model learn.Model
}

func newHome(tb testing.TB, elders []Elder, e memory.Embedder, how how) *home {
	tb.Helper()
	h := &home{st: storetest.New(tb), elders: elders}
	shelf := vectors.NewPostgres(h.st, vectors.PostgresConfig{})
	tb.Cleanup(func() { _ = shelf.Close() })
	var err error
	h.Service, err = service.New(service.Config{
		Store: h.st, Vectors: shelf, Embedder: e, Model: "offline", VectorWait: time.Minute, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		tb.Fatal(err)
	}
	if how.model != nil {
		h.learner = newLearner(tb, h, shelf, e, how.model)
	}
	for _, e := range elders {
		h.people = append(h.people, h.move(tb, e, how))
	}
	if _, err := h.IndexPending(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return h
}

// move keeps all of one person, and forgets what is to be forgotten only then.
func (h *home) move(tb testing.TB, e Elder, how how) memory.Scope {
	tb.Helper()
	p, err := h.st.CreatePerson(tb.Context(), people.Person{
		Name: e.Name, PreferredName: e.CallName, Phone: "+15550100123", Timezone: e.Zone, Language: "en",
	}, nil, []people.Consent{{Scope: people.ScopeMemory, GivenBy: e.Name, How: "by telephone"}})
	if err != nil {
		tb.Fatal(err)
	}
	in := memory.Scope{Person: p.ID}
	turns := e.Memories(in, how.apart)
	if h.learner != nil {
		h.study(tb, e, in, turns)
	} else if _, err := h.Keep(tb.Context(), turns); err != nil {
		tb.Fatal(err)
	}
	if how.facts {
		h.learn(tb, e, in)
	}
	if how.names {
		h.meet(tb, e, in)
	}
	gone := e.Gone(in)
	if n, err := h.Delete(tb.Context(), in, gone...); err != nil || n != len(gone) {
		tb.Fatalf("%d of %d turns of %s forgotten: %v", n, len(gone), e.Name, err)
	}
	return in
}

// meet keeps whom a person speaks of, and what they are to the person.
func (h *home) meet(tb testing.TB, e Elder, in memory.Scope) {
	tb.Helper()
	ids := e.Tagged(in)
	self := memories.Entity{ID: factID(in, "self"), Kind: "person", Name: e.CallName, Aliases: []string{memory.Alias(e.CallName), memory.Alias(e.Name)}}
	err := h.st.InTx(tb.Context(), func(tx store.Tx) error {
		if err := h.st.SaveMemoryEntity(tb.Context(), tx, in.Person, self, e.Asked, nil); err != nil {
			return err
		}
		for _, n := range e.Names {
			var from []uuid.UUID
			for _, tag := range n.From {
				from = append(from, ids[tag])
			}
			who := memories.Entity{ID: factID(in, n.Name), Kind: n.Kind, Name: n.Name, Aliases: []string{memory.Alias(n.Name)}}
			if err := h.st.SaveMemoryEntity(tb.Context(), tx, in.Person, who, e.Asked, from); err != nil {
				return err
			}
			to := self.ID
			if n.To != "" {
				to = factID(in, n.To)
			}
			err := h.st.AddMemoryRelation(tb.Context(), tx, memories.Relation{
				ID: uuid.New(), From: who.ID, To: to, Label: strings.ReplaceAll(n.Relation, " ", "_"), Since: e.Asked,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// factID is the same each time.
func factID(in memory.Scope, id string) uuid.UUID { return uuid.NewSHA1(in.Person.UUID, []byte(id)) }

// learn keeps the facts of a person, and closes those that others took the place of.
func (h *home) learn(tb testing.TB, e Elder, in memory.Scope) {
	tb.Helper()
	ids := e.Tagged(in)
	err := h.st.InTx(tb.Context(), func(tx store.Tx) error {
		var all []uuid.UUID
		for _, f := range e.Facts {
			var from, on []uuid.UUID
			for _, tag := range f.From {
				from = append(from, ids[tag])
			}
			if f.DependsOn != "" {
				on = append(on, factID(in, f.DependsOn))
			}
			all = append(all, from...)
			err := h.st.AddMemoryFact(tb.Context(), tx, memories.Fact{
				ID: factID(in, f.ID), PersonID: in.Person, Text: f.Text, Kind: f.Kind, Topic: f.Topic, Confidence: 1, LearnedAt: e.Calls[0].At,
			}, from, on)
			if err != nil {
				return err
			}
		}
		for _, f := range e.Facts {
			if f.ClosedBy == "" {
				continue
			}
			if ok, err := h.st.CloseMemoryFact(tb.Context(), tx, in.Person, factID(in, f.ID), factID(in, f.ClosedBy), f.ClosedAt, f.ClosedAt); err != nil || !ok {
				tb.Errorf("close fact %s of %s: %t, %v", f.ID, e.Name, ok, err)
			}
		}
		return h.Refresh(tb.Context(), tx, all...)
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// ask puts every question, and calls each with what was found.
func (h *home) ask(tb testing.TB, set search.Settings, each func(e Elder, in memory.Scope, q Question, r Result, found search.Found)) Tally {
	tb.Helper()
	all := Tally{}
	for i, e := range h.elders {
		in := h.people[i]
		ids, gone := e.Tagged(in), e.Gone(in)
		for _, q := range e.Questions {
			found, err := h.Search(tb.Context(), search.Query{Scope: in, Text: q.Text, Now: e.Asked, Settings: &set})
			if err != nil || len(found.Degraded) > 0 {
				tb.Fatalf("search %q: %v, degraded %v", q.Text, err, found.Degraded)
			}
			r := Score(q, ids, gone, found.Hits)
			all.Add(q.Kind, r)
			if each != nil {
				each(e, in, q, r, found)
			}
		}
	}
	return all
}

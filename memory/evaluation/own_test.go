package evaluation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/naiber/naiber/app/sandbox/model"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/learn"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/memories"
)

// pupil is the sandbox's model as learning asks it.
type pupil struct{ client *llm.Client }

var forms = map[string]llm.Schema{
	learn.TaskFacts:    llm.SchemaOf[learn.FactsAnswer](learn.TaskFacts),
	learn.TaskRevision: llm.SchemaOf[learn.RevisionAnswer](learn.TaskRevision),
	learn.TaskNames:    llm.SchemaOf[learn.NamesAnswer](learn.TaskNames),
	learn.TaskPromises: llm.SchemaOf[learn.PromisesAnswer](learn.TaskPromises),
	learn.TaskSummary:  llm.SchemaOf[learn.SummaryAnswer](learn.TaskSummary),
	learn.TaskTopic:    llm.SchemaOf[learn.TopicAnswer](learn.TaskTopic),
}

func (p pupil) Ask(ctx context.Context, t learn.Task, out any) error {
	err := p.client.Structured(ctx, llm.Request{Background: true, Messages: []llm.Message{
		{Role: llm.RoleSystem, Content: t.System}, {Role: llm.RoleUser, Content: t.User},
	}}, forms[t.Name], out)
	if errors.Is(err, llm.ErrInvalidAnswer) {
		return fmt.Errorf("%w: %w", learn.ErrBadAnswer, err)
	}
	return err
}

// noWish is who forgets where nobody asks for it: what is to be forgotten is
// forgotten by its tags.
type noWish struct{}

func (noWish) Forget(context.Context, learn.ForgetRequest) error { return nil }

// modelAt asks the server at url, which may take a while.
func modelAt(tb testing.TB, url string) pupil {
	tb.Helper()
	client, err := llm.New(llm.Config{BaseURL: url, Models: []string{"gpt-4o"}, BackgroundDeadline: time.Hour})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(client.Close)
	return pupil{client}
}

func sandboxModel(tb testing.TB) pupil {
	tb.Helper()
	srv := httptest.NewServer(model.New(model.Config{}))
	tb.Cleanup(srv.Close)
	return modelAt(tb, srv.URL+"/v1")
}

func newLearner(tb testing.TB, h *home, shelf vectors.Store, e memory.Embedder, m learn.Model) *learn.Learner {
	tb.Helper()
	l, err := learn.New(learn.Config{
		Store: h.st, Memory: h.Service, Model: m, Forgetter: noWish{}, Vectors: shelf, Embedder: e, EmbeddingModel: "offline",
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// study keeps calls one after the other, and learns from each before the next.
// They are kept as sessions, which may have turns under any name.
func (h *home) study(tb testing.TB, e Elder, in memory.Scope, turns []memory.Turn) {
	tb.Helper()
	for i, c := range e.Calls {
		ses, _, err := h.st.EnsureChatSession(tb.Context(), fmt.Sprintf("%s %d", e.Name, i), in.Person, in.Project)
		if err != nil {
			tb.Fatal(err)
		}
		call := turns[:len(c.Turns)]
		turns = turns[len(c.Turns):]
		for j := range call {
			call[j].Conversation = ses.ID.String()
		}
		if _, err := h.Keep(tb.Context(), call); err != nil {
			tb.Fatal(err)
		}
		w := memories.Writing{Session: ses.ID, PersonID: in.Person, Through: call[len(call)-1].At}
		if err := h.learner.LearnWriting(tb.Context(), w); err != nil {
			tb.Fatal(err)
		}
	}
}

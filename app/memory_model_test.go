package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/app/sandbox/model"
	"github.com/naiber/naiber/memory/learn"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// TestLearnWithTheSandboxModel learns from two calls with the simulated model, over
// real HTTP.
func TestLearnWithTheSandboxModel(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(model.New(model.Config{}))
	t.Cleanup(server.Close)
	log := slog.New(slog.DiscardHandler)
	client, err := llm.New(llm.Config{BaseURL: server.URL + "/v1", APIKey: "key", Models: []string{"gpt-4o"}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	st := storetest.New(t)
	svc, err := service.New(service.Config{Store: st, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	learner, err := learn.New(learn.Config{
		Store: st, Memory: svc, Model: learnModel{client}, Forgetter: nothingToForget{}, Log: log,
		Summaries: learn.SummarySettings{ThresholdTokens: 10, MinTurnsSince: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	who, err := st.CreatePerson(t.Context(), people.Person{
		Name: "Margaret Miller", PreferredName: "Margaret", Phone: "+15550100123", Timezone: "America/New_York", Language: "en",
	}, nil, []people.Consent{{Scope: people.ScopeMemory, GivenBy: "Margaret", How: "by telephone"}})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, time.November, 3, 15, 0, 0, 0, time.UTC)
	for i, said := range [][]string{
		{
			"a: Good morning, Margaret. How are you?", "My son Tom is in hospital.", "a: Oh dear. I'll ask how Tom is getting on.",
			"I take warfarin for my heart. Our dog Biscuit sleeps on the sofa.", "a: Anything planned?", "I have an eye appointment on Friday.",
		},
		{"a: How is Tom?", "Tom came home yesterday."},
	} {
		c, err := st.CreateCall(t.Context(), calls.NewCall{PersonID: who.ID, Type: "general", Direction: "outbound", Phone: who.Phone})
		if err != nil {
			t.Fatal(err)
		}
		at := at.AddDate(0, 0, 7*i)
		for j, s := range said {
			u := calls.Utterance{CallID: c.ID, Role: calls.RoleUser, Text: s, ConversationID: "conv", At: at.Add(time.Duration(j) * time.Second)}
			if rest, ok := strings.CutPrefix(s, "a: "); ok {
				u.Role, u.Text = calls.RoleAssistant, rest
			}
			if _, err := st.AddUtterance(t.Context(), u); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := st.FinishCall(t.Context(), c.ID, calls.Ending{Outcome: "completed", Cause: "hung_up", By: "person"}, nil); err != nil {
			t.Fatal(err)
		}
		c.CreatedAt = at
		if err := learner.Learn(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := learner.Recollect(t.Context(), who, at.AddDate(0, 0, 8), 20)
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, f := range rec.Facts {
		known = append(known, f.Text)
	}
	for _, want := range []string{"Tom came home on Monday 9 November 2026.", "I take warfarin for my heart.", "Our dog Biscuit sleeps on the sofa."} {
		if !slices.Contains(known, want) {
			t.Errorf("facts lack %q: %q", want, known)
		}
	}
	if slices.Contains(known, "My son Tom is in hospital.") {
		t.Errorf("still in hospital: %q", known)
	}
	if rec.Summary == "" || len(rec.Promises) == 0 {
		t.Errorf("summary %q, promises %v", rec.Summary, rec.Promises)
	}
	graph, err := svc.Around(t.Context(), memories.Scope{Person: who.ID}, "How are Tom and Biscuit?")
	if text := learn.FormatGraph(graph.Graph); err != nil || !strings.Contains(text, "→ son Tom (person)") || !strings.Contains(text, "→ dog Biscuit (pet)") {
		t.Errorf("graph: %s, %v", text, err)
	}
}

// nothingToForget is who forgets where nobody asks for it.
type nothingToForget struct{}

func (nothingToForget) Forget(context.Context, learn.ForgetRequest) error {
	return errors.New("nobody asked for anything to be forgotten")
}

func TestLearnModelKnowsItsQuestions(t *testing.T) {
	t.Parallel()
	if err := (learnModel{}).Ask(t.Context(), learn.Task{Name: "weather"}, nil); err == nil || errors.Is(err, learn.ErrBadAnswer) {
		t.Errorf("err = %v", err)
	}
}

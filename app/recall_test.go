package app

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// remembered is somebody with a file, who allows being remembered.
func (a *App) remembered(t *testing.T, p people.Person) people.Person {
	t.Helper()
	p.Name, p.PreferredName, p.Phone, p.Timezone, p.Language = "Ada Winter", "Ada", "+15550100123", "UTC", "en"
	p, err := a.store.CreatePerson(t.Context(), p, nil, []people.Consent{
		{Scope: people.ScopeMemory, GivenBy: "Ada", How: "on paper"}, {Scope: people.ScopeRecording, GivenBy: "Ada", How: "on paper"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// limit sets a limit of somebody.
func (a *App) limit(t *testing.T, l memories.Limit) {
	t.Helper()
	l.By = "Ada"
	if _, err := a.memory.SetLimit(t.Context(), l); err != nil {
		t.Fatal(err)
	}
}

// An opening leaves out of a person's file what is not to be brought up; it is
// there again when the person speaks of what only cools down.
func TestLimitsOnAFile(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	ada := a.remembered(t, people.Person{Conditions: []string{"arthritis"}, Notes: "Her brother Karl drinks."})
	until := time.Now().Add(time.Hour)
	a.limit(t, memories.Limit{PersonID: ada.ID, Topic: "brother", Rule: memories.NeverRaise})
	a.limit(t, memories.Limit{PersonID: ada.ID, Topic: "arthritis", Rule: memories.CoolDown, Until: &until})
	got, err := a.openings.Raisable(t.Context(), ada.ID, []string{"Karl, brother", "arthritis", "She grows roses."})
	if err != nil || !slices.Equal(got, []string{"She grows roses."}) {
		t.Errorf("may be raised: %q, %v", got, err)
	}
	ada, err = a.store.Person(t.Context(), ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]bool{"My arthritis is bad.": true, "I grow roses.": false} {
		got, err := a.recall.Recall(t.Context(), ada, words, nil)
		all := strings.Join(got, "\n")
		if err != nil || strings.Contains(all, "arthritis") != want || strings.Contains(all, "Karl") {
			t.Errorf("recalled for %q: %q, %v", words, got, err)
		}
	}
}

// What a person does not want raised is not recalled any more by the turn that
// asks for it, spoken or written, nor what was recalled for the topic before.
func TestLimitsHoldFromTheirTurn(t *testing.T) {
	t.Parallel()
	a := made(t, "") // no embeddings: words alone
	ada := a.remembered(t, people.Person{})
	said := func(text string) memory.Turn {
		return memory.Turn{Scope: memory.Scope{Person: ada.ID}, Speaker: calls.RoleUser, Text: text, At: time.Now(), Source: memories.FromAPI}
	}
	if _, err := a.memory.Keep(t.Context(), []memory.Turn{said("My brother Karl keeps bees."), said("The bees swarmed in May.")}); err != nil {
		t.Fatal(err)
	}
	c, err := a.store.CreateCall(t.Context(), calls.NewCall{PersonID: ada.ID, Type: calls.CallGeneral, Direction: calls.Outbound, Phone: ada.Phone})
	if err != nil {
		t.Fatal(err)
	}
	var recalled string
	persona := a.heed(orchestration.PersonaFunc(func(ctx context.Context, turn *orchestration.Turn, _ *orchestration.Speech) error {
		got, err := a.recall.Recall(ctx, turn.Line.Person, "brother bees", nil)
		recalled = strings.Join(got, "\n")
		return err
	}))
	turn := func(heard string, late bool) {
		t.Helper()
		turn := &orchestration.Turn{Line: calls.Line{Call: c, Person: ada}, Kind: calls.TurnSpeech, Heard: heard, Late: late, At: time.Now()}
		if err := persona.Reply(t.Context(), turn, orchestration.NewSpeech()); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		heard  string
		late   bool
		raised bool
	}{{"My bees.", false, true}, {"Don't talk about my sister or my brother.", true, true}, {"Don't talk about my sister or my brother.", false, false}, {"My bees.", false, false}} {
		turn(step.heard, step.late)
		if strings.Contains(recalled, "Karl") != step.raised || !strings.Contains(recalled, "swarmed") {
			t.Errorf("after %q (late %t): %q", step.heard, step.late, recalled)
		}
	}
	m := &chatMemory{store: a.store, service: a.memory, learner: a.learner, log: a.log, settings: a.cfg.memorySettings()}
	rec, err := m.Recall(t.Context(), chat.Scope{Session: uuid.Must(uuid.NewV7()), Person: ada.ID},
		chat.Query{Text: "I don't want to hear about bees that swarmed.", Now: time.Now(), Limit: 10, KeywordWeight: 1})
	if err != nil || len(rec.Recalled) > 0 || len(rec.Degraded) > 0 {
		t.Errorf("in the text channel: %+v, %v", rec, err)
	}
}

// A health check answers a digression with what the companion knows, and with nothing
// that is not to be brought up.
func TestHealthCheckRecallsWithinLimits(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex // guards prompts
	var prompts []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r) // no embeddings: words alone
			return
		}
		mu.Lock()
		defer mu.Unlock()
		prompts = append(prompts, string(body))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hm."},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(server.Close)
	a := made(t, "", func(c *Config) {
		c.OpenAI.BaseURL = server.URL
		c.RAG.Deadline, c.Health.WordsDeadline = 10*time.Second, 20*time.Second
	})
	ada := a.remembered(t, people.Person{})
	turns := []memory.Turn{{Scope: memory.Scope{Person: ada.ID}, Speaker: calls.RoleUser, Text: "My grandson Peter bakes bread.", At: time.Now(), Source: memories.FromAPI}}
	if _, err := a.memory.Keep(t.Context(), turns); err != nil {
		t.Fatal(err)
	}
	c, err := a.store.CreateCall(t.Context(), calls.NewCall{PersonID: ada.ID, Type: calls.CallHealthCheck, Direction: calls.Outbound, Phone: ada.Phone})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.store.AddConversation(t.Context(), c.ID, "conv_1"); err != nil {
		t.Fatal(err)
	}
	c.ConversationID = "conv_1"
	place := 0
	told := func(heard string) bool {
		t.Helper()
		mu.Lock()
		prompts = nil
		mu.Unlock()
		place += 2
		turn := &orchestration.Turn{
			ID: store.NewTurnID(), Line: calls.Line{Call: c, Person: ada, ConversationID: "conv_1"}, Kind: calls.TurnSpeech,
			Place: place, Since: place, Attempt: 1, Heard: heard, At: time.Now(),
		}
		if err := a.heed(a.replies[calls.CallHealthCheck]).Reply(t.Context(), turn, orchestration.NewSpeech()); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		return slices.ContainsFunc(prompts, func(p string) bool { return strings.Contains(p, "Peter") })
	}
	for _, step := range []struct {
		heard string
		told  bool
	}{
		{"Yes", false},
		{"Did I tell you that my grandson is getting married?", true},
		{"Don't mention my grandson.", false},
		{"You know what, my grandson and bread!", false},
	} {
		if got := told(step.heard); got != step.told {
			t.Errorf("after %q the model was told of him: %t", step.heard, got)
		}
	}
}

package app

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/store"
)

// remembered is somebody with a file, who allows being remembered.
func (a *App) remembered(t *testing.T, p store.Person) store.Person {
	t.Helper()
	p.Name, p.PreferredName, p.Phone, p.Timezone, p.Language = "Ada Winter", "Ada", "+15550100123", "UTC", "en"
	p, err := a.store.CreatePerson(t.Context(), p, nil, []store.Consent{
		{Scope: store.ScopeMemory, GivenBy: "Ada", How: "on paper"}, {Scope: store.ScopeRecording, GivenBy: "Ada", How: "on paper"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// limit sets a limit of somebody.
func (a *App) limit(t *testing.T, l store.MemoryLimit) {
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
	ada := a.remembered(t, store.Person{Conditions: []string{"arthritis"}, Notes: "Her brother Karl drinks."})
	until := time.Now().Add(time.Hour)
	a.limit(t, store.MemoryLimit{PersonID: ada.ID, Topic: "brother", Rule: store.NeverRaise})
	a.limit(t, store.MemoryLimit{PersonID: ada.ID, Topic: "arthritis", Rule: store.CoolDown, Until: &until})
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
	ada := a.remembered(t, store.Person{})
	said := func(text string) memory.Turn {
		return memory.Turn{Scope: memory.Scope{Person: ada.ID}, Speaker: store.RoleUser, Text: text, At: time.Now(), Source: store.MemoryFromAPI}
	}
	if _, err := a.memory.Keep(t.Context(), []memory.Turn{said("My brother Karl keeps bees."), said("The bees swarmed in May.")}); err != nil {
		t.Fatal(err)
	}
	c, err := a.store.CreateCall(t.Context(), store.NewCall{PersonID: ada.ID, Type: store.CallGeneral, Direction: store.Outbound, Phone: ada.Phone})
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
		turn := &orchestration.Turn{Line: store.Line{Call: c, Person: ada}, Kind: store.TurnSpeech, Heard: heard, Late: late, At: time.Now()}
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

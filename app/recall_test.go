package app

import (
	"slices"
	"strings"
	"testing"
	"time"

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

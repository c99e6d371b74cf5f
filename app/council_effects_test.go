package app

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/people"
)

// A confirmed action becomes what it says; nobody is told the labels that it cites.
func TestCouncilEffects(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	ada := a.remembered(t, people.Person{Notes: "She grows roses."})
	by := "Ruth"
	confirm := func(kind, text string, days int) error {
		t.Helper()
		return a.store.InTx(t.Context(), func(tx store.Tx) error {
			return councilEffects{a.store}.Effect(t.Context(), tx, ada, discussions.Action{ActionID: uuid.New(), Kind: kind, Text: text, Days: days, DecidedBy: &by})
		})
	}
	for kind, text := range map[string]string{
		council.ActionPromise: "how the new bed is [A1; C1:7]", council.ActionNote: "She has a\nnew bed [M3].", council.ActionPause: "She is at her son's [C2:4].",
		council.ActionQuestion: "What wakes you at night [A2]?", council.ActionTell: "Tell the daughter.",
	} {
		if err := confirm(kind, text, 14); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
	}
	if err := confirm("dance", "Dance.", 0); !errors.Is(err, council.ErrRefused) {
		t.Errorf("unknown: %v", err)
	}

	for i, want := range []bool{true, false} { // it comes up in the next call, and in no other
		c, err := a.store.CreateCall(t.Context(), calls.NewCall{PersonID: ada.ID, Type: calls.CallGeneral, Direction: calls.Inbound, Phone: ada.Phone})
		if err != nil {
			t.Fatal(err)
		}
		opening, err := a.openings.Recollect(t.Context(), c, ada)
		if err != nil || slices.Contains(opening.Promises, "how the new bed is") != want {
			t.Errorf("opening %d: %q, %v", i+1, opening.Promises, err)
		}
		if _, _, err := a.store.FinishCall(t.Context(), c.ID, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "goodbye", By: "person"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	p, err := a.store.Person(t.Context(), ada.ID)
	if want := "She grows roses.\n" + time.Now().UTC().Format("2 January 2006") + ", Ruth: She has a new bed."; err != nil || p.Notes != want {
		t.Errorf("notes: %q, %v; want %q", p.Notes, err, want)
	}
	pauses, err := a.store.Pauses(t.Context(), ada.ID)
	if err != nil || len(pauses) != 1 || pauses[0].EndsAt == nil || pauses[0].Reason != "She is at her son's." || pauses[0].CreatedBy != "Ruth" {
		t.Fatalf("pauses: %+v, %v", pauses, err)
	}
	if d := time.Until(*pauses[0].EndsAt); d < 13*24*time.Hour || d > 15*24*time.Hour {
		t.Errorf("the pause is %v long", d)
	}
	wanted := a.store.HealthPast(t.Context(), ada.ID, store.NewCallID(), time.Now(), time.Now())
	if wanted.WantedErr != nil || len(wanted.Wanted) != 1 || wanted.Wanted[0].Text != "What wakes you at night?" || wanted.Wanted[0].AskedBy != "Ruth" {
		t.Errorf("to be asked: %+v, %v", wanted.Wanted, wanted.WantedErr)
	}
	if err := confirm(council.ActionNote, strings.Repeat("long ", 2000), 0); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a file without room: %v", err)
	}
	if _, err := a.store.RevokeConsent(t.Context(), ada.ID, people.ScopeMemory, "Ada", "by telephone"); err != nil {
		t.Fatal(err)
	}
	if err := confirm(council.ActionPromise, "how the roses are", 0); !errors.Is(err, council.ErrRefused) {
		t.Errorf("a promise without consent to memory: %v", err)
	}
}

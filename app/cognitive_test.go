package app

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/cognitive"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
)

// A report is of one person's checks, in their own time zone.
func TestCognitiveReportOfAPerson(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	p, err := a.store.CreatePerson(t.Context(), people.Person{Name: "Ada King", BirthDate: "1941-03-29", Phone: "+15550100123", Timezone: "Asia/Kathmandu", Language: "en"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.store.CreateCall(t.Context(), calls.NewCall{PersonID: p.ID, Type: calls.CallCognitive, Direction: calls.Outbound, Phone: p.Phone})
	if err != nil {
		t.Fatal(err)
	}
	six, at := 5, time.Date(2026, 3, 2, 20, 30, 0, 0, time.UTC)
	if err := a.store.SaveCognitiveCheck(t.Context(), cognition.Check{
		CallID: c.ID, PersonID: p.ID, Language: "en", Status: cognition.Complete, StartedAt: at, EndedAt: at,
		Tasks: []cognition.Task{{TaskID: "six_item", Version: "1", Title: "Six-Item Screener", Form: "a", Status: cognition.TaskComplete, Raw: &six, Max: 6, At: at, Confidence: 1}},
	}); err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := a.writeCognitiveReport(t.Context(), &page, p.ID.String()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Ada King", "Six-Item Screener", "Too early to say", "3 March 2026"} { // it was past midnight in Kathmandu
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in %s", want, page.String())
		}
	}
	for _, nobody := range []string{"nonsense", store.NewPersonID().String()} {
		if err := a.writeCognitiveReport(t.Context(), &page, nobody); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a report of %s: %v, want ErrNotFound", nobody, err)
		}
	}
}

// The thread of a check that is under way goes with the person.
func TestCognitiveThreadsGoWithThePerson(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	var threads [2]string
	var ids [2]store.PersonID
	for i, phone := range []string{"+15550100123", "+15550100124"} {
		p, err := a.store.CreatePerson(t.Context(), people.Person{Name: "Ada", Phone: phone, Timezone: "UTC"}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		ids[i], threads[i] = p.ID, cognitive.ThreadName(p.ID, "conv_1")
		a.begin(t, threads[i])
	}
	if err := a.store.DeletePerson(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	if gone, other := a.inPostgres(t, threads[0]), a.inPostgres(t, threads[1]); gone != 0 || other == 0 {
		t.Errorf("%d checkpoints of who is gone, %d of the other", gone, other)
	}
}

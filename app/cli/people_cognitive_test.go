package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
)

// cognitive keeps a cognitive check of somebody with a score of the Six-Item Screener.
func (p *program) cognitive(t *testing.T, person people.Person, at time.Time, six int) cognition.Check {
	t.Helper()
	s := p.tools.Store
	c, err := s.Dial(t.Context(), at, calls.NewCall{PersonID: person.ID, Type: calls.CallCognitive, Direction: calls.Outbound}, func(calls.DialFacts) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.FinishCall(t.Context(), c.ID, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "goodbye", By: "naiber"}, nil); err != nil {
		t.Fatal(err)
	}
	k := cognition.Check{
		CallID: c.ID, PersonID: person.ID, Language: "en", Status: cognition.Partial, StartedAt: at, EndedAt: at.Add(time.Minute),
		Tasks: []cognition.Task{
			{TaskID: "six_item", Version: "1", Status: cognition.TaskComplete, Raw: &six, Max: 6, At: at, Confidence: 1},
			{TaskID: "story", Status: cognition.TaskVoid, At: at},
			{TaskID: "story_later", Status: cognition.TaskNotReached},
		},
	}
	if err := s.SaveCognitiveCheck(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	return k
}

func TestPeopleCognitive(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	ada := p.person(t, "Ada King", "Ada", "+15550100123")
	if out := p.must(t, "people", "cognitive", "ada"); out != "Ada King has had no cognitive check yet.\n" {
		t.Errorf("printed %q", out)
	}
	at := time.Date(2026, 3, 2, 10, 30, 0, 0, time.UTC)
	var last cognition.Check
	for i, six := range []int{6, 6, 5, 6, 2, 1, 1, 1} {
		last = p.cognitive(t, ada, at.AddDate(0, 0, 30*i), six)
	}
	if err := p.tools.Store.CorrectCognitiveTask(t.Context(), last.CallID, "six_item", cognition.Correction{Raw: 2, By: "Ann Lee"}); err != nil {
		t.Fatal(err)
	}
	out := p.must(t, "people", "cognitive", "ada")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, want := range map[int]string{
		1: clockIn(last.StartedAt, ada.Location()) + " partial six_item 2/6 (corrected); not reached: story_later; void: story " + last.CallID.String(),
		9: "MEASURE CHECKS LAST CHANGE INDEX",
	} {
		if len(lines) != 11 || strings.Join(strings.Fields(lines[i]), " ") != want {
			t.Errorf("line %d of %q, want %q", i, lines, want)
		}
	}
	if got := strings.Join(strings.Fields(lines[len(lines)-1]), " "); !strings.Contains(got, "8 2 A change worth discussing with a clinician -") {
		t.Errorf("trend %q", got)
	}
	page := filepath.Join(t.TempDir(), "ada.html")
	p.must(t, "people", "cognitive", "ada", "--report", page)
	if b, err := os.ReadFile(page); err != nil || !strings.Contains(string(b), "Ada King") || !strings.Contains(string(b), "A change worth discussing with a clinician") {
		t.Errorf("the report says %s, %v", b, err)
	}
	var bundle struct {
		ResourceType string
		Entry        []any
	}
	if err := json.Unmarshal([]byte(p.must(t, "people", "cognitive", "ada", "--fhir")), &bundle); err != nil || bundle.ResourceType != "Bundle" || len(bundle.Entry) != 8*4 {
		t.Errorf("FHIR with %d entries, %v", len(bundle.Entry), err)
	}
	var all struct {
		Checks, Trends []struct{ CallID, Measure, Change string }
	}
	if err := json.Unmarshal([]byte(p.must(t, "people", "cognitive", "ada", "--json")), &all); err != nil || len(all.Checks) != 8 || all.Checks[0].CallID != last.CallID.String() ||
		len(all.Trends) != 1 || all.Trends[0].Measure != "six_item" || all.Trends[0].Change != "decline" {
		t.Errorf("JSON = %+v, %v", all, err)
	}
}

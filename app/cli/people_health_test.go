package cli

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/health/report"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/people"
)

// check keeps a health check of somebody.
func (p *program) check(t *testing.T, person people.Person, at time.Time, answers ...checks.Answer) store.CallID {
	t.Helper()
	s := p.tools.Store
	c, err := s.Dial(t.Context(), at, calls.NewCall{PersonID: person.ID, Type: calls.CallHealthCheck, Direction: calls.Outbound},
		func(calls.DialFacts) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.FinishCall(t.Context(), c.ID, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "goodbye", By: "naiber"}, nil); err != nil {
		t.Fatal(err)
	}
	hc := checks.Check{CallID: c.ID, PersonID: person.ID, Status: checks.Completed, StartedAt: at, EndedAt: at.Add(time.Minute), Answers: answers}
	if err := s.SaveHealthCheck(t.Context(), hc); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

func TestPeopleHealth(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	ada := p.person(t, "Ada King", "Ada", "+15550100123")
	if out := p.must(t, "people", "health", "ada"); out != "Ada King has had no health check yet.\n" {
		t.Errorf("printed %q", out)
	}
	at := time.Date(2026, 3, 2, 10, 30, 0, 0, time.UTC)
	answered := func(id, kind, value string) checks.Answer {
		return checks.Answer{QuestionID: id, Question: id + "?", Short: strings.ToUpper(id[:1]) + id[1:], Pack: "daily", Type: kind, Status: "answered", Value: json.RawMessage(value), At: at}
	}
	why := answered("why", "text", `"the wind"`)
	why.FollowUpOf = "sleep"
	weight, interest := answered("weight", "number", "68.5"), answered("phq.interest", "choice", `"not_at_all"`)
	weight.Unit, interest.Short = "kg", "Interest"
	p.check(t, ada, at, checks.Answer{QuestionID: "energy", Type: "scale", Status: "not_reached"})
	second := p.check(t, ada, at.AddDate(0, 0, 1), answered("sleep", "scale", "7"), why, answered("falls", "boolean", "false"), weight, interest,
		answered("plans", "text", `"tea with the whole of the village choir"`),
		checks.Answer{QuestionID: "mood", Short: "Mood", Type: "scale", Status: "refused", At: at},
		checks.Answer{QuestionID: "pain", Short: "Pain", Type: "scale", Status: "not_reached"})

	lines := strings.Split(strings.TrimSpace(p.must(t, "people", "health", "ada")), "\n")
	want := clockIn(at.AddDate(0, 0, 1), ada.Location()) + " completed 6 of 8: Sleep 7, Falls no, Weight 68.5 kg, Interest not at all, Plans tea with the whole of the…; not reached: Pain; refused: Mood " + second.String()
	if len(lines) != 3 || strings.Join(strings.Fields(lines[1]), " ") != want {
		t.Errorf("table = %q\nwant %q", lines, want)
	}
	if !strings.Contains(lines[2], "0 of 1; not reached: energy") {
		t.Errorf("a check without answers = %q", lines[2])
	}
	if lines := strings.Split(strings.TrimSpace(p.must(t, "people", "health", "ada", "--last", "1")), "\n"); len(lines) != 2 {
		t.Errorf("the last one = %q", lines)
	}
	var list []report.HealthCheck
	if err := json.Unmarshal([]byte(p.must(t, "people", "health", "ada", "--json")), &list); err != nil || len(list) != 2 || list[0].CallID != second.String() || list[0].Answers[0].Value != 7.0 {
		t.Errorf("JSON = %+v, %v", list, err)
	}
	rows, err := csv.NewReader(strings.NewReader(p.must(t, "people", "health", "ada", "--csv"))).ReadAll()
	if err != nil || len(rows) != 1+1+8 {
		t.Errorf("%d rows of CSV, %v", len(rows), err)
	}
	var bundle struct {
		ResourceType string
		Entry        []struct{ Resource struct{ ResourceType string } }
	}
	if err := json.Unmarshal([]byte(p.must(t, "people", "health", "ada", "--fhir")), &bundle); err != nil || bundle.ResourceType != "Bundle" || len(bundle.Entry) != 2+9 {
		t.Errorf("FHIR = %+v, %v", bundle, err)
	}
}

// A check that was broken off is not in progress any more once another call went
// on with it.
func TestPeopleHealthWentOnLater(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status    checks.Status
		continued bool
		want      string
	}{
		{checks.InProgress, true, "went on later"},
		{checks.InProgress, false, "in-progress"},
		{checks.Stopped, true, "stopped"},
	} {
		hc := checks.Check{Status: tt.status}
		if tt.continued {
			hc.ContinuedBy = store.NewCallID()
		}
		if got := statusInShort(hc); got != tt.want {
			t.Errorf("%s, continued %t: %q, want %q", tt.status, tt.continued, got, tt.want)
		}
	}
}

func TestPeopleHealthRefuses(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	p.person(t, "Ada King", "Ada", "+15550100123")
	p.refused(t, `nobody is called "bo"`, "people", "health", "bo")
	p.refused(t, "--last is a number from 1 to 10000", "people", "health", "ada", "--last", "0")
	p.refused(t, "csv json", "people", "health", "ada", "--json", "--csv")
}

package fhir

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/r4"
	"github.com/naiber/naiber/internal/r4/r4test"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/cognition"
)

var update = flag.Bool("update", false, "rewrite the golden file")

var started = time.Date(2026, 6, 1, 9, 30, 0, 0, time.FixedZone("NDT", -(2*60+30)*60))

// sample has every status of a task once, and a correction.
func sample() cognition.Check {
	at := func(minute int) time.Time { return started.Add(time.Duration(minute) * time.Minute) }
	return cognition.Check{
		CallID:   store.CallID{UUID: uuid.MustParse("0197a0de-1111-7000-8000-000000000001")},
		PersonID: store.PersonID{UUID: uuid.MustParse("0197a0de-2222-7000-8000-000000000002")},
		Language: "en", Status: cognition.Partial, StartedAt: started,
		Confounders: []cognition.Confounder{{Kind: "sleep", Quote: "I hardly slept", At: at(1)}, {Kind: "noise"}},
		Tasks: []cognition.Task{
			{TaskID: "six_item", Version: "1", Title: "Six-Item Screener", Form: "a", Status: cognition.TaskComplete, Raw: new(5), Max: 6, At: at(3)},
			{
				TaskID: "story", Version: "1", Title: "Story, at once", Form: "c", Status: cognition.TaskComplete, Raw: new(0), Max: 16, At: at(5),
				Correction: &cognition.Correction{Raw: 9, By: "Dr. Byrne", Note: "The line was poor.", At: at(500)},
			},
			{TaskID: "category", Version: "1", Title: "Words of a kind", Form: "b", Status: cognition.TaskVoid, Why: "line_dropped", Raw: new(3), At: at(6)},
			{TaskID: "letter", Version: "1", Title: "Words with a letter", Form: "b", Status: cognition.TaskPartial, Raw: new(2), At: at(7)},
			{TaskID: "reasoning", Title: "Everyday reasoning", Status: cognition.TaskRefused, Max: 6},
			{TaskID: "story_later", Title: "Story, later", Status: cognition.TaskNotReached},
		},
	}
}

func TestBundle(t *testing.T) {
	t.Parallel()
	b := NewBundle([]cognition.Check{sample()}, started.Add(time.Hour), r4.Options{})
	r4test.Valid(t, b)
	got, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const name = "testdata/bundle.json"
	if *update {
		if err := os.WriteFile(name, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What was not finished never carries a value, even where points are on record.
func TestStatuses(t *testing.T) {
	t.Parallel()
	type row struct {
		Status, Absent string
		Value          float64
	}
	want := map[string]row{
		"Six-Item Screener":   {Status: "final", Value: 5},
		"Story, at once":      {Status: "amended", Value: 9},
		"Words of a kind":     {Status: "cancelled", Absent: "unknown"},
		"Words with a letter": {Status: "cancelled", Absent: "unknown"},
		"Everyday reasoning":  {Status: "cancelled", Absent: "asked-declined"},
		"Story, later":        {Status: "cancelled", Absent: "not-asked"},
	}
	got := map[string]row{}
	all := Observations(sample(), r4.Options{})
	for i, ob := range all[1:] {
		r := row{Status: ob.Status}
		if ob.ValueQuantity != nil {
			r.Value = ob.ValueQuantity.Value
		}
		if ob.DataAbsentReason != nil {
			r.Absent = ob.DataAbsentReason.Coding[0].Code
		}
		got[ob.Code.Text] = r
		if all[0].HasMember[i].Reference != "Observation/"+ob.ID {
			t.Errorf("%s is no member of its check", ob.Code.Text)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPostponedCheckIsValid(t *testing.T) {
	t.Parallel()
	later := cognition.Check{CallID: sample().CallID, Status: cognition.Postponed, Confounders: []cognition.Confounder{{Kind: cognition.Suits, Quote: "Tomorrow."}}}
	r4test.Valid(t, NewBundle([]cognition.Check{later}, started, r4.Options{Base: "https://care.example.org/"}))
	if got := Observations(later, r4.Options{})[0].Note[0].Text; got != `When it would suit ("Tomorrow.")` {
		t.Errorf("when it would suit is told as %q", got)
	}
	r4test.Valid(t, NewBundle(nil, started, r4.Options{}))
}

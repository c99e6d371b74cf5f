package tasks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var firstCall = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

func ids(list []Planned) string {
	var out []string
	for _, p := range list {
		out = append(out, p.Task.ID)
	}
	return strings.Join(out, " ")
}

func TestPlan(t *testing.T) {
	t.Parallel()
	const six = "six_item digits_forward digits_back story category letter reasoning "
	day := func(n int) time.Time { return firstCall.AddDate(0, 0, n) }
	amt4 := []Used{{TaskID: "amt4", Form: "a", At: firstCall}}
	tests := map[string]struct {
		past  []Used
		now   time.Time
		facts Facts
		want  string
	}{
		"first":               {nil, day(0), Facts{BirthDate: true}, six + "amt4 story_later"},
		"birth date unknown":  {nil, day(0), Facts{}, six + "orientation story_later"},
		"amt4 put lately":     {amt4, day(79), Facts{BirthDate: true}, six + "orientation story_later"},
		"amt4 due again":      {amt4, day(80), Facts{BirthDate: true}, six + "amt4 story_later"},
		"no longer on record": {amt4, day(80), Facts{}, six + "orientation story_later"},
	}
	for name, tt := range tests {
		if got := ids(library(t).Plan("en-GB", tt.past, tt.now, tt.facts)); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// Over a year of checks every form is put before any comes back, whatever the order of the
// past, and a story is asked for again in its own form.
func TestFormsRotate(t *testing.T) {
	t.Parallel()
	l := library(t)
	var past []Used
	for week := range 26 {
		now := firstCall.AddDate(0, 0, 14*week)
		plan := l.Plan("en", past, now, Facts{PersonID: "p1"})
		story := ""
		for _, p := range plan {
			if p.Task.ID == "story" {
				story = p.Form.ID
			}
			if p.Task.ID == "story_later" && p.Form.ID != story {
				t.Errorf("check %d: story %s is asked for again as %s", week, story, p.Form.ID)
			}
			var lately []string
			for _, u := range past {
				if u.TaskID == p.Task.ID && len(lately) < len(p.Task.Forms)-1 {
					lately = append(lately, u.Form)
				}
			}
			if slices.Contains(lately, p.Form.ID) {
				t.Errorf("check %d: %s %s comes again after %v", week, p.Task.ID, p.Form.ID, lately)
			}
		}
		for _, p := range plan { // newest first
			past = slices.Insert(past, 0, Used{TaskID: p.Task.ID, Form: p.Form.ID, At: now})
		}
	}
}

func TestPeopleBeginDifferently(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for i := range 70 {
		plan := library(t).Plan("en", nil, firstCall, Facts{PersonID: fmt.Sprint("person ", i)})
		seen[plan[0].Form.ID]++
	}
	if len(seen) != 7 {
		t.Errorf("first forms of 70 people: %v, want each of 7", seen)
	}
}

func TestAnother(t *testing.T) {
	t.Parallel()
	l := library(t)
	task, _ := l.Task("letter", "en")
	if f, ok := l.Another(task, []string{"s", "c"}); !ok || f.ID != "p" {
		t.Errorf("after c comes %q", f.ID)
	}
	if f, ok := l.Another(task, []string{"p", "c"}); !ok || f.ID != "s" {
		t.Errorf("after c, with p used, comes %q", f.ID)
	}
	if f, ok := l.Another(task, []string{"p", "s", "b", "t", "m", "c"}); ok {
		t.Errorf("all are used, and %q is put", f.ID)
	}
	later, _ := l.Task("story_later", "en")
	if f, ok := l.Another(later, nil); ok {
		t.Errorf("story %q would be asked for, and was not told", f.ID)
	}
}

// A form that was disturbed and put again as the next one is not what comes next time.
func TestDisturbedFormIsNotDue(t *testing.T) {
	t.Parallel()
	l := library(t)
	facts := Facts{PersonID: "p1"}
	for _, p := range l.Plan("en", nil, firstCall, facts) {
		another, ok := l.Another(p.Task, []string{p.Form.ID})
		if !ok {
			continue
		}
		past := []Used{{TaskID: p.Task.ID, Form: another.ID, At: firstCall}}
		for _, next := range l.Plan("en", past, firstCall.AddDate(0, 0, 7), facts) {
			if next.Task.ID == p.Task.ID && (next.Form.ID == p.Form.ID || next.Form.ID == another.ID) {
				t.Errorf("%s %s was disturbed, and %s put: %s comes again a week later", p.Task.ID, p.Form.ID, another.ID, next.Form.ID)
			}
		}
	}
}

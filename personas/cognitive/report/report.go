// Package report shows a person's cognitive checks on one page for a clinician: how each measure
// has gone against the person's own first checks, what the checks were, what was corrected, and how
// it was measured. It says nothing that is a diagnosis.
package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/personas/cognitive/change"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store/cognition"
)

// Person is the person who was called.
type Person struct {
	Name      string
	BirthDate string // "1941-03-29"; empty: unknown
}

// Report is the content of the page. Its times are in the zone of the time at which it was built.
type Report struct {
	Person      Person
	Made        time.Time
	From, To    time.Time // of the checks; zero if there are none
	Checks      int       // with at least one finished task
	Measures    []Measure // composites first, then tasks in their order
	Sessions    []Session // newest first
	Corrections []Correction
	Methods     []tasks.Task
}

// Measure is one measure over the checks.
type Measure struct {
	change.Trend

	Title     string
	Composite bool
	Last      float64
	Max       float64 // 0: open ended, or a composite
}

// Phrase returns in words what may be said about the measure.
func (m Measure) Phrase() string { return Phrase(m.Change) }

// Phrase returns a verdict in words.
func Phrase(v change.Verdict) string {
	switch v {
	case change.None:
		return "No reliable change"
	case change.Decline:
		return "A change worth discussing with a clinician"
	case change.Improvement:
		return "An improvement beyond chance"
	default:
		return "Too early to say"
	}
}

// Session is one check.
type Session struct {
	At           time.Time
	Status       cognition.Status
	Finished, Of int      // tasks
	Unfinished   []string // the other tasks and what became of them
	Confounders  []string
	Forms        string
}

// Correction is a score that a human being gave in place of the rules' score.
type Correction struct {
	Check     time.Time
	Title     string
	Rules     *int // nil if they gave none
	Corrected int
	By, Note  string
	At        time.Time
}

// Measures returns tasks as measures, with what is known about them beforehand.
func Measures(known []tasks.Task) []change.Measure {
	measures := make([]change.Measure, len(known))
	for i, t := range known {
		measures[i] = change.Measure{ID: t.ID, Domain: t.Domain, Max: float64(t.Max), SD: t.SD, Practice: t.Practice}
	}
	return measures
}

// Sessions returns the scores of checks that tell something about change in the known tasks. A task
// that was broken off has no score to compare, and scores of another version of a task belong to
// another measure.
func Sessions(checks []cognition.Check, known []tasks.Task) []change.Session {
	versions := map[string]string{}
	for _, t := range known {
		versions[t.ID] = t.Version
	}
	var sessions []change.Session
	for _, c := range checks {
		s := change.Session{ID: c.CallID.String(), At: c.StartedAt, Values: map[string]change.Value{}}
		for _, t := range c.Tasks {
			if score := t.Score(); score != nil && t.Status == cognition.TaskComplete && t.Version == versions[t.TaskID] {
				s.Values[t.TaskID] = change.Value{Raw: float64(*score), Confidence: t.Confidence}
			}
		}
		if len(s.Values) > 0 {
			sessions = append(sessions, s)
		}
	}
	return sessions
}

// Build returns the report of a person's checks. Tasks that are not among known have no line.
func Build(p Person, checks []cognition.Check, known []tasks.Task, now time.Time) Report {
	zone := now.Location()
	checks = slices.SortedFunc(slices.Values(checks), func(a, b cognition.Check) int { return b.StartedAt.Compare(a.StartedAt) })
	r := Report{Person: p, Made: now}
	if n := len(checks); n > 0 {
		r.From, r.To = checks[n-1].StartedAt.In(zone), checks[0].StartedAt.In(zone)
	}
	of := map[string]tasks.Task{}
	for _, t := range known {
		of[t.ID] = t
	}
	for _, t := range change.Trends(Measures(known), Sessions(checks, known)) {
		task, single := of[t.Measure]
		m := Measure{Trend: t, Title: cmp.Or(task.Title, title(t.Measure)), Composite: !single, Max: float64(task.Max)}
		if n := len(t.Points); n > 0 {
			m.Last = t.Points[n-1].Raw
		}
		r.Measures = append(r.Measures, m)
		if single {
			r.Methods = append(r.Methods, task)
		}
	}
	for _, c := range checks {
		s := session(c, zone)
		if r.Sessions = append(r.Sessions, s); s.Finished > 0 {
			r.Checks++
		}
		for _, t := range c.Tasks {
			if k := t.Correction; k != nil {
				r.Corrections = append(r.Corrections, Correction{
					Check: c.StartedAt.In(zone), Title: t.Title, Rules: t.Raw, Corrected: k.Raw, By: k.By, Note: k.Note, At: k.At.In(zone),
				})
			}
		}
	}
	return r
}

// title returns the name of a composite.
func title(measure string) string {
	if domain, ok := strings.CutPrefix(measure, "domain:"); ok && domain != "" {
		return strings.ToUpper(domain[:1]) + domain[1:] + " together"
	}
	return "Everything together"
}

func session(c cognition.Check, zone *time.Location) Session {
	s := Session{At: c.StartedAt.In(zone), Status: c.Status, Of: len(c.Tasks)}
	for _, f := range c.Confounders {
		if word := plain(f.Kind); f.Kind != cognition.Suits && !slices.Contains(s.Confounders, word) {
			s.Confounders = append(s.Confounders, word)
		}
	}
	var forms []string
	for _, t := range c.Tasks {
		if t.Form != "" {
			forms = append(forms, plain(t.TaskID)+" "+t.Form)
		}
		if t.Status == cognition.TaskComplete {
			s.Finished++
			continue
		}
		what := cmp.Or(t.Title, plain(t.TaskID)) + " " + plain(string(t.Status))
		if t.Why != "" {
			what += " (" + plain(t.Why) + ")"
		}
		s.Unfinished = append(s.Unfinished, what)
	}
	s.Forms = strings.Join(forms, ", ")
	return s
}

func plain(word string) string { return strings.ReplaceAll(word, "_", " ") }

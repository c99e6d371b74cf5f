package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	changes "github.com/naiber/naiber/personas/cognitive/change"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
)

// maxCognitiveChecks is more checks than anybody has in a lifetime, one a week.
const maxCognitiveChecks = 5000

// CognitiveTrend is how one measure, or several together, have gone.
type CognitiveTrend struct {
	Measure    string            `json:"measure" doc:"A taskId; overall, or domain:memory and the like, for several measures together"`
	Title      string            `json:"title" doc:"What the measure is called"`
	Domain     string            `json:"domain,omitempty" doc:"memory, attention, language, orientation, reasoning"`
	N          int               `json:"n" doc:"How many checks have a score"`
	Baseline   cognitiveBaseline `json:"baseline" doc:"Where this person began; zeros before there are enough checks"`
	Last       float64           `json:"last" doc:"The last score"`
	Change     string            `json:"change" enum:"too_early,none,decline,improvement" doc:"decline: a change worth discussing with a clinician. None of them is a diagnosis"`
	Index      *float64          `json:"reliableChangeIndex,omitempty" doc:"Absent where it is too early"`
	Confidence float64           `json:"confidence" minimum:"0" maximum:"1"`
	Points     []cognitivePoint  `json:"points" doc:"Oldest first"`
}

type cognitiveBaseline struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd" doc:"How much the score varies without any change"`
}

type cognitivePoint struct {
	CallID string    `json:"callId"`
	At     time.Time `json:"at"`
	Raw    float64   `json:"raw" doc:"The score"`
	Low    float64   `json:"low" doc:"From here to high it would lie without change; both are 0 before there is a baseline"`
	High   float64   `json:"high" doc:"See low"`
}

func (a *api) cognitiveTrendRoutes(h huma.API) {
	trends := operation("cognitive checks", "cognitive-trends", http.MethodGet, "/api/v1/people/{id}/cognitive-trends",
		"How each measure has gone over time, against this person's own first checks", http.StatusOK)
	trends.Description = "Several measures together come first: their unit is the usual variation of one score, and 0 is where the person began. A change is never a diagnosis."
	handle(a, h, trends, about(a.find, a.cognitiveTrends))
}

func (a *api) cognitiveTrends(ctx context.Context, p people.Person, _ *PersonPath) ([]CognitiveTrend, error) {
	list, err := a.Store.CognitiveChecks(ctx, p.ID, cognition.Query{Limit: maxCognitiveChecks})
	return CognitiveTrends(list, a.CognitiveTasks(p.Language)), err
}

// CognitiveTrends follows the tasks that are known over a person's checks.
func CognitiveTrends(list []cognition.Check, known []tasks.Task) []CognitiveTrend {
	measures, of := make([]changes.Measure, len(known)), make(map[string]tasks.Task, len(known))
	for i, t := range known {
		measures[i] = changes.Measure{ID: t.ID, Domain: t.Domain, Max: float64(t.Max), SD: t.SD, Practice: t.Practice}
		of[t.ID] = t
	}
	return each(changes.Trends(measures, sessionsOf(list)), func(t changes.Trend) CognitiveTrend {
		out := CognitiveTrend{
			Measure: t.Measure, Title: of[t.Measure].Title, Domain: of[t.Measure].Domain, N: len(t.Points),
			Baseline: cognitiveBaseline(t.Baseline), Change: string(t.Change), Index: t.Index, Confidence: t.Confidence,
			Points: each(t.Points, func(p changes.Point) cognitivePoint { return cognitivePoint{p.ID, p.At.UTC(), p.Raw, p.Low, p.High} }),
		}
		if domain, is := strings.CutPrefix(t.Measure, "domain:"); is {
			out.Domain, out.Title = domain, strings.ToUpper(domain[:1])+domain[1:]+" together"
		} else if t.Measure == changes.Overall {
			out.Title = "Everything together"
		}
		if n := len(t.Points); n > 0 {
			out.Last = t.Points[n-1].Raw
		}
		return out
	})
}

// sessionsOf are the checks as far as they say something of change: of a task that was
// broken off nobody knows what it would have come to.
func sessionsOf(list []cognition.Check) []changes.Session {
	var sessions []changes.Session
	for _, c := range list {
		s := changes.Session{ID: c.CallID.String(), At: c.StartedAt, Values: map[string]changes.Value{}}
		for _, t := range c.Tasks {
			if score := t.Score(); score != nil && t.Status == cognition.TaskComplete {
				s.Values[t.TaskID] = changes.Value{Raw: float64(*score), Confidence: t.Confidence}
			}
		}
		if len(s.Values) > 0 {
			sessions = append(sessions, s)
		}
	}
	return sessions
}

package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	changes "github.com/naiber/naiber/personas/cognitive/change"
	"github.com/naiber/naiber/personas/cognitive/report"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
)

// CognitiveTrend is the course of one measure, or of several together.
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
	list, err := a.Store.CognitiveChecks(ctx, p.ID, cognition.Query{Limit: cognition.Lifetime})
	return CognitiveTrends(list, a.CognitiveTasks(p.Language)), err
}

// CognitiveTrends returns the trends of the known tasks over a person's checks.
func CognitiveTrends(list []cognition.Check, known []tasks.Task) []CognitiveTrend {
	of := report.Build(report.Person{}, list, known, time.Now())
	return each(of.Measures, func(m report.Measure) CognitiveTrend {
		domain, composite := strings.CutPrefix(m.Measure, "domain:")
		if i := slices.IndexFunc(known, func(t tasks.Task) bool { return t.ID == m.Measure }); i >= 0 {
			domain = known[i].Domain
		} else if !composite {
			domain = ""
		}
		return CognitiveTrend{
			Measure: m.Measure, Title: m.Title, Domain: domain, N: len(m.Points), Baseline: cognitiveBaseline(m.Baseline), Last: m.Last,
			Change: string(m.Change), Index: m.Index, Confidence: m.Confidence,
			Points: each(m.Points, func(p changes.Point) cognitivePoint { return cognitivePoint{p.ID, p.At.UTC(), p.Raw, p.Low, p.High} }),
		}
	})
}

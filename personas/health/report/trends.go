package report

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/trend"
	"github.com/naiber/naiber/store/checks"
)

// Window is how far back answers count towards what is usual. A caller that shows a shorter time
// must still read this much: what is usual does not depend on what is shown.
const Window = 180 * 24 * time.Hour

// stale is the age from which the newest answer no longer describes the present.
const stale = 30 * 24 * time.Hour

// Trend holds the answers to one question over time.
type Trend struct {
	QuestionID string       `json:"questionId"`
	Short      string       `json:"short"`
	Question   string       `json:"question"`
	Type       string       `json:"type" enum:"scale,boolean,choice,number"`
	Unit       string       `json:"unit,omitempty" doc:"Of a number. Answers in another unit are left out"`
	Min        *float64     `json:"min,omitempty" doc:"The lowest and the highest answer that there can be"`
	Max        *float64     `json:"max,omitempty"`
	Labels     []TrendLabel `json:"labels,omitempty" doc:"What the values of a choice are called, the lowest first, in the person's language"`
	Higher     string       `json:"higher,omitempty" enum:"better,worse" doc:"What a higher answer means, where it means anything"`
	Points     []TrendPoint `json:"points" nullable:"false" doc:"Oldest first"`
	Usual      *TrendUsual  `json:"usual,omitempty" doc:"What is usual for this person; absent where there are too few answers"`
	Latest     TrendLatest  `json:"latest"`
	Drift      *TrendDrift  `json:"drift,omitempty" doc:"A slow change; absent for questions that have none"`
}

// TrendPoint is one answer as a number: 1 for yes and 0 for no, the score of a choice.
type TrendPoint struct {
	At     time.Time `json:"at"`
	Value  float64   `json:"value"`
	CallID string    `json:"callId"`
}

// TrendLabel is the name of one value of a choice.
type TrendLabel struct {
	Value float64 `json:"value"`
	Label string  `json:"label"`
}

// TrendUsual is what the person's earlier answers lead one to expect. For yes/no questions, Low and
// High enclose the share of yes, and there is no spread.
type TrendUsual trend.Baseline

// TrendLatest compares the newest answer with what is usual.
type TrendLatest struct {
	trend.Change

	Words string `json:"words" doc:"In a sentence, with how sure it is; never a diagnosis"`
}

// TrendDrift is a slow change, with the limits of its 95 % interval.
type TrendDrift struct {
	trend.Drift

	Words string `json:"words"`
}

// Of says whose trends to compute, and how.
type Of struct {
	Name      string // the person's name in sentences
	Catalogue Catalogue
	Since     time.Time // the points to show; all points count
	Now       time.Time
}

// Trends returns the trend of every question that has a numeric answer since of.Since, in the order
// of the packs.
func Trends(points []checks.Point, of Of) []Trend {
	byQuestion := map[string][]checks.Point{}
	for _, p := range points {
		if p.Ordinal != nil {
			byQuestion[p.QuestionID] = append(byQuestion[p.QuestionID], p)
		}
	}
	out := []Trend{}
	for id, answers := range byQuestion {
		if t := follow(of.Catalogue.item(id), answers, of); len(t.Points) > 0 {
			out = append(out, t)
		}
	}
	places := of.Catalogue.places()
	place := func(t Trend) int {
		if n, known := places[t.QuestionID]; known {
			return n
		}
		return len(places)
	}
	slices.SortFunc(out, func(a, b Trend) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.QuestionID, b.QuestionID))
	})
	return out
}

// follow returns the trend of one question, which is described as it was last asked.
func follow(it packs.Item, answers []checks.Point, of Of) Trend {
	slices.SortStableFunc(answers, func(a, b checks.Point) int { return a.At.Compare(b.At) })
	last := answers[len(answers)-1]
	t := Trend{
		QuestionID: last.QuestionID, Short: cmp.Or(last.Short, last.Question), Question: last.Question, Type: last.Type,
		Labels: labels(it, last.Type), Higher: string(it.Higher), Points: []TrendPoint{},
	}
	unit := unitOf(it, last)
	if last.Type == string(packs.TypeNumber) {
		t.Unit = unit
	}
	var all []trend.Point
	for _, a := range answers {
		if unitOf(it, a) != unit {
			continue
		}
		all = append(all, trend.Point{At: a.At, Value: *a.Ordinal})
		if !a.At.Before(of.Since) {
			t.Points = append(t.Points, TrendPoint{At: a.At.UTC(), Value: *a.Ordinal, CallID: a.CallID.String()})
		}
	}
	o := options(it, last.Type, all)
	if o.Max > o.Min {
		t.Min, t.Max = &o.Min, &o.Max
	}
	t.judge(all, o, of)
	return t
}

// judge assesses the newest point, and the drift of all of them.
func (t *Trend) judge(all []trend.Point, o trend.Options, of Of) {
	change := trend.Latest(all, o)
	change.Names = names(t.Labels)
	if change.Status != trend.StatusNone && of.Now.Sub(change.At) > stale {
		change.Status = trend.StatusStale
	}
	t.Latest = TrendLatest{Change: change, Words: change.Words(of.Name)}
	t.Latest.At = change.At.UTC()
	switch change.Status {
	case trend.StatusUsual, trend.StatusLower, trend.StatusHigher:
		t.Usual = (*TrendUsual)(&change.Baseline)
	default:
		t.Latest.Difference, t.Latest.Chance = 0, 1
	}
	if o.Binary || change.Status == trend.StatusStale {
		return
	}
	d := trend.Slope(all, o)
	t.Drift = &TrendDrift{d, d.Words(of.Name)}
}

// options returns how to interpret the points of a question.
func options(it packs.Item, kind string, points []trend.Point) trend.Options {
	o := trend.Options{Binary: kind == string(packs.TypeBoolean), Min: float64(it.Min), Max: float64(it.Max)}
	if low, high, ok := it.Bounds(); ok {
		o.Min, o.Max = float64(low), float64(high)
	}
	switch {
	case o.Binary:
		o.Min, o.Max = 0, 1
	case kind == string(packs.TypeNumber) && slices.ContainsFunc(points, func(p trend.Point) bool { return p.Value != math.Trunc(p.Value) }):
		o.Resolution = 0.5 // a person who answers in halves can answer half a step
	}
	return o
}

// unitOf returns the unit of an answer: the one that was named, or the question's.
func unitOf(it packs.Item, p checks.Point) string {
	return cmp.Or(strings.ToLower(strings.TrimSpace(p.Unit)), it.Unit)
}

// labels returns the names of a choice's values, the lowest first. Choices with the same score
// share one label.
func labels(it packs.Item, kind string) []TrendLabel {
	if kind != string(packs.TypeChoice) {
		return nil
	}
	var out []TrendLabel
	for _, c := range it.Choices {
		if c.Score == nil {
			continue
		}
		value, label := float64(*c.Score), cmp.Or(c.Label, c.Value)
		if i := slices.IndexFunc(out, func(l TrendLabel) bool { return l.Value == value }); i >= 0 {
			out[i].Label += " / " + label
			continue
		}
		out = append(out, TrendLabel{Value: value, Label: label})
	}
	slices.SortFunc(out, func(a, b TrendLabel) int { return cmp.Compare(a.Value, b.Value) })
	return out
}

// names returns the labels by their value.
func names(labels []TrendLabel) map[float64]string {
	out := make(map[float64]string, len(labels))
	for _, l := range labels {
		out[l.Value] = l.Label
	}
	return out
}

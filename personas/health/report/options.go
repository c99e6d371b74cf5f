package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/trend"
	"github.com/naiber/naiber/store/checks"
)

// options say how to read a question's points.
func options(it packs.Item, kind string, points []trend.Point) trend.Options {
	o := trend.Options{Binary: kind == string(packs.TypeBoolean), Min: float64(it.Min), Max: float64(it.Max)}
	switch {
	case o.Binary:
		o.Min, o.Max = 0, 1
	case len(it.Choices) > 0:
		for i, c := range it.Choices {
			if c.Score == nil {
				continue
			}
			n := float64(*c.Score)
			if i == 0 {
				o.Min, o.Max = n, n
			}
			o.Min, o.Max = min(o.Min, n), max(o.Max, n)
		}
	case kind == string(packs.TypeNumber) && slices.ContainsFunc(points, func(p trend.Point) bool { return p.Value != math.Trunc(p.Value) }):
		o.Resolution = 0.5 // a person who tells halves can tell half a step
	}
	return o
}

// unitOf is the unit of an answer: the one that was named, or the question's.
func unitOf(it packs.Item, p checks.Point) string {
	return cmp.Or(strings.ToLower(strings.TrimSpace(p.Unit)), it.Unit)
}

package report

import (
	"cmp"
	"slices"

	"github.com/naiber/naiber/personas/health/packs"
)

// labels are what the values of a choice are called, the lowest first. Choices of
// equal rank share a value, and so a label.
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

// names are labels by their value.
func names(labels []TrendLabel) map[float64]string {
	out := make(map[float64]string, len(labels))
	for _, l := range labels {
		out[l.Value] = l.Label
	}
	return out
}

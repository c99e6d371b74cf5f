package report

import (
	"fmt"
	"math"
	"strings"
)

// The size of a chart in SVG units.
const (
	chartWidth, chartHeight = 280.0, 34.0
	chartMargin             = 4.0
)

// Chart holds a small picture of a measure, as the coordinates of SVG elements.
type Chart struct {
	Band, Line string // points of a polygon and of a polyline; empty: none
	Baseline   string // y of the baseline; empty: none
	Dots       []Dot
}

// Dot is one session.
type Dot struct {
	X, Y     string
	Doubtful bool // its weight is below 0.5
	Outside  bool // outside the band
	Title    string
}

// Chart draws the measure over time. It returns nil if there are no points.
func (m Measure) Chart() *Chart {
	if len(m.Points) == 0 {
		return nil
	}
	low, high := math.Inf(1), math.Inf(-1)
	stretch := func(values ...float64) {
		for _, v := range values {
			low, high = min(low, v), max(high, v)
		}
	}
	established := m.Baseline.SD > 0
	if established {
		stretch(m.Baseline.Mean-m.Baseline.SD, m.Baseline.Mean+m.Baseline.SD)
	}
	for _, p := range m.Points {
		stretch(p.Raw)
		if p.Low != p.High {
			stretch(p.Low, p.High)
		}
	}
	first, last := m.Points[0].At, m.Points[len(m.Points)-1].At
	x := func(p int) float64 {
		if !last.After(first) {
			return chartWidth / 2
		}
		return chartMargin + (chartWidth-2*chartMargin)*float64(m.Points[p].At.Sub(first))/float64(last.Sub(first))
	}
	y := func(v float64) float64 {
		if high <= low {
			return chartHeight / 2
		}
		return chartHeight - chartMargin - (chartHeight-2*chartMargin)*(v-low)/(high-low)
	}
	c := &Chart{}
	if established {
		c.Baseline = coordinate(y(m.Baseline.Mean))
	}
	var line, above, below []string
	for i, p := range m.Points {
		at := coordinate(x(i))
		line = append(line, at+","+coordinate(y(p.Raw)))
		dot := Dot{
			X: at, Y: coordinate(y(p.Raw)), Doubtful: p.Weight < 0.5,
			Title: fmt.Sprintf("%s: %s", p.At.Format("2 Jan 2006"), figure(p.Raw)),
		}
		if p.Low != p.High {
			above, below = append(above, at+","+coordinate(y(p.High))), append([]string{at + "," + coordinate(y(p.Low))}, below...)
			dot.Outside = p.Raw < p.Low || p.Raw > p.High
		}
		c.Dots = append(c.Dots, dot)
	}
	if len(line) > 1 {
		c.Line = strings.Join(line, " ")
	}
	if len(above) > 1 {
		c.Band = strings.Join(append(above, below...), " ")
	}
	return c
}

func coordinate(v float64) string { return fmt.Sprintf("%.1f", v) }

// figure formats v rounded to a tenth, with a proper minus sign.
func figure(v float64) string {
	v = math.Round(v*10) / 10
	s := fmt.Sprintf("%.1f", math.Abs(v))
	s = strings.TrimSuffix(s, ".0")
	if v < 0 {
		return "−" + s
	}
	return s
}

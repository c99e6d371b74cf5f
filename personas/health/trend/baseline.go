package trend

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Point is one answer as a number: a scale, a count, a choice's score, or 1 for yes and 0 for no.
type Point struct {
	At    time.Time
	Value float64
}

// Options says how to interpret the points of a question. The zero value suits a scale from 1 to 10
// that is asked about once a day.
type Options struct {
	// Resolution is the smallest step between two answers; 0 means 1. It limits the precision of a
	// baseline: ten equal answers do not mean a spread of zero.
	Resolution float64
	// Min and Max limit the possible answers. If both are zero, there is no limit.
	Min, Max float64
	// Binary marks yes/no questions, for which frequency matters instead of size.
	Binary bool
}

const (
	day = 24 * time.Hour
	// minHistory is the number of earlier answers that a comparison needs.
	minHistory = 5
	// window is how far back answers count.
	window = 90 * day
	// maxPoints is the greatest number of earlier answers that count, the newest first: older ones
	// say little about what is usual now.
	maxPoints = 30
	// maxGap is the longest gap before the newest answer; after a longer one there is nothing
	// recent to compare with.
	maxGap = 30 * day
)

func (o Options) resolution() float64 { return cmp.Or(o.Resolution, 1) }

// chance returns the probability with which an unremarkable answer may be flagged. It is greater
// for yes/no questions, which allow no stronger statement than "for the first time in five
// answers".
func (o Options) chance() float64 {
	if o.Binary {
		return 0.15
	}
	return 0.05
}

// Baseline is what is usual for a person.
type Baseline struct {
	N      int     `json:"n"`
	Median float64 `json:"median"`
	// Spread is the standard deviation that MAD corresponds to, but at least that of the
	// resolution.
	Spread float64 `json:"spread" doc:"How far answers usually lie from the median: the standard deviation that their median distance from it stands for; 0 of yes/no questions"`
	// Low and High enclose the range in which the next answer is expected, with all the uncertainty
	// of N answers. For yes/no questions they enclose the share of yes.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	MAD  float64 `json:"-"` // the median distance from the median
	Yes  int     `json:"-"` // for yes/no questions, the number of yeses
}

// usual returns the baseline at a moment, and false if there are too few points. The points must be
// clean.
func usual(points []Point, at time.Time, o Options) (Baseline, bool) {
	points = recent(points, at)
	if len(points) < minHistory {
		return Baseline{N: len(points)}, false
	}
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p.Value
	}
	b := Baseline{N: len(points), Median: median(values)}
	if o.Binary {
		for _, v := range values {
			if v > 0.5 {
				b.Yes++
			}
		}
		b.Low, b.High = wilson(b.Yes, b.N)
		return b, true
	}
	b.MAD, b.Spread = spread(values, b.Median, o.resolution())
	reach := studentBound(o.chance(), b.degrees()) * b.scale()
	b.Low, b.High = b.Median-reach, b.Median+reach
	if o.Min != 0 || o.Max != 0 {
		b.Low, b.High = max(b.Low, o.Min), min(b.High, o.Max)
	}
	return b, true
}

// scale returns the standard deviation of a new answer's distance from the median: it combines the
// spread with that of the median itself, whose variance is π/2 times the mean's.
func (b Baseline) scale() float64 {
	return b.Spread * math.Sqrt(1+math.Pi/2/float64(b.N))
}

// degrees returns the degrees of freedom of the scale. A median distance uses less of the data than
// a standard deviation: two thirds of N-1 keep false alarms at the promised chance (see
// TestFalseAlarms).
func (b Baseline) degrees() int { return int(math.Round(float64(b.N-1) * 2 / 3)) }

// recent returns the points within the window before at, at most the newest maxPoints of them.
func recent(points []Point, at time.Time) []Point {
	i, _ := slices.BinarySearchFunc(points, at.Add(-window), func(p Point, t time.Time) int { return p.At.Compare(t) })
	return points[max(i, len(points)-maxPoints):]
}

// clean returns the points in order of time, without those that are not finite. Of several at the
// same moment it keeps the last one given, which is the correction.
func clean(points []Point) []Point {
	out := slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return math.IsNaN(p.Value) || math.IsInf(p.Value, 0) })
	slices.SortStableFunc(out, func(a, b Point) int { return a.At.Compare(b.At) })
	kept := out[:0]
	for _, p := range out {
		if n := len(kept); n > 0 && kept[n-1].At.Equal(p.At) {
			kept[n-1] = p
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

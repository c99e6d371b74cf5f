package trend

import (
	"fmt"
	"math"
	"slices"
)

const (
	// minSlopePoints and minSlopeSpan are the least that a drift can be seen in.
	minSlopePoints = 8
	minSlopeSpan   = 14 * day
	week           = 7 * day
)

// Drift is a slow change over the window: Theil and Sen's slope, the median of the
// slopes between all pairs of answers, which a fifth of wild answers cannot turn.
type Drift struct {
	Status  Status  `json:"status" enum:"usual,lower,higher,too_few"` // lower or higher: drifting; usual: no drift to be seen
	PerWeek float64 `json:"perWeek"`
	Low     float64 `json:"low"` // PerWeek lies between Low and High with 95 % confidence
	High    float64 `json:"high"`
	N       int     `json:"-"`
	Weeks   float64 `json:"-"`
}

// Slope looks for a drift in the newest points. One is reported where the interval
// leaves zero out and it adds up to at least one and a half steps. Days that follow
// each other resemble each other, so the interval is somewhat too narrow: a drift
// is a reason to look, no more. Yes/no questions have none.
func Slope(points []Point, o Options) Drift {
	points = clean(points)
	if len(points) > 0 {
		points = recent(points, points[len(points)-1].At)
	}
	d := Drift{N: len(points), Status: StatusTooFew}
	if o.Binary || d.N < minSlopePoints {
		return d
	}
	span := points[d.N-1].At.Sub(points[0].At)
	if span < minSlopeSpan {
		return d
	}
	slopes := pairwise(points)
	d.PerWeek = median(slopes)
	d.Weeks = float64(span) / float64(week)
	reach := normal975 * math.Sqrt(kendallVariance(points))
	d.Low = slopes[clamp(int(math.Floor((float64(len(slopes))-reach)/2)), len(slopes))]
	d.High = slopes[clamp(int(math.Ceil((float64(len(slopes))+reach)/2)), len(slopes))]
	switch {
	case math.Abs(d.PerWeek*d.Weeks) < 1.5*o.resolution():
		d.Status = StatusUsual
	case d.Low > 0:
		d.Status = StatusHigher
	case d.High < 0:
		d.Status = StatusLower
	default:
		d.Status = StatusUsual
	}
	return d
}

// Words is the drift in a sentence, like [Change.Words].
func (d Drift) Words(who string) string {
	verb := "rising"
	switch d.Status {
	case StatusHigher:
	case StatusLower:
		verb = "falling"
	case StatusUsual:
		return fmt.Sprintf("No drift to be seen in the last %d answers from %s.", d.N, who)
	default:
		return fmt.Sprintf("Too few answers from %s to see a drift.", who)
	}
	return fmt.Sprintf("Slowly %s for %s: by about %s a week over %d weeks (between %s and %s, %d answers).",
		verb, who, number(math.Abs(d.PerWeek)), int(math.Round(d.Weeks)),
		number(min(math.Abs(d.Low), math.Abs(d.High))), number(max(math.Abs(d.Low), math.Abs(d.High))), d.N)
}

// pairwise is the slope per week between every two points, sorted.
func pairwise(points []Point) []float64 {
	slopes := make([]float64, 0, len(points)*(len(points)-1)/2)
	for i, p := range points {
		for _, q := range points[i+1:] {
			weeks := float64(q.At.Sub(p.At)) / float64(week)
			slopes = append(slopes, (q.Value-p.Value)/weeks)
		}
	}
	slices.Sort(slopes)
	return slopes
}

// kendallVariance is the variance of Kendall's S, with the correction for ties,
// which a scale of ten steps has many of (Sen 1968).
func kendallVariance(points []Point) float64 {
	n := float64(len(points))
	ties := map[float64]float64{}
	for _, p := range points {
		ties[p.Value]++
	}
	v := n * (n - 1) * (2*n + 5)
	for _, t := range ties {
		v -= t * (t - 1) * (2*t + 5)
	}
	return max(v, 0) / 18
}

func clamp(i, n int) int { return min(max(i, 0), n-1) }

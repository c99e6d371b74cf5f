package trend

import (
	"fmt"
	"math"
	"slices"
)

const (
	// minSlopePoints and minSlopeSpan are the least data in which a drift can be found.
	minSlopePoints = 8
	minSlopeSpan   = 14 * day
	week           = 7 * day
)

// Drift is a slow change over the window. It is the Theil–Sen slope, the median of the slopes
// between all pairs of answers, which outliers cannot turn as long as they are no more than a fifth
// of the answers.
type Drift struct {
	Status  Status  `json:"status" enum:"usual,lower,higher,too_few"` // lower or higher: drifting; usual: no drift found
	PerWeek float64 `json:"perWeek"`
	Low     float64 `json:"low"` // PerWeek lies between Low and High with 95 % confidence
	High    float64 `json:"high"`
	N       int     `json:"-"`
	Weeks   float64 `json:"-"`
}

// Slope looks for a drift in the newest points. It reports one if the interval excludes zero and
// the change adds up to at least one and a half steps. Successive days resemble each other, so the
// interval is somewhat too narrow: a drift is only a reason to look closer. Yes/no questions have
// none.
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

// Words returns a sentence about the drift, like [Change.Words].
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

// pairwise returns the slopes per week between all pairs of points, sorted.
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

// kendallVariance returns the variance of Kendall's S, corrected for ties, which are frequent on a
// scale of ten steps (Sen 1968).
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

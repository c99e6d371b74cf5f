package trend

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Student's distribution, from its printed tables.
func TestStudent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		degrees       int
		chance, bound float64
	}{
		{1, 0.05, 12.706},
		{2, 0.05, 4.303},
		{3, 0.05, 3.182},
		{4, 0.05, 2.776},
		{5, 0.05, 2.571},
		{9, 0.05, 2.262},
		{10, 0.05, 2.228},
		{29, 0.05, 2.045},
		{4, 0.01, 4.604},
		{9, 0.01, 3.250},
		{10, 0.10, 1.812},
		{30, 0.01, 2.750},
	}
	for _, tt := range tests {
		if got := studentBound(tt.chance, tt.degrees); math.Abs(got-tt.bound) > 0.001 {
			t.Errorf("%d degrees, %v: %.4f, want %.3f", tt.degrees, tt.chance, got, tt.bound)
		}
	}
	if studentTails(3, 0) != 1 {
		t.Error("no degrees of freedom say something")
	}
}

func TestMedianAndSpread(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		values          []float64
		median, mad, sd float64
	}{
		"odd":             {[]float64{3, 1, 2}, 2, 1, 1.4826 * 1.495},
		"even":            {[]float64{4, 1, 2, 3}, 2.5, 1, 1.4826 * 1.363},
		"constant":        {[]float64{7, 7, 7, 7, 7}, 7, 0, 0.7413},
		"mostly constant": {[]float64{7, 7, 7, 7, 7, 7, 7, 7, 1, 17}, 7, 0, 1.2533 * 6 / 9},
		"one outlier":     {[]float64{5, 6, 5, 6, 7, 5, 6, 7, 6, 100}, 6, 1, 1.4826 * 10 / 9.2},
	}
	for name, tt := range tests {
		m := median(tt.values)
		mad, sd := spread(tt.values, m, 1)
		if m != tt.median || mad != tt.mad || math.Abs(sd-tt.sd) > 1e-9 {
			t.Errorf("%s: median %v, mad %v, spread %v; want %v, %v, %v", name, m, mad, sd, tt.median, tt.mad, tt.sd)
		}
	}
	if median(nil) != 0 {
		t.Error("the median of nothing")
	}
}

// When nothing has changed, few answers may be flagged: about one in twenty, with
// some allowance for a spread that is estimated from few answers.
func TestFalseAlarms(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	for _, sd := range []float64{0.3, 0.8, 1.5, 2.5} {
		for _, n := range []int{5, 7, 10, 20, 30} {
			flagged := 0
			const runs = 1500
			for range runs {
				points := make([]Point, n+1)
				for i := range points {
					v := math.Round(6 + sd*random.NormFloat64())
					points[i] = Point{At: start.AddDate(0, 0, i), Value: min(max(v, 1), 10)}
				}
				if Latest(points, Options{Min: 1, Max: 10}).Flagged() {
					flagged++
				}
			}
			rate := float64(flagged) / runs
			t.Logf("spread %.1f, %2d answers: %.1f %% flagged", sd, n, 100*rate)
			if rate > 0.08 {
				t.Errorf("spread %.1f, %d answers: %.1f %% flagged, though nothing changed", sd, n, 100*rate)
			}
		}
	}
}

// And a real change must be seen: four steps down from a steady person.
func TestRealChangesAreSeen(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	seen := 0
	const runs = 500
	for range runs {
		points := make([]Point, 15)
		for i := range points {
			points[i] = Point{At: start.AddDate(0, 0, i), Value: math.Round(7 + 0.8*random.NormFloat64())}
		}
		points[14].Value = 3
		if c := Latest(points, Options{Min: 1, Max: 10}); c.Status == StatusLower {
			seen++
		}
	}
	if rate := float64(seen) / runs; rate < 0.9 {
		t.Errorf("only %.0f %% of the changes were seen", 100*rate)
	}
}

func TestSlopeFalseAlarms(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 9))
	flagged := 0
	const runs = 400
	for range runs {
		points := make([]Point, 25)
		for i := range points {
			points[i] = Point{At: start.AddDate(0, 0, i), Value: math.Round(6 + 1.5*random.NormFloat64())}
		}
		if d := Slope(points, Options{}); d.Status != StatusUsual {
			flagged++
		}
	}
	if rate := float64(flagged) / runs; rate > 0.07 {
		t.Errorf("%.1f %% drifts where there are none", 100*rate)
	}
}

var start = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

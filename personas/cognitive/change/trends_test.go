package change

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The goals, with slack for chance: at most 5 % of stable people are said to decline, and
// at least 80 % of declines are found by their fourth session.
func TestCohort(t *testing.T) {
	t.Parallel()
	f := cohorts(501, 5)
	if got := f.share(f.any, ""); got > 0.05 {
		t.Errorf("%.1f %% of stable people are said to decline, want at most 5 %%", 100*got)
	}
	if got := f.share(f.intended, names("", 0)...); got < 0.85 {
		t.Errorf("%.1f %% of declines in all domains are found, want at least 85 %%", 100*got)
	}
	if got := f.share(f.intended, append(names("", 0), names("memory", 0)...)...); got < 0.8 {
		t.Errorf("%.1f %% of declines are found, want at least 80 %%", 100*got)
	}
	if got := f.share(f.intended, names("memory", 0)...); got < 0.7 {
		t.Errorf("%.1f %% of declines of memory alone are found, want at least 70 %%", 100*got)
	}
}

var begin = time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)

// scores makes sessions of one measure a month apart.
func scores(raw ...float64) []Session {
	var sessions []Session
	for i, x := range raw {
		sessions = append(sessions, Session{
			ID: fmt.Sprintf("call %02d", i), At: begin.AddDate(0, i, 0), Values: map[string]Value{"story": {Raw: x, Confidence: 1}},
		})
	}
	return sessions
}

func story() Measure { return Measure{ID: "story", Domain: "memory", Max: 20, SD: 1.5, Practice: 0.5} }

func only(t *testing.T, m Measure, sessions []Session) Trend {
	t.Helper()
	trends := Trends([]Measure{m}, sessions)
	if len(trends) != 1 || trends[0].Measure != m.ID {
		t.Fatalf("got %+v, want one trend", trends)
	}
	return trends[0]
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		sessions []Session
		want     Verdict
		indexed  bool
	}{
		{"one session", scores(12), TooEarly, false},
		{"a baseline", scores(12, 12, 13), TooEarly, false},
		{"one session after it tells nothing", scores(12, 12, 13, 2), TooEarly, false},
		{"two sessions after it", scores(12, 12, 13, 13, 12), None, true},
		{"a bad day", scores(12, 12, 13, 13, 12, 8), None, true},
		{"a drop that stays", scores(12, 13, 13, 6, 6, 6), Decline, true},
		{"a slow decline", scores(12, 13, 13, 12, 11, 10, 9, 8, 7, 6), Decline, true},
		{"a drop that passes", scores(12, 13, 13, 5, 5, 13, 13, 13), None, true},
		{"a rise that stays", scores(6, 6, 7, 13, 13, 14), Improvement, true},
		{"practice is no improvement", scores(10, 10.5, 10.75, 10.9, 10.9, 11, 11), None, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := only(t, story(), tt.sessions)
			if got.Change != tt.want || (got.Index != nil) != tt.indexed {
				t.Errorf("got %s, index %v; want %s", got.Change, got.Index, tt.want)
			}
		})
	}
}

func TestConstantScoresAreNoChange(t *testing.T) {
	t.Parallel()
	for level := 0.0; level <= 20; level++ {
		for n := 5; n <= 40; n += 7 {
			if got := only(t, story(), scores(slices.Repeat([]float64{level}, n)...)); got.Change != None {
				t.Errorf("%d times %g: %s, index %g", n, level, got.Change, *got.Index)
			}
		}
	}
}

// At the highest score, practice cannot show: scores that stay there have an index of 0.
func TestCeiling(t *testing.T) {
	t.Parallel()
	got := only(t, Measure{ID: "story", Max: 6, SD: 0.6, Practice: 0.5}, scores(6, 6, 6, 6, 6, 6))
	if math.Abs(*got.Index) > 1e-9 {
		t.Errorf("index %g, want 0", *got.Index)
	}
	for _, p := range got.Points {
		if p.Low < 0 || p.High > 6 {
			t.Errorf("the band of %+v leaves the scale", p)
		}
	}
}

// Scores that have always been the highest are no proof that the next point is a change.
func TestOnePointBelowTheCeiling(t *testing.T) {
	t.Parallel()
	var measures []Measure
	for i := range 10 {
		measures = append(measures, Measure{ID: fmt.Sprint("m", i), Domain: fmt.Sprint("d", i/3), Max: 6, SD: 0.6})
	}
	var sessions []Session
	for i := range 8 {
		v := map[string]Value{}
		for _, m := range measures {
			v[m.ID] = Value{Raw: 6, Confidence: 1}
		}
		if i >= 5 {
			v["m4"] = Value{Raw: 5, Confidence: 1}
		}
		sessions = append(sessions, Session{ID: strconv.Itoa(i), At: begin.AddDate(0, i, 0), Values: v})
	}
	for _, trend := range Trends(measures, sessions) {
		if trend.Change != None {
			t.Errorf("%s: %s, index %g", trend.Measure, trend.Change, *trend.Index)
		}
	}
}

func TestBaselineStays(t *testing.T) {
	t.Parallel()
	want := only(t, story(), scores(12, 13, 14)).Baseline.Mean
	if want != 13 {
		t.Errorf("baseline %g, want 13", want)
	}
	if got := only(t, story(), scores(12, 13, 14, 10, 9, 8, 7, 6, 5, 4)).Baseline.Mean; got != want {
		t.Errorf("a decline moved the baseline from %g to %g", want, got)
	}
}

func TestOwnVariationWidensTheBand(t *testing.T) {
	t.Parallel()
	steady, unsteady := only(t, story(), scores(12, 12, 12, 12, 12)), only(t, story(), scores(9, 15, 12, 8, 16))
	if steady.Baseline.SD >= story().SD || unsteady.Baseline.SD <= story().SD {
		t.Errorf("SDs %g and %g, want one below and one above %g", steady.Baseline.SD, unsteady.Baseline.SD, story().SD)
	}
}

func TestDoubtfulSessionsCountForLess(t *testing.T) {
	t.Parallel()
	sure, doubtful := scores(12, 13, 13, 6, 6), scores(12, 13, 13, 6, 6)
	for i := range doubtful {
		doubtful[i].Values["story"] = Value{Raw: doubtful[i].Values["story"].Raw, Confidence: 0.7}
	}
	doubtful[3].Values["story"] = Value{Raw: 6, Confidence: 0.2}
	a, b := only(t, story(), sure), only(t, story(), doubtful)
	if *a.Index >= *b.Index || b.Index == nil || a.Confidence <= b.Confidence {
		t.Errorf("index %g with confidence %g, and %g with %g", *a.Index, a.Confidence, *b.Index, b.Confidence)
	}
	doubtful[4].Values["story"] = Value{Raw: 0}
	if got := only(t, story(), doubtful); got.Change != TooEarly || len(got.Points) != 5 {
		t.Errorf("a session without confidence: %s with %d points", got.Change, len(got.Points))
	}
}

// A decline in the other domains is no improvement of this one.
func TestDeclineOfOthersLeavesADomain(t *testing.T) {
	t.Parallel()
	measures := []Measure{{ID: "a", Domain: "one", SD: 1}, {ID: "b", Domain: "one", SD: 1}, {ID: "c", Domain: "two", SD: 1}, {ID: "d", Domain: "two", SD: 1}}
	var sessions []Session
	for i := range 8 {
		v := map[string]Value{}
		for _, m := range measures {
			x := 20.0
			if m.Domain == "two" && i >= 3 {
				x -= 5
			}
			v[m.ID] = Value{Raw: x, Confidence: 1}
		}
		sessions = append(sessions, Session{ID: strconv.Itoa(i), At: begin.AddDate(0, i, 0), Values: v})
	}
	got := map[string]Verdict{}
	var order []string
	for _, trend := range Trends(measures, sessions) {
		got[trend.Measure] = trend.Change
		order = append(order, trend.Measure)
	}
	want := map[string]Verdict{Overall: Decline, "domain:one": None, "domain:two": Decline, "a": None, "b": None, "c": Decline, "d": Decline}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{Overall, "domain:one", "domain:two", "a", "b", "c", "d"}, order); diff != "" {
		t.Error(diff)
	}
}

func TestNothing(t *testing.T) {
	t.Parallel()
	if got := Trends(nil, scores(1, 2)); len(got) != 0 {
		t.Errorf("no measures: %+v", got)
	}
	if got := Trends([]Measure{story()}, nil); len(got) != 0 {
		t.Errorf("no sessions: %+v", got)
	}
	if got := only(t, Measure{ID: "story"}, scores(9, 9, 9, 1, 1, 1)); got.Change != TooEarly || len(got.Points) != 6 {
		t.Errorf("a measure without an SD: %+v", got)
	}
}

func TestOrderOfSessionsDoesNotMatter(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		measures, sessions := arbitrary(rnd)
		want := Trends(measures, sessions)
		rnd.Shuffle(len(sessions), func(i, j int) { sessions[i], sessions[j] = sessions[j], sessions[i] })
		if diff := cmp.Diff(want, Trends(measures, sessions)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// Whatever comes in, what goes out is a number, and bands are the right way round.
func TestNoNaN(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		measures, sessions := arbitrary(rand.New(rand.NewPCG(seed, 2)))
		for _, trend := range Trends(measures, sessions) {
			values := []float64{trend.Baseline.Mean, trend.Baseline.SD, trend.Confidence}
			if trend.Index != nil {
				values = append(values, *trend.Index)
			}
			for i, p := range trend.Points {
				values = append(values, p.Raw, p.Low, p.High, p.Weight)
				if p.Low > p.High || i > 0 && p.At.Before(trend.Points[i-1].At) {
					t.Fatalf("seed %d: %s: point %+v", seed, trend.Measure, p)
				}
			}
			for _, x := range values {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Fatalf("seed %d: %+v", seed, trend)
				}
			}
			if (trend.Index == nil) != (trend.Change == TooEarly) || trend.Confidence < 0 || trend.Confidence > 1 {
				t.Fatalf("seed %d: %+v", seed, trend)
			}
		}
	}
}

// arbitrary makes sessions with gaps, awkward numbers and the same moment twice.
func arbitrary(rnd *rand.Rand) ([]Measure, []Session) {
	pick := func(of ...float64) float64 { return of[rnd.IntN(len(of))] }
	var measures []Measure
	for i := range rnd.IntN(6) {
		measures = append(measures, Measure{
			ID: fmt.Sprint("m", i), Domain: []string{"", "a", "b"}[rnd.IntN(3)], Max: pick(0, 0, 5, 20, -1),
			SD: pick(1, 2, 0.3, 3, 0, math.NaN(), -1), Practice: pick(0, 0.5, 2, -1, math.Inf(1)),
		})
	}
	var sessions []Session
	for i := range rnd.IntN(15) {
		s := Session{ID: strconv.Itoa(i), At: begin.AddDate(0, rnd.IntN(12), 0), Values: map[string]Value{}}
		for _, m := range measures {
			if rnd.IntN(5) > 0 {
				s.Values[m.ID] = Value{
					Raw:        pick(float64(rnd.IntN(20)), float64(rnd.IntN(20)), float64(rnd.IntN(20)), 0, math.NaN(), math.Inf(-1)),
					Confidence: pick(1, 1, 0.8, rnd.Float64(), rnd.Float64(), 0, -1, 7, math.NaN()),
				}
			}
		}
		sessions = append(sessions, s)
	}
	return measures, sessions
}

package packs

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var oftenValues = []string{"not_at_all", "several_days", "more_than_half", "nearly_every_day"}

// spread makes answers to the pack's choice items that add up to total, each item
// from low to high points, filling the first items first.
func spread(p Pack, total, low, high int, values []string) map[string]Value {
	answers := map[string]Value{}
	rest := total - low*len(p.Items)
	for _, it := range p.Items {
		n := min(rest, high-low)
		rest -= n
		answers[it.ID] = Chosen(values[n])
	}
	return answers
}

// Every total of every instrument that is a plain sum, with its band.
func TestCutoffs(t *testing.T) {
	t.Parallel()
	type band struct {
		from, to int
		label    string
		positive bool
		next     string
	}
	tests := map[string]struct {
		low, high int
		values    []string
		bands     []band
	}{
		"phq2": {0, 3, oftenValues, []band{{0, 2, "negative", false, ""}, {3, 6, "positive", true, "phq8"}}},
		"gad2": {0, 3, oftenValues, []band{{0, 2, "negative", false, ""}, {3, 6, "positive", true, ""}}},
		"phq8": {0, 3, oftenValues, []band{
			{0, 4, "none or minimal", false, ""},
			{5, 9, "mild", false, ""},
			{10, 14, "moderate", true, ""},
			{15, 19, "moderately severe", true, ""},
			{20, 24, "severe", true, ""},
		}},
		"ucla3": {1, 3, []string{"hardly_ever", "some_of_the_time", "often"}, []band{{3, 5, "not lonely", false, ""}, {6, 9, "lonely", true, ""}}},
	}
	for id, tt := range tests {
		p := mustPack(t, id)
		for _, b := range tt.bands {
			for total := b.from; total <= b.to; total++ {
				t.Run(fmt.Sprintf("%s %d", id, total), func(t *testing.T) {
					t.Parallel()
					r := Score(p, spread(p, total, tt.low, tt.high, tt.values))
					if r.Total == nil || *r.Total != total || len(r.Missing) > 0 || r.Answered != len(p.Items) {
						t.Fatalf("got %+v, want a complete total of %d", r, total)
					}
					if r.Band != b.label || r.Positive != b.positive || r.Next != b.next || r.Meaning == "" {
						t.Errorf("got %+v, want %+v", r, b)
					}
				})
			}
		}
		if low, high := p.totals(); low != tt.bands[0].from || high != tt.bands[len(tt.bands)-1].to {
			t.Errorf("%s runs from %d to %d, the table from %d to %d", id, low, high, tt.bands[0].from, tt.bands[len(tt.bands)-1].to)
		}
	}
}

func TestSTEADIScoresAny(t *testing.T) {
	t.Parallel()
	p := mustPack(t, "steadi3")
	for n := range 8 {
		answers := map[string]Value{}
		for i, it := range p.Items {
			answers[it.ID] = Bool(n>>i&1 == 1)
		}
		r := Score(p, answers)
		want, band := 0, "not at risk"
		if n > 0 {
			want, band = 1, "at risk"
		}
		if r.Total == nil || *r.Total != want || r.Band != band || r.Positive != (n > 0) {
			t.Errorf("%v: got %+v", answers, r)
		}
	}
}

func frailAnswers(tired string, stairs, walking bool, illnesses, now, before float64) map[string]Value {
	return map[string]Value{
		"frail.tired": Chosen(tired), "frail.stairs": Bool(stairs), "frail.walking": Bool(walking),
		"frail.illnesses": Number(illnesses, ""), "frail.weight_now": Number(now, ""), "frail.weight_before": Number(before, ""),
	}
}

func TestFRAIL(t *testing.T) {
	t.Parallel()
	p := mustPack(t, "frail")
	tests := map[string]struct {
		answers  map[string]Value
		total    int
		band     string
		positive bool
	}{
		"nothing":                         {frailAnswers("none", false, false, 0, 150, 150), 0, "robust", false},
		"a little tired is no sign":       {frailAnswers("little", false, false, 0, 150, 150), 0, "robust", false},
		"some of the time is no sign":     {frailAnswers("some", false, false, 0, 150, 150), 0, "robust", false},
		"tired most of the time":          {frailAnswers("most", false, false, 0, 150, 150), 1, "pre-frail", false},
		"tired all of the time":           {frailAnswers("all", false, false, 0, 150, 150), 1, "pre-frail", false},
		"four illnesses are no sign":      {frailAnswers("none", false, false, 4, 150, 150), 0, "robust", false},
		"five illnesses":                  {frailAnswers("none", false, false, 5, 150, 150), 1, "pre-frail", false},
		"eleven illnesses are one sign":   {frailAnswers("none", false, false, 11, 150, 150), 1, "pre-frail", false},
		"five per cent exactly is none":   {frailAnswers("none", false, false, 0, 95, 100), 0, "robust", false},
		"just over five per cent":         {frailAnswers("none", false, false, 0, 94.9, 100), 1, "pre-frail", false},
		"gaining weight is no sign":       {frailAnswers("none", false, false, 0, 120, 100), 0, "robust", false},
		"two signs":                       {frailAnswers("none", true, true, 0, 150, 150), 2, "pre-frail", false},
		"three signs":                     {frailAnswers("all", true, true, 0, 150, 150), 3, "frail", true},
		"four signs":                      {frailAnswers("all", true, true, 6, 150, 150), 4, "frail", true},
		"all five":                        {frailAnswers("all", true, true, 6, 130, 150), 5, "frail", true},
		"stairs alone":                    {frailAnswers("some", true, false, 2, 150, 150), 1, "pre-frail", false},
		"walking and weight, two of five": {frailAnswers("some", false, true, 2, 60, 70), 2, "pre-frail", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Score(p, tt.answers)
			if r.Total == nil || *r.Total != tt.total || r.Band != tt.band || r.Positive != tt.positive || r.Highest != 5 {
				t.Errorf("got %+v, want %d %s", r, tt.total, tt.band)
			}
		})
	}
}

func TestMissingItemsGiveNoTotal(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		pack     string
		answers  map[string]Value
		missing  []string
		atLeast  int
		positive bool
	}{
		"nothing": {"phq2", nil, []string{"phq.interest", "phq.down"}, 0, false},
		"half": {
			"phq2",
			map[string]Value{"phq.interest": Chosen("several_days")},
			[]string{"phq.down"},
			1, false,
		},
		"half, and that is enough": {
			"phq2",
			map[string]Value{"phq.interest": Chosen("nearly_every_day")},
			[]string{"phq.down"},
			3, true,
		},
		"an answer of the wrong type is missing": {
			"phq2",
			map[string]Value{"phq.interest": Chosen("not_at_all"), "phq.down": Scale(3)},
			[]string{"phq.down"},
			0, false,
		},
		"a choice that does not exist is missing": {
			"gad2",
			map[string]Value{"gad.nervous": Chosen("often"), "gad.worry": Chosen("several_days")},
			[]string{"gad.nervous"},
			1, false,
		},
		"what is missing counts its least": {
			"ucla3",
			map[string]Value{"ucla.left_out": Chosen("often")},
			[]string{"ucla.companionship", "ucla.isolated"},
			5, false,
		},
		"one yes is enough": {
			"steadi3",
			map[string]Value{"steadi.worry": Bool(true)},
			[]string{"steadi.fallen", "steadi.unsteady"},
			1, true,
		},
		"no is not enough": {
			"steadi3",
			map[string]Value{"steadi.worry": Bool(false)},
			[]string{"steadi.fallen", "steadi.unsteady"},
			0, false,
		},
		"one weight": {
			"frail",
			map[string]Value{
				"frail.tired": Chosen("none"), "frail.stairs": Bool(false), "frail.walking": Bool(false),
				"frail.illnesses": Number(1, ""), "frail.weight_now": Number(70, ""),
			},
			[]string{"frail.weight_before"},
			0, false,
		},
		"weights in units that were not named": {
			"frail",
			map[string]Value{
				"frail.tired": Chosen("none"), "frail.stairs": Bool(false), "frail.walking": Bool(false),
				"frail.illnesses": Number(1, ""), "frail.weight_now": Number(70, ""), "frail.weight_before": Number(155, "lb"),
			},
			[]string{"frail.loss"},
			0, false,
		},
		"weights that cannot be compared": {
			"frail",
			map[string]Value{
				"frail.tired": Chosen("none"), "frail.stairs": Bool(false), "frail.walking": Bool(false),
				"frail.illnesses": Number(1, ""), "frail.weight_now": Number(70, "kg"), "frail.weight_before": Number(150, "lb"),
			},
			[]string{"frail.loss"},
			0, false,
		},
		"twelve of eleven illnesses": {
			"frail", frailAnswers("none", false, false, 12, 70, 70),
			[]string{"frail.illnesses"},
			0, false,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Score(mustPack(t, tt.pack), tt.answers)
			if r.Total != nil || r.Band != "" || r.Next != "" {
				t.Errorf("a partial screen has a total, a band or a next form: %+v", r)
			}
			if !slices.Equal(r.Missing, tt.missing) || r.AtLeast != tt.atLeast || r.Positive != tt.positive {
				t.Errorf("got %+v, want %+v", r, tt)
			}
		})
	}
}

func TestAPackWithoutScoringHasNoScore(t *testing.T) {
	t.Parallel()
	if r := Score(Pack{ID: "daily", Items: []Item{{ID: "a", Type: TypeBoolean}}}, nil); r.Total != nil || r.Positive {
		t.Errorf("score %+v", r)
	}
}

func TestPHQ2LeadsToPHQ8AndKeepsItsAnswers(t *testing.T) {
	t.Parallel()
	l := library(t)
	answers := map[string]Value{"phq.interest": Chosen("more_than_half"), "phq.down": Chosen("several_days")}
	p, _ := l.Pack("phq2", "en")
	r := Score(p, answers)
	if r.Next != "phq8" {
		t.Fatalf("next is %q", r.Next)
	}
	var ids []string
	for _, q := range l.Continue(r.Next, "en", answers, monday) {
		ids = append(ids, q.ID)
		answers[q.ID] = Chosen("several_days")
		if !q.Verbatim || !q.Screen || q.Pack != "phq8" {
			t.Errorf("%s is not part of the instrument: %+v", q.ID, q)
		}
	}
	want := []string{"phq.sleep", "phq.tired", "phq.appetite", "phq.failure", "phq.concentration", "phq.movement"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("asked on (-want +got):\n%s", diff)
	}
	long, _ := l.Pack("phq8", "en")
	if r := Score(long, answers); r.Total == nil || *r.Total != 9 || r.Band != "mild" {
		t.Errorf("PHQ-8: %+v", r)
	}
	if got := l.Continue("nothing", "en", nil, monday); got != nil {
		t.Errorf("an unknown pack goes on with %v", got)
	}
}

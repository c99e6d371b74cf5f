package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

// The guards by themselves, on replies that rules may well settle first.
func TestSupported(t *testing.T) {
	t.Parallel()
	scale := func(n float64) reader.Value { return reader.Value{Kind: reader.Scale, Number: n} }
	number := func(n float64) reader.Value { return reader.Value{Kind: reader.Number, Number: n} }
	yes, no := reader.Value{Kind: reader.Boolean, Bool: true}, reader.Value{Kind: reader.Boolean}
	at := func(clock string) reader.Value { return reader.Value{Kind: reader.Time, Time: clock} }
	tests := []struct {
		name, said, quote string
		q                 reader.Question
		v                 reader.Value
		plainly           bool
		why               string
	}{
		{"a number that rules read too", "Call it seven.", "seven", energy, scale(7), true, ""},
		{"a number that was corrected", "Four today, no wait, it was six.", "Four", energy, scale(4), false, "the number was corrected"},
		{"the last number stands", "Four today, no wait, it was six.", "six", energy, scale(6), true, ""},
		{"a number that was denied", "It is not a seven.", "a seven", energy, scale(7), false, negatedWhy},
		{"a number in another clause than the denial", "I am not well, but a seven.", "a seven", energy, scale(7), true, ""},
		{"two tens and a unit", "Twenty five.", "Twenty five", reader.Question{Kind: reader.Number}, number(25), true, ""},
		{"half a dozen", "half a dozen glasses", "half a dozen", glasses, number(6), true, ""},
		{"the question's own unit", "six glasses", "six glasses", glasses, number(6), true, ""},
		{"no, from its negation", "I haven't had the pills.", "haven't had the pills", pills, no, true, ""},
		{"a negated question keeps its way round", "I missed two of them.", "I missed two", missed, yes, true, ""},
		{"a time by its hour", "Half past seven it was.", "Half past seven", meal, at("07:30"), true, ""},
		{"another minute", "Half past seven it was.", "Half past seven", meal, at("07:15"), false, "rules read the quote otherwise"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := reply{q: tt.q, rc: noon, asked: asked[tt.q.ID], said: tt.said, words: wordsOf(tt.said)}
			quote := wordsOf(tt.quote)
			plainly, why := r.supported(tt.v, find(r.words, quote, 0), len(quote))
			if plainly != tt.plainly || why != tt.why {
				t.Errorf("%q: got %v, %q; want %v, %q", tt.said, plainly, why, tt.plainly, tt.why)
			}
		})
	}
}

func TestNumbersIn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		said string
		want []float64
	}{
		{"seven or eight", []float64{7, 8}},
		{"twenty-five", []float64{25}},
		{"a hundred and forty", []float64{140}},
		{"two hundred", []float64{200}},
		{"one hundred", []float64{100}},
		{"ten thousand", []float64{10000}},
		{"half a dozen, or half dozen, or a dozen", []float64{6, 6, 12}},
		{"6.5 and 1,200 and 7:30", []float64{6.5, 1200, 7}},
		{"8am", []float64{8}},
		{"once, twice", []float64{1, 2}},
		{"Nan says two hundred thousand", []float64{200000}},
		{"nothing of the kind", nil},
		{"", nil},
	}
	for _, tt := range tests {
		var got []float64
		for _, n := range numbersIn(wordsOf(tt.said)) {
			got = append(got, n.value)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q:\n%s", tt.said, diff)
		}
	}
}

func TestAnchor(t *testing.T) {
	t.Parallel()
	lib, err := packs.Load()
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]packs.Question{}
	for _, q := range lib.Continue("daily", "en", nil, noon.Now) {
		byID[q.ID] = q
	}
	tests := []struct {
		id, said string
		want     float64 // 0: none
		quote    string
	}{
		{"sleep", "Like a log, thank you.", 10, "Like a log"},
		{"sleep", "Oh, I slept like a baby.", 10, "like a baby"},
		{"sleep", "Not a wink.", 1, "Not a wink"},
		{"pain", "None at all, thank you dear.", 1, "None at all"},
		{"energy", "I'm full of energy today!", 10, "full of energy"},
		{"mood", "On top of the world.", 10, "On top of the world"},
		{"sleep", "Like a log, until the cat came.", 0, ""},
		{"pain", "Nothing I want to talk about.", 0, ""},
		{"mood", "My neighbour is terrible.", 0, ""},
		{"mood", "Not terrible.", 0, ""},
		{"sleep", "I'd rather not say.", 0, ""},
		{"plans", "Nothing.", 0, ""},
		{"falls", "None.", 0, ""},
	}
	for _, tt := range tests {
		got, ok := Anchor(byID[tt.id], tt.said, noon)
		if ok != (tt.want != 0) || got.Value.Number != tt.want || got.Quote != tt.quote {
			t.Errorf("%s, %q: got %+v, %v; want %v", tt.id, tt.said, got, ok, tt.want)
		}
		if ok && (!got.Settled || !byID[tt.id].Accepts(packs.Value{Type: packs.TypeScale, Number: got.Value.Number})) {
			t.Errorf("%s, %q: %+v cannot be recorded", tt.id, tt.said, got)
		}
	}
}

// Whatever a model says, a reading is within bounds and quotes what was said.
func FuzzBelieve(f *testing.F) {
	f.Add("I feel like seven horses, not six", "seven", "answer", 7.0, 0.9)
	f.Add("İ — ’n’ é 7.5:", "7.5", "answer", 7.5, 1.0)
	f.Add("", "", "refusal", -1.0, 2.0)
	f.Fuzz(func(t *testing.T, said, quote, verdict string, value, confidence float64) {
		for _, q := range []reader.Question{energy, glasses, other} {
			r := reply{q: q, rc: noon, said: said, words: wordsOf(said), rules: reader.Read(q, said, noon)}
			a := answer{Verdict: verdict, Quote: quote, Value: value, Confidence: confidence}
			if q.Kind == reader.Text {
				a.Value = nil
			}
			got, why := r.believe(a)
			if why != "" {
				continue
			}
			low, high, bounded := bounds(q)
			if got.Quote == "" || got.Confidence > mostConfidence || got.Status == reader.Answered && bounded &&
				(got.Value.Number < float64(low) || got.Value.Number > float64(high)) {
				t.Errorf("%q, %+v: %+v", said, a, got)
			}
		}
	})
}

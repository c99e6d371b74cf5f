package extract

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

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
	f.Add("I feel like seven horses, not six", "seven", "answer", "said", 7.0, 0.9)
	f.Add("İ — ’n’ é 7.5:", "7.5", "answer", "sum", 7.5, 1.0)
	f.Add("", "", "refusal", "idiom", -1.0, 2.0)
	f.Fuzz(func(t *testing.T, said, quote, verdict, how string, value, confidence float64) {
		for _, q := range []reader.Question{energy, glasses, other} {
			ask := Ask{Context: noon, Question: q, Said: said, rules: reader.Read(q, said, noon)}
			a := answer{Verdict: verdict, Quote: quote, Value: value, Confidence: confidence, How: how}
			if q.Kind == reader.Text {
				a.Value = nil
			}
			got, why := ask.believe(a)
			if why != "" {
				continue
			}
			low, high, bounded := bounds(q)
			if got.Quote == "" || !strings.Contains(said, got.Quote) || got.Confidence > mostConfidence || got.Status == reader.Answered && bounded &&
				(got.Value.Number < float64(low) || got.Value.Number > float64(high)) {
				t.Errorf("%q, %+v: %+v", said, a, got)
			}
		}
	})
}

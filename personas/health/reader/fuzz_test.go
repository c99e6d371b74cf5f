package reader_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/personas/health/reader"
)

// FuzzRead holds what must be true of any reading of anything.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"", "seven", "ten! no, say nine", "[keypad: 7]", "[keypad: ", "half past ten", "a hundred and forty-two and a half", "I took all but the blue one",
		"7/10", "10:30", "1,200", "six p.m. sharp", "don’t", "\xff\xfe seven", "İSTANBUL sieben", "٣", "…", "no no no no", "9999999999999999999999 hours",
		"eleven stone four", "between five and six", "2.2.2", "-7", "I'd rather not say, but all right then", "1/0", "0/0", "percent", "a a a a half",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		open := make([]reader.Question, 0, len(questions))
		for id := range questions {
			q, _ := question(id)
			open = append(open, q)
			r := reader.Read(q, said, now)
			holds(t, q, said, r)
			if diff := cmp.Diff(r, reader.Read(q, said, now)); diff != "" {
				t.Errorf("%q read twice differs: %s", said, diff)
			}
		}
		many := reader.ReadMany(open, said, now)
		for _, q := range open {
			if r, ok := many[q.ID]; ok {
				holds(t, q, said, r)
			}
		}
		for _, c := range reader.Corrections(open, said, now) {
			q, _ := question(c.ID)
			holds(t, q, said, c.Reading)
		}
		if first, again := reader.IntentOf(said), reader.IntentOf(said); first != again {
			t.Errorf("the intent of %q is %q, then %q", said, first, again)
		}
	})
}

func holds(t *testing.T, q reader.Question, said string, r reader.Reading) {
	t.Helper()
	if r.Confidence < 0 || r.Confidence > 1 || math.IsNaN(r.Confidence) {
		t.Errorf("%s: %q: confidence %v", q.ID, said, r.Confidence)
	}
	if !strings.Contains(said, r.Quote) {
		t.Errorf("%s: %q: quote %q was not said", q.ID, said, r.Quote)
	}
	switch r.Status {
	case reader.Answered, reader.Keypad:
		if !r.Settled || r.Value.Kind != q.Kind {
			t.Errorf("%s: %q: %s with settled %t and value %+v", q.ID, said, r.Status, r.Settled, r.Value)
		}
	case reader.Refused, reader.Skipped:
		if !r.Settled || !r.Value.IsZero() {
			t.Errorf("%s: %q: %s with settled %t and value %+v", q.ID, said, r.Status, r.Settled, r.Value)
		}
	case reader.Unclear:
		if r.Settled {
			t.Errorf("%s: %q: settled unclear", q.ID, said)
		}
	default:
		t.Errorf("%s: %q: status %q", q.ID, said, r.Status)
	}
	v := r.Value
	switch v.Kind {
	case reader.Scale:
		if v.Number < float64(q.Min) || v.Number > float64(q.Max) || v.Number != math.Trunc(v.Number) {
			t.Errorf("%s: %q: %v is off the scale", q.ID, said, v.Number)
		}
	case reader.Number:
		if v.Number < float64(q.Min) || v.Number > float64(q.Max) || math.IsNaN(v.Number) {
			t.Errorf("%s: %q: %v is out of range", q.ID, said, v.Number)
		}
	case reader.Choice:
		known := false
		for _, o := range q.Options {
			known = known || o.Value == v.Choice
		}
		if !known {
			t.Errorf("%s: %q: no option %q", q.ID, said, v.Choice)
		}
	case reader.Time:
		if len(v.Time) != 5 || v.Time[2] != ':' || v.Time > "23:59" {
			t.Errorf("%s: %q: time %q", q.ID, said, v.Time)
		}
	case reader.Boolean, reader.Text, "":
	}
}

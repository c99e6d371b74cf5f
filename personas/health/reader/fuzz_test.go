package reader_test

import (
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/personas/health/reader"
)

// FuzzRead holds what must be true of any reading of anything. It begins with labelled
// replies, joined and cut to lengths around those at which the words outgrow their array.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"", "seven", "ten! no, say nine", "[keypad: 7]", "[keypad: ", "half past ten", "a hundred and forty-two and a half", "I took all but the blue one",
		"7/10", "10:30", "1,200", "six p.m. sharp", "don’t", "\xff\xfe seven", "İSTANBUL sieben", "٣", "…", "no no no no", "9999999999999999999999 hours",
		"eleven stone four", "between five and six", "2.2.2", "-7", "I'd rather not say, but all right then", "1/0", "0/0", "percent", "a a a a half",
		"las once menos cuarto", "treinta y uno", "ciento cuarenta y dos y media", "3 p. m.", "72,5 kilos", "1.200,5", "si\u0301, ochito", "a las 0 menos diez",
		"halb eins", "dreiviertel zwölf Uhr", "zehn Uhr 70",
		"oh, my sleep you mean. Six.", "six was wrong, it should be four", "did I say six? Four, I meant",
	} {
		for pick := range len(questions) {
			f.Add(s, uint8(pick))
		}
	}
	talk := newTalk(f)
	for i, n := range []int{1, 3, 7, 12, 15, 16, 17, 33, 34, 35, 50, 75, 76, 77, 160, 400} {
		for k := range 4 {
			f.Add(talk.words(i*911+k*7001, n), uint8(i*4+k))
		}
	}
	all := allQuestions()
	f.Fuzz(func(t *testing.T, said string, pick uint8) {
		i := int(pick) % len(all)
		some := []reader.Question{all[i], all[(i+1)%len(all)], all[(i*7+3)%len(all)]}
		holdsAll(t, some, some, said)
	})
}

// TestReadAnyLength reads every labelled reply cut behind and before each of its words,
// and pieces of all of them joined, of every length to 400 words.
func TestReadAnyLength(t *testing.T) {
	t.Parallel()
	all := allQuestions()
	t.Run("cut", func(t *testing.T) {
		t.Parallel()
		for i, l := range allLabels(t) {
			some := []reader.Question{l.q, all[i%len(all)]}
			for at, c := range l.said {
				if c == ' ' {
					holdsAll(t, some, some, l.said[:at])
					holdsAll(t, some[:1], some, l.said[at:])
				}
			}
		}
	})
	t.Run("joined", func(t *testing.T) {
		t.Parallel()
		talk := newTalk(t)
		for n := range 401 {
			i := n % (len(all) - 2)
			holdsAll(t, all[i:i+3], all[i:i+3], talk.words(n*53, n))
		}
	})
}

func allQuestions() []reader.Question {
	var all []reader.Question
	for _, id := range slices.Sorted(maps.Keys(questions)) {
		q, _ := question(id)
		all = append(all, q)
	}
	return all
}

// talk is all labelled replies, one after the other.
type talk struct{ said []string }

func newTalk(tb testing.TB) talk {
	tb.Helper()
	var out talk
	for _, l := range allLabels(tb) {
		out.said = append(out.said, strings.Fields(l.said)...)
	}
	return out
}

// words are n words of the talk, from the one at i on.
func (t talk) words(i, n int) string {
	i %= len(t.said) - n
	return strings.Join(t.said[i:i+n], " ")
}

// holdsAll reads said in every way there is: as a reply to each of asked, and besides them
// for open.
func holdsAll(t *testing.T, asked, open []reader.Question, said string) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("%q: panic: %v\n%s", said, v, debug.Stack())
		}
	}()
	for _, q := range asked {
		r := reader.Read(q, said, now)
		holds(t, q, said, r)
		if diff := cmp.Diff(r, reader.Read(q, said, now)); diff != "" {
			t.Errorf("%q read twice differs: %s", said, diff)
		}
		if rest, ok := reader.Turned(q, open, said, now); !ok && rest != said {
			t.Errorf("%s: %q: nothing was turned, and %q is left", q.ID, said, rest)
		}
	}
	for id, r := range reader.ReadMany(open, said, now) {
		q, _ := question(id)
		holds(t, q, said, r)
	}
	for _, q := range open {
		for _, asks := range []reader.Asks{reader.AsksWhere, reader.AsksWhy, reader.AsksHow} {
			for _, quote := range []string{"", reader.Read(q, said, now).Quote} {
				if r, ok := reader.Told(q, asks, quote, open, said, now); ok && !strings.Contains(said, r.Value.Text) {
					t.Errorf("%s: %q was told by %q", asks, r.Value.Text, said)
				}
			}
		}
	}
	answered := slices.Clone(open)
	for i := range answered {
		answered[i].Answer = &reader.Value{Kind: answered[i].Kind, Number: float64(answered[i].Min + i%10)}
	}
	for _, c := range reader.Corrections(answered, said, now) {
		q, _ := question(c.ID)
		holds(t, q, said, c.Reading)
	}
	if first, again := reader.IntentOf(said), reader.IntentOf(said); first != again {
		t.Errorf("the intent of %q is %q, then %q", said, first, again)
	}
	for _, language := range []string{"es", "de", "fi"} { // for the last there are no cues
		in := reader.Context{Now: now.Now, Locale: language}
		for _, q := range asked {
			q, _, _ = questionIn(q.ID, language)
			holds(t, q, said, reader.Read(q, said, in))
		}
		for id, r := range reader.ReadMany(open, said, in) {
			q, _ := question(id)
			holds(t, q, said, r)
		}
		for _, c := range reader.Corrections(answered, said, in) {
			q, _ := question(c.ID)
			holds(t, q, said, c.Reading)
		}
		reader.IntentIn(said, in)
	}
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
	if r.Verbal && q.Kind != reader.Scale {
		t.Errorf("%s: %q: told in words on no scale", q.ID, said)
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

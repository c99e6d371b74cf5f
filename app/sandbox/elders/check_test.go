package elders

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

const opening = "Good morning. As you know, I'm a computer, not a person, and this call is recorded. " +
	"I'd like to ask you a few short questions about how you are. Is this a good moment?"

// openings are how a check begins in other languages.
var openings = map[string]string{
	"es": "Buenos días. Como ya sabe, soy una computadora, no una persona, y esta llamada se graba. " +
		"Me gustaría hacerle unas preguntas cortas sobre cómo se encuentra. ¿Es buen momento?", //nolint:misspell // it is Spanish
}

var library = sync.OnceValues(packs.Load)

// checkOf are the questions of an elder's check, with a screen where one is due.
func checkOf(t *testing.T, e Elder) []packs.Question {
	t.Helper()
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	session := lib.Select(packs.Profile{Language: e.Language, Conditions: e.Conditions, Medications: e.Medications}, packs.History{}, time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC))
	return session.Questions
}

// forRules is a question as the reader takes it.
func forRules(q packs.Question) reader.Question {
	out := reader.Question{
		ID: q.ID, Kind: reader.Kind(q.Type), Min: q.Min, Max: q.Max, Unit: q.Unit, Negated: q.Negated, Topic: q.Topics, Yes: q.Yes, No: q.No, Near: "09:00",
	}
	for _, c := range q.Choices {
		out.Options = append(out.Options, reader.Option{Value: c.Value, Words: append([]string{c.Label}, c.Words...), From: c.From, To: c.To})
	}
	return out
}

// tries is how often one question is put, keys offered at the end.
const tries = 8

// ask puts one question until the rules settle what the elder says or presses.
func ask(t *testing.T, s *Script, q packs.Question) (reader.Reading, int) {
	t.Helper()
	var r reader.Reading
	for attempt := range tries {
		text := q.Wording(attempt)
		if attempt > 2 && q.Keypad != "" {
			text += " " + q.Keypad
		}
		did := s.Next(text)
		if did.HangUp || s.Over() {
			t.Fatalf("%s: the elder left at %q", q.ID, text)
		}
		said := did.Text()
		if did.Press != "" {
			said = "[keypad: " + did.Press + "]"
		}
		rc := reader.Context{Now: time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC), Locale: s.elder.Language}
		if r = reader.Read(forRules(q), said, rc); r.Settled {
			return r, attempt
		}
		if reader.IntentIn(said, rc) == reader.IntentExit {
			t.Fatalf("%s: %q wants to stop", q.ID, said)
		}
	}
	return r, tries
}

// Everybody but a wrong person lives through a whole check, whatever the seed: each
// question gets an answer that rules can read.
func TestEldersAnswerAWholeHealthCheck(t *testing.T) {
	t.Parallel()
	for _, e := range loaded(t) {
		if e.Manner == WrongPerson {
			continue
		}
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			locale := reader.Context{Locale: e.Language}
			for seed := range uint64(8) {
				s := NewScript(e, seed)
				s.Next("")
				if first := s.Next(cmp.Or(openings[e.Language], opening)).Text(); reader.IntentIn(first, locale) != reader.IntentYes {
					t.Fatalf("seed %d: the opening got %q", seed, first)
				}
				for _, q := range checkOf(t, e) {
					r, _ := ask(t, s, q)
					if !r.Settled || r.Status != reader.Answered && r.Status != reader.Keypad {
						t.Errorf("seed %d: %s got %+v", seed, q.ID, r)
					}
				}
				if got := s.Next("That was my last question. Take good care, and goodbye."); !earOf(e.Language).takesLeave(got.Text()) || !s.Next("").HangUp {
					t.Errorf("seed %d: the goodbye got %+v", seed, got)
				}
			}
		})
	}
}

// The answers to every pack's questions, follow-ups and screens included.
func TestEveryQuestionOfThePacksIsKnown(t *testing.T) {
	t.Parallel()
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	e := elder(t, "bernice")
	for _, p := range lib.Packs() {
		for _, q := range lib.Continue(p.ID, "en", nil, time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC)) {
			list := []packs.Question{q}
			for _, v := range []packs.Value{{Type: packs.TypeBoolean, Bool: true}, {Type: packs.TypeBoolean, Bool: false}, {Type: packs.TypeScale, Number: 1}, {Type: packs.TypeScale, Number: 10}, packs.Chosen("poor"), packs.Chosen("worse")} {
				list = append(list, q.FollowUp(v)...)
			}
			for _, q := range list {
				for attempt := range 3 {
					s := NewScript(e, 1)
					s.Next(opening)
					r := s.Next(strings.ReplaceAll(q.Wording(attempt), "{medication}", "metformin"))
					got := reader.Read(forRules(q), r.Text(), reader.Context{Now: time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC)})
					if !got.Settled {
						t.Errorf("%s, %q: %q reads as %+v", q.ID, q.Wording(attempt), r.Text(), got)
					}
				}
			}
		}
	}
}

func TestMannersShowInAHealthCheck(t *testing.T) {
	t.Parallel()
	// tally is, over some calls, how often a question was put, and what was pressed.
	tally := func(id string) (asked, questions int, pressed []string, asides int) {
		e := elder(t, id)
		for seed := range uint64(6) {
			s := NewScript(e, seed)
			s.Next("")
			s.Next(opening)
			for _, q := range checkOf(t, e) {
				r, n := ask(t, s, q)
				questions++
				asked += n + 1
				if r.Status == reader.Keypad {
					pressed = append(pressed, r.Value.String())
				}
				if strings.Contains(r.Why, "correct") || q.ID == "energy" && n > 0 {
					asides++
				}
			}
		}
		return asked, questions, pressed, asides
	}
	if asked, questions, pressed, _ := tally("margaret"); asked != questions || len(pressed) > 0 {
		t.Errorf("Margaret is smooth: %d asked for %d questions, keys %q", asked, questions, pressed)
	}
	if asked, questions, pressed, _ := tally("rosa"); asked < questions*13/10 || !slices.Contains(pressed, "8") || !slices.Contains(pressed, "no") {
		t.Errorf("Rosa is hard of hearing: %d asked for %d questions, keys %q", asked, questions, pressed)
	}
	if asked, questions, pressed, asides := tally("walter"); asked <= questions || len(pressed) > 0 || asides == 0 {
		t.Errorf("Walter wanders: %d asked for %d questions, keys %q, %d asides", asked, questions, pressed, asides)
	}
}

func TestWhatAnElderDoesInAHealthCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, id, heard string
		want            func(Reaction) bool
	}{
		{"what is no question gets no answer", "bernice", "Of course, take your time. I will wait.", func(r Reaction) bool { return r.Silent }},
		{"a read-back is confirmed", "bernice", "You said that you had a fall, is that right?", func(r Reaction) bool { return reader.IntentOf(r.Text()) == reader.IntentYes }},
		{"a call goes on after a broken line", "bernice", "I'm sorry, Bernice, the line broke for a moment. Shall we go on with our questions?", func(r Reaction) bool { return reader.IntentOf(r.Text()) == reader.IntentYes }},
		{"nobody stops half way", "bernice", "Of course. Shall we stop here for today?", func(r Reaction) bool { return reader.IntentOf(r.Text()) == reader.IntentNo }},
		{"a screen's options are what is asked", "bernice", "Over the last 2 weeks, how often have you been bothered by any of the following problems? Feeling down, depressed, or hopeless? Not at all, several days, more than half the days, or nearly every day?", func(r Reaction) bool { return r.Say == "Not at all." }},
		{"a wrong person has no answers", "june", "How is your energy today?", func(r Reaction) bool { return r.Say != "A six." }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := NewScript(elder(t, tt.id), 2)
			s.Next("")
			s.Next(opening)
			if r := s.Next(tt.heard); !tt.want(r) {
				t.Errorf("%q got %+v", tt.heard, r)
			}
		})
	}
}

func TestChecksEndInTheEnd(t *testing.T) {
	t.Parallel()
	s := NewScript(elder(t, "bernice"), 1)
	s.Next("")
	for n := range mostCheckTurns + 2 {
		if s.Next(opening).HangUp {
			if n < mostCheckTurns/2 {
				t.Errorf("hung up after %d turns", n)
			}
			return
		}
	}
	t.Error("the elder never hangs up")
}

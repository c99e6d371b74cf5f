package words

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/packs"
)

// leads are the situations whose sentences stand in front of something asked.
var leads = []Situation{
	Begin, Thanks, Glad, Sorry, Corrected, CorrectedOpen, Confirmed, Skip, Refused, Skipped, Digression, Who, Kind, Soon, Asked, Story, Repeat, Explain,
	Unclear, Silence, HoldOn, DistressGoOn, RightPerson, GoOn, Resumed, ResumedAt, Back, Reconnected, KeypadOffer, KeypadBad, ReadBackDenied, ReadBackUnclear,
}

// asks are the situations whose sentences end in a question of their own.
var asks = []Situation{ReadBack, ReadBackWords, WrongPerson, ConfirmExit, ConfirmLater, ConfirmExitUnclear, Moment}

// closings are the situations whose sentences end the call.
var closings = []Situation{ClosingDone, ClosingStopped, ClosingLater, ClosingWrongPerson, Over}

// waits are the situations after which the person speaks, though nothing was asked.
var waits = []Situation{Hold, Filler, Distress, FetchPerson}

// anyDay is a day; no question here depends on it.
var anyDay = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

var library = sync.OnceValues(packs.Load)

// questions are all questions of all English packs, without the follow-ups.
func questions(tb testing.TB) []packs.Question {
	tb.Helper()
	return questionsIn(tb, "en")
}

func questionsIn(tb testing.TB, language string) []packs.Question {
	tb.Helper()
	lib, err := library()
	if err != nil {
		tb.Fatal(err)
	}
	var all []packs.Question
	for _, p := range lib.Packs() {
		if p.Language == language {
			all = append(all, lib.Continue(p.ID, language, nil, anyDay)...)
		}
	}
	return all
}

func situations() []Situation { return slices.Concat(leads, asks, closings, waits) }

// Every sentence is fit to be spoken, and every situation has more than one.
func TestStockIsWellFormed(t *testing.T) {
	t.Parallel()
	for language, lines := range stock() {
		for s, list := range lines {
			if !slices.Contains(situations(), s) {
				t.Errorf("%s: nobody asks for %q", language, s)
			}
			if len(usable(list, Fill{Value: "x"})) < 2 {
				t.Errorf("%s: %s has fewer than two sentences without a name", language, s)
			}
			for i, l := range list {
				switch {
				case slices.Contains(list[:i], l):
					t.Errorf("%s: %s has %q twice", language, s, l)
				case strings.ContainsFunc(strings.NewReplacer("{name}", "", "{value}", "", "{quote}", "", "{about}", "", "{of}", "").Replace(l), unspoken) || utf8.RuneCountInString(l) > 160:
					t.Errorf("%s: %s: %q cannot be spoken", language, s, l)
				case strings.Contains(l, "?") != slices.Contains(asks, s) && s != ConfirmExit && language != "de":
					t.Errorf("%s: %s: %q: a question where none belongs, or none where one does", language, s, l)
				case strings.Contains(english.Plain(l), "human"):
					t.Errorf("%s: %s: %q claims to be a person", language, s, l)
				}
			}
		}
	}
	for _, language := range []string{"en", "es"} { // the others fall back to English
		for _, s := range situations() {
			if len(stock()[language][s]) < 2 {
				t.Errorf("%s has no two sentences for %s", language, s)
			}
		}
	}
}

func TestClosingsSayGoodbyeAndNothingElseDoes(t *testing.T) {
	t.Parallel()
	for language, goodbye := range map[string]string{"en": "goodbye", "es": "adiós"} {
		for s, list := range stock()[language] {
			for _, l := range list {
				if strings.Contains(english.Plain(l), goodbye) != slices.Contains(closings, s) {
					t.Errorf("%s: %q", s, l)
				}
			}
		}
	}
}

// Whoever picked up may not be the person: nothing tells them what the call is.
func TestWrongPersonHearsNothingPrivate(t *testing.T) {
	t.Parallel()
	for _, s := range []Situation{WrongPerson, FetchPerson, ClosingWrongPerson} {
		for _, list := range stock() {
			for _, l := range list[s] {
				for _, private := range []string{"health", "question", "gesund", "frage", "salud", "pregunta"} {
					if strings.Contains(english.Plain(l), private) {
						t.Errorf("%s: %q", s, l)
					}
				}
			}
		}
	}
}

func TestSayGoesRoundAndFallsBack(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for n := range 10 {
		line := Say(Thanks, n, Fill{Name: "Ada"})
		if line != Say(Thanks, n, Fill{Name: "Ada"}) {
			t.Errorf("%d is said in two ways", n)
		}
		seen[line] = true
	}
	if len(seen) != len(stock()[fallback][Thanks]) || !seen["Thank you, Ada."] {
		t.Errorf("ten times round: %v", seen)
	}
	tests := []struct {
		name string
		got  string
		want string
	}{
		{"no name, no sentence with one", Say(ClosingDone, 0, Fill{}), "That is everything I wanted to ask. Thank you for talking with me. Take good care, and goodbye."},
		{"German", Say(Thanks, 0, Fill{Language: "de-AT"}), "Danke."},
		{"a situation that German lacks", Say(Moment, 0, Fill{Language: "de"}), "Is this a good moment for a few questions?"},
		{"a language that nobody wrote", Say(Thanks, 0, Fill{Language: "fi"}), "Thank you."},
		{"a value", Say(ReadBack, 0, Fill{Value: "seven"}), "I understood seven. Is that right?"},
		{"no value", Say(ReadBack, 0, Fill{}), ""},
		{"a number below zero", Say(Glad, -1, Fill{}), "I am glad to hear that."},
		{"a situation that is none", Say("surprise", 0, Fill{}), ""},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestAcknowledge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id   string
		v    packs.Value
		want Situation
	}{
		{"sleep", packs.Value{Type: packs.TypeScale, Number: 2}, Sorry},
		{"sleep", packs.Value{Type: packs.TypeScale, Number: 6}, Thanks},
		{"sleep", packs.Value{Type: packs.TypeScale, Number: 9}, Glad},
		{"pain", packs.Value{Type: packs.TypeScale, Number: 1}, Glad},
		{"pain", packs.Value{Type: packs.TypeScale, Number: 9}, Sorry},
		{"falls", packs.Value{Type: packs.TypeBoolean, Bool: true}, Sorry},
		{"falls", packs.Value{Type: packs.TypeBoolean, Bool: false}, Thanks},
		{"medication", packs.Value{Type: packs.TypeBoolean, Bool: true}, Thanks},
		{"appetite", packs.Chosen("poor"), Sorry},
		{"appetite", packs.Chosen("fair"), Thanks},
		{"plans", packs.Value{Type: packs.TypeText, Text: "my funeral"}, Thanks},
		{"diabetes.sugar", packs.Value{Type: packs.TypeNumber, Number: 400}, Thanks},
		{"sleep", packs.Value{}, Thanks},
		{"phq.down", packs.Chosen("nearly_every_day"), Thanks},
		{"steadi.fallen", packs.Value{Type: packs.TypeBoolean, Bool: true}, Thanks},
	}
	for _, tt := range tests {
		if got := Acknowledge(question(t, tt.id), tt.v); got != tt.want {
			t.Errorf("%s, %v: got %s, want %s", tt.id, tt.v, got, tt.want)
		}
	}
}

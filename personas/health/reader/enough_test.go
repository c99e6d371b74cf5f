package reader_test

import (
	"testing"

	"github.com/naiber/naiber/personas/health/reader"
)

// TestEnough holds when "enough" ends a call, and when it answers.
func TestEnough(t *testing.T) {
	t.Parallel()
	for language, by := range map[string]map[reader.Intent][]string{
		"en": {
			reader.IntentExit: {
				"That's enough.", "That's enough, thank you.", "I've had enough.", "I've had enough, love", "I've had quite enough", "I've had enough of this",
				"I've had enough of these questions", "enough now, please", "Enough for today.", "Enough already.", "enough questions",
			},
			reader.IntentNone: {
				"enough", "Enough!", "well enough", "good enough", "long enough", "not long enough", "not enough", "more than enough", "just enough", "I have enough",
				"I've had enough of this weather", "I've had enough sleep", "fair enough",
			},
		},
		"es": {
			reader.IntentExit: {"basta", "ya basta", "Basta por hoy.", "ya es suficiente", "con eso es suficiente", "suficiente por hoy"},
			reader.IntentNone: {"lo suficiente", "suficiente", "la suficiente", "bastante", "más que suficiente", "dormí lo suficiente"},
			reader.IntentNo:   {"no lo suficiente", "no es suficiente"},
		},
		"de": {
			reader.IntentExit: {"Genug jetzt.", "das reicht"},
			reader.IntentNone: {"genug", "nicht genug", "gut genug"},
		},
	} {
		for want, replies := range by {
			for _, said := range replies {
				if got := reader.IntentIn(said, reader.Context{Locale: language}); got != want {
					t.Errorf("%s: IntentIn(%q) = %q, want %q", language, said, got, want)
				}
			}
		}
	}
}

package search

import (
	"testing"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/memories"
)

// TestWeigh puts the turn that answers before the others of the same windows.
func TestWeigh(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ better, worse, speaker string }{
		"it says the words":         {"The roses came up again this year.", "They came up again this very year.", ""},
		"another form of a word":    {"She would rather have a rose than that.", "She would rather have a tree than that.", ""},
		"it is longer":              {"We went to the coast with all of them.", "We did.", ""},
		"it does not ask":           {"They are by the wall, where the sun is.", "Are they by the wall, where the sun is?", ""},
		"the question names who":    {"They are by the wall, where the sun is.", "They are by the wall, where the sun is.", "Karl"},
		"a question with the words": {"They are by the wall, where the sun is.", "Roses?", ""},
	} {
		set := DefaultSettings()
		r := &recall{q: Query{Text: "Where are Karl’s roses?"}, set: set, terms: []memories.WeightedTerm{{Term: memories.Term{Lexeme: "rose"}, Weight: 4}}}
		better, worse := &candidate{}, &candidate{}
		better.Text, better.Name, better.Score = row.better, row.speaker, 1/(set.RRFK+1)
		worse.Text, worse.Score = row.worse, 1/(set.RRFK+1)
		r.weigh(map[uuid.UUID]*candidate{uuid.New(): better, uuid.New(): worse})
		if better.Score <= worse.Score {
			t.Errorf("%s: %q has %.4f, %q %.4f", name, row.better, better.Score, row.worse, worse.Score)
		}
	}
}

func TestFormOf(t *testing.T) {
	t.Parallel()
	for lexeme, row := range map[string]struct {
		word string
		want bool
	}{
		"rose": {"roses", true}, "garden": {"gardening", true}, "famili": {"family", true}, "ski": {"skies", true},
		"car": {"cardiologist", false}, "oak": {"soak", false}, "sister": {"sist", false},
	} {
		if got := formOf(row.word, lexeme); got != row.want {
			t.Errorf("%s of %s: %t", row.word, lexeme, got)
		}
	}
}

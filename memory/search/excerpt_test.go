package search

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/internal/english"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, question, want string }{
		"short":                {"One. Two.", "two", "One. Two."},
		"the beginning":        {"One is first. Two is second. Three is third. Four is last.", "", "One is first. Two is second. …"},
		"what answers":         {"One is first. Two is second. Three is third. Four is last.", "three or four?", "… Three is third. Four is last."},
		"a sentence too long":  {strings.Repeat("word ", 20) + "end.", "", "word word word word word word …"},
		"a word without end":   {strings.Repeat("ä", 80), "", strings.Repeat("ä", 31) + " …"},
		"the end of a message": {"One is first.\nTwo is second", "", "One is first.\nTwo is second"},
	} {
		if got := excerpt(c.text, english.Content(c.question), 35); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Where the words cannot be looked for, the meaning is; where neither can, it is said.

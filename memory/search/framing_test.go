package search

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/store/memories"
)

func TestTellingWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ question, config, name, want string }{
		{"What did I tell you about the piano?", "english", "", "What did I you about the piano?"},
		{"Is Margaret’s hip still sore?", "english", "Margaret", "Is hip sore?"},
		{"How is Mr. MacLeod's boat?", "english", "Mr. MacLeod", "How is boat?"},
		{"So tell, what happened?", "english", "", "So what"},
		{"Tell Margaret", "english", "Margaret", "Tell"},
		{"Margaret?", "english", "Margaret", "Margaret?"},
		{"Was ist mit dem Name?", "german", "", "Was ist mit dem Name?"},
	} {
		words := strings.Fields(c.question)
		counts := telling(words, memories.Frame{Name: c.name, Config: c.config})
		var left []string
		for i, w := range words {
			if counts[i+1] {
				left = append(left, w)
			}
		}
		if got := strings.Join(left, " "); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.question, c.name, got, c.want)
		}
	}
}

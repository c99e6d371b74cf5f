package words

import (
	"testing"

	"github.com/naiber/naiber/store/quoted/quotedtest"
)

// The person's name and what was recalled stand in the prompt as quoted speech.
func TestNamesAndMemoriesAreQuoted(t *testing.T) {
	t.Parallel()
	quotedtest.Each(t, func(injected string) string {
		return Ask{Name: injected, memories: []string{injected, "Ada: " + injected}}.prompt()
	})
}

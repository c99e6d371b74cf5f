package prompts_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/naiber/naiber/store/quoted/quotedtest"
	"github.com/naiber/naiber/telephony/prompts"
)

// Whatever is on record of a person, and what was said before a line broke,
// stands in the system prompt as quoted speech; words to be spoken stay on a line.
func TestRecordedWordsAreQuoted(t *testing.T) {
	t.Parallel()
	l, err := prompts.Load("", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"general", "health_check"} {
		quotedtest.Each(t, func(x string) string {
			d := prompts.Data{
				CallType: kind, Language: "en", Speak: "English", Name: x, FullName: x, Reason: x, LastCall: "yesterday", LastTopics: []string{x, x, x},
				Address: x, Notes: x, Conditions: []string{x}, Medications: []string{x, x}, Contacts: []prompts.Contact{{Name: x, Relation: x}},
				Memories: []string{x, "Ada: " + x}, Promises: []string{x}, Remembered: true, Recorded: true,
				Reconnect: true, Transcript: []prompts.Line{{Who: x, Text: x}, {Who: "You", Text: x}},
			}
			system, err := l.System(d, prompts.Marks{PersonID: "p"})
			if err != nil {
				t.Fatal(err)
			}
			first, err := l.Text(prompts.Returning, d)
			if err != nil || strings.ContainsAny(first, "\n\r«»<>[]{}`") {
				t.Errorf("first message: %.300q, %v", first, err)
			}
			return system
		})
	}
}

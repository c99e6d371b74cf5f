package general

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/quoted/quotedtest"
)

func system(msgs []llm.Message) string {
	var all strings.Builder
	for _, m := range msgs {
		all.WriteString(m.Role + "\n" + m.Content + "\n")
	}
	return all.String()
}

// What was recalled, and a transcript, stand in prompts as quoted speech.
func TestRecalledWordsAreQuoted(t *testing.T) {
	t.Parallel()
	m := &model{reply: "Yes."}
	quotedtest.Each(t, func(injected string) string {
		p := newPersona(t, m, recaller{found: []string{injected, "Ada: " + injected}}, nil)
		reply(t, p, turnOf(known(), "Hello.", "How are the roses?"))
		return system(m.last(t).Messages)
	})
	quotedtest.Each(t, func(injected string) string {
		text, _ := written([]calls.Utterance{{Role: calls.RoleUser, Text: injected}, {Role: calls.RoleAssistant, Text: injected}})
		return system(task(topicsTask, text).Messages)
	})
}

package orchestration

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/calls"
)

// maxFailures is how many answers in a row may fail; with the last of them the
// call is given up, and whoever records its ending sees to a call back.
const maxFailures = 3

// trouble is what is said then, by language.
var trouble = map[string]string{
	"en": "I am sorry, something is wrong on my side, and it is not your doing. I will say goodbye now, and call you back as soon as it works again.",
	"de": "Es tut mir leid, bei mir stimmt etwas nicht, und das liegt nicht an Ihnen. Ich verabschiede mich jetzt und rufe Sie zurück, sobald es wieder geht.",
	"es": "Lo siento, algo falla por mi parte, y no es culpa suya. Me despido ahora, y le llamaré de nuevo en cuanto vuelva a funcionar.",
}

// fail says text, which covers an answer that failed, or gives the call up where
// too many before it have failed as well.
func (s *Server) fail(g *generation, text string) {
	t := g.turn
	if t.Late || s.failures(t)+1 < maxFailures {
		g.speech.append(text)
		return
	}
	code, _, _ := strings.Cut(strings.ToLower(t.Line.Person.Language), "-")
	last, ok := trouble[code]
	if !ok {
		last = trouble["en"]
	}
	g.speech.append(last)
	g.speech.mu.Lock()
	defer g.speech.mu.Unlock()
	reason := calls.CauseTrouble
	g.speech.endCall = &reason
}

// failures counts the answers in a row before t that failed. The count comes from
// the history, so it survives a restart; prompts at a silence are no answers.
func (s *Server) failures(t *Turn) int {
	n := 0
	for _, m := range slices.Backward(t.Messages) {
		said := strings.TrimSpace(m.Content)
		switch {
		case m.Role != llm.RoleAssistant || said == "" || s.supervisor.prompts(said):
		case covers(said, calmSentence), strings.HasSuffix(said, strings.TrimSpace(lostThread)):
			n++
		default:
			return n
		}
	}
	return n
}

// covers reports whether a line is text, or what was heard of its beginning.
func covers(line, text string) bool {
	line = strings.TrimRight(line, " .…-–—")
	return strings.HasPrefix(text, line) && strings.Count(line, " ") > 1
}

package orchestration

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/calls"
)

// maxFailures is how many answers in a row may fail. With the last one the call is given up;
// recording its ending leads to a call back.
const maxFailures = 3

// fail says text, which covers an answer that failed, or gives the call up if too many before it
// have failed as well.
func (s *Server) fail(g *generation, text string) {
	t := g.turn
	if t.Late || s.failures(t)+1 < maxFailures {
		g.speech.append(inLanguage(t.speaks(), text))
		return
	}
	g.speech.append(inLanguage(t.speaks(), trouble))
	g.speech.mu.Lock()
	defer g.speech.mu.Unlock()
	reason := calls.CauseTrouble
	g.speech.endCall = &reason
}

// failures returns how many answers in a row before t failed. It is computed from the history, so
// it survives a restart; prompts at a silence do not count as answers.
func (s *Server) failures(t *Turn) int {
	n := 0
	calm, lost := inLanguage(t.speaks(), calmSentence), strings.TrimSpace(inLanguage(t.speaks(), lostThread))
	for _, m := range slices.Backward(t.Messages) {
		said := strings.TrimSpace(m.Content)
		switch {
		case m.Role != llm.RoleAssistant || said == "" || s.supervisor.prompts(t.speaks(), said):
		case covers(said, calm), strings.HasSuffix(said, lost):
			n++
		default:
			return n
		}
	}
	return n
}

// covers reports whether a line is text, or the beginning of it that was heard.
func covers(line, text string) bool {
	line = strings.TrimRight(line, " .…-–—")
	return strings.HasPrefix(text, line) && strings.Count(line, " ") > 1
}

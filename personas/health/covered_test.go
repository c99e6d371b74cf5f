package health_test

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/store/storetest"
)

// An answer is saved, but its reply fails, and the person is asked to say it again:
// the same words are not taken for an answer to the question that nobody heard.
func TestRepeatedAnswerIsNoAnswerToTheNextQuestion(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	for _, words := range []string{"Yes", "Seven", "Seven", "One", "Seven"} {
		s.says(words)
	}
	lost := s.turnOf("Poor", "")
	s.reply(lost) // saved; what was said then is in no history
	s.messages = lost.Messages
	s.hear("I'm sorry, I didn't quite catch that. Could you say it again for me?")
	again := s.turnOf("Poor", "")
	again.Covered = true
	s.answered(again, s.reply(again))
	s.finish()
	if got := s.results(); strings.Contains(got, `appetite.last: answered`) || !strings.Contains(got, `appetite: answered "poor"`) {
		t.Errorf("on record:\n%s", got)
	}
}

package health_test

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration/llm"
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

// A question was heard, a warning and talk about it followed, and the first reply to
// the answer failed: the repeated words answer the question.
func TestRepeatedAnswerIsAnAnswerToAQuestionHeardLongBefore(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	s.says("Yes")
	question := s.said[strings.LastIndex(s.said, "How"):]
	for _, line := range []string{ // none of this reaches the persona
		"I have no idea where I am.", "That sounds unsettling. Is somebody you know with you now?",
		"My son is here.", "Thank you, that is good to know. Now, where were we? " + question,
		"Seven", "I'm sorry, I didn't quite catch that. Could you say it again for me?",
	} {
		role := llm.RoleUser
		if len(s.messages)%2 == 0 {
			role = llm.RoleAssistant
		}
		s.messages = append(s.messages, llm.Message{Role: role, Content: line})
	}
	again := s.turnOf("Seven", "")
	again.Covered = true
	s.answered(again, s.reply(again))
	s.finish()
	if got := s.results(); !strings.Contains(got, "energy: answered 7") {
		t.Errorf("on record:\n%s\n%s", got, s.book.String())
	}
}

package health_test

import (
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/storetest"
)

// A question that brought no answer was asked all the same: it counts for what is
// asked how often. One that was still open is asked again by whoever goes on with
// the check, one that was given up is not.
func TestUnclearCountsAsAsked(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.config.MaxRetry = 1
	s.call()
	for _, words := range []string{"Yes", "The green one", "The green one", "The blue one"} { // energy is given up, sleep is open
		s.says(words)
	}
	at := s.clock
	s.finish()
	past := s.store.HealthPast(t.Context(), s.person.ID, store.NewCallID(), at, at)
	asked := past.Asked
	if past.AskedErr != nil {
		t.Fatal(past.AskedErr)
	}
	for _, id := range []string{"energy", "sleep"} {
		if d := at.Sub(asked[id]); asked[id].IsZero() || d < 0 || d > time.Minute {
			t.Errorf("%s was asked at %v, the last turn was at %v", id, asked[id], at)
		}
	}
	if _, ok := asked["pain"]; ok {
		t.Error("pain counts as asked")
	}
	s.call()
	if n := noteOf(t, s.says("Yes")); n.Question == nil || n.Question.ID != "sleep" || n.Answered != 0 {
		t.Errorf("the next call goes on with %+v", n.Question)
	}
}

// An instrument whose item was put and not understood was asked, and not answered.
func TestUnclearScreenCounts(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	for _, words := range []string{"Yes", "Seven", "Seven", "Two", "Seven", "Good", "Yes", "No", "No", "The green one"} {
		s.says(words)
	}
	s.finish()
	past := s.store.HealthPast(t.Context(), s.person.ID, store.NewCallID(), s.clock, s.clock)
	if screens, err := past.Screens, past.ScreensErr; err != nil || len(screens) != 1 || screens[0].Pack != "steadi3" || screens[0].Outcome != checks.ScreenUnanswered {
		t.Errorf("screens: %+v, %v", screens, err)
	}
}

// A reply of which only a filler was heard was not heard: words that follow are
// taken together with those before, and are no answer to the next question.
func TestSpokenOnBehindAFiller(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	s.says("Yes")
	first := s.turnOf("Seven", "")
	s.reply(first)
	// The voice service's history holds the filler in between, a turn's does not.
	second := s.turnOf("Seven", "")
	second.Messages = append(second.Messages, llm.Message{Role: llm.RoleUser, Content: "no, say six"})
	second.Heard, second.Since, second.Place = "Seven no, say six", first.Place, first.Place+2
	n := noteOf(t, s.reply(second))
	if n.Question == nil || n.Question.ID != "sleep" || n.Answered != 1 || len(n.Readings) != 1 || string(n.Readings[0].Value) != "6" {
		t.Errorf("note: %+v %+v", n, n.Question)
	}
}

// What nobody gave is not closed with thanks for it.
func TestClosingFits(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	s.says("Yes")
	s.says("I want to stop")
	if got := s.says("Yes"); !got.Ended || strings.Contains(got.Text, "told me") {
		t.Errorf("said: %q", got.Text)
	}
}

package health_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/storetest"
)

// What the first form of a check looked like is kept in testdata, and never made
// anew: a check that an older process saved goes on with this one. testdata has the
// state of a thread and the questions that were written after a call.

// A check whose thread was saved in the first form goes on at its open question.
func TestGoesOnFromStateV1(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	at := s.clock.Add(-time.Minute).UTC().Truncate(time.Microsecond)
	cp := checkpoint.Checkpoint{
		ID: checkpoint.NewID(), At: at, Step: 10, Graph: "health_check", Schema: 1, Node: "wait_for_answer",
		Turn:    checkpoint.Turn{Conversation: s.line.ConversationID, Place: 1, Key: "k", At: at},
		Outcome: []byte(`{"address":"falls/reading_back","said":["You said that you had a fall, is that right?"]}`),
		State:   bytes.ReplaceAll(savedForm(t, "state_v1.json"), []byte(`"conv_1"`), []byte(`"`+s.line.ConversationID+`"`)),
	}
	if err := s.threads.Put(t.Context(), health.ThreadName(s.person.ID, s.line.Call.ConversationID), checkpoint.History{}, cp); err != nil {
		t.Fatal(err)
	}
	if n := noteOf(t, s.says("Yes, I did")); n.Question == nil || n.Question.ID != "falls.hurt" || n.Answered != 9 {
		t.Errorf("after the answer: %+v, %+v", n, n.Question)
	}
	s.finish()
	got := s.results()
	for _, want := range []string{
		"energy: answered 6 on \"six\", earlier answered 7", "pain.where: answered \"In my knee\"", "medication: answered true", "falls: answered true", "breathing: not_reached",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A check that was written into tables in the first form is gone on with by the
// next call.
func TestGoesOnFromQuestionsV1(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	s.hangUp()
	err := s.store.SaveHealthCheck(t.Context(), checks.Check{
		CallID: s.line.Call.ID, PersonID: s.person.ID, Status: checks.InProgress, StartedAt: s.clock, EndedAt: s.clock.Add(time.Minute),
		Questions: savedForm(t, "questions_v1.json"),
		Answers: []checks.Answer{{
			QuestionID: "energy", Question: "How is your energy today?", Short: "Energy", Pack: "daily", PackVersion: "1.0.0", Type: "scale",
			Status: "answered", Value: json.RawMessage("6"), Source: "rules", Confidence: 0.9, Attempts: 1, At: s.clock,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.call()
	if n := noteOf(t, s.says("Yes")); !n.Resumed || n.Question == nil || n.Question.ID != "sleep" || n.Answered != 1 || n.Of != 15 {
		t.Errorf("after the opening: %+v, %+v", n, n.Question)
	}
}

func savedForm(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

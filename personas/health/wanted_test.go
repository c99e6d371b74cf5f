package health_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/storetest"
)

// wants has a carer want a question to be put.
func (s *stage) wants(text string) {
	s.tb.Helper()
	err := s.store.InTx(context.Background(), func(tx store.Tx) error {
		return s.store.AskInHealthCheck(context.Background(), tx, checks.Question{ID: uuid.Must(uuid.NewV7()), PersonID: s.person.ID, Text: text, AskedBy: "Ruth"})
	})
	if err != nil {
		s.tb.Fatal(err)
	}
}

// asked answers question after question, until the check ends or one comes before which
// to stop, and returns what was put.
func (s *stage) asked(t *testing.T, before string) []string {
	t.Helper()
	var put []string
	got := s.says("Yes")
	for range 40 {
		n := noteOf(t, got)
		if got.Ended || n.Question == nil || n.Question.ID == before {
			break
		}
		if put = append(put, n.Question.ID); strings.HasPrefix(n.Question.ID, "carer.") && !strings.HasSuffix(got.Text, "?") {
			t.Errorf("%s was put as %q", n.Question.ID, got.Text)
		}
		answer := "No"
		switch {
		case strings.HasPrefix(n.Question.ID, "carer."):
			answer = "The dustcart comes at five"
		case n.Question.ID == "energy", n.Question.ID == "sleep", n.Question.ID == "mood":
			answer = "Seven"
		case n.Question.ID == "pain":
			answer = "Two"
		case n.Question.ID == "appetite":
			answer = "Good"
		case n.Question.ID == "medication":
			answer = "Yes"
		case n.Question.ID == "plans":
			answer = "I will knit"
		}
		got = s.says(answer)
	}
	return put
}

// What a carer wants to be asked is put once, as it stands, before the last question,
// and answered in the person's words.
func TestWantedQuestion(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.config.Limits = barred("brother")
	s.call()
	s.wants("Does your brother snore?") // waits for as long as it is not to be raised
	for _, text := range []string{"What wakes you at night?", "Do you hear the neighbours?", "Is the new bed too soft?"} {
		s.wants(text)
	}
	put := s.asked(t, "")
	if n := len(put); n < 4 || !slices.Equal(put[n-3:], []string{"carer.2", "carer.3", "other"}) {
		t.Fatalf("put: %q", put)
	}
	s.finish()
	list := s.checks(t)
	var got checks.Answer
	for _, a := range list[0].Answers {
		if a.QuestionID == "carer.2" {
			got = a
		}
	}
	if list[0].Status != checks.Completed || got.Question != "What wakes you at night?" || got.Type != "text" || got.Status != "answered" ||
		string(got.Value) != `"The dustcart comes at five"` || got.Pack != checks.CarerPack {
		t.Errorf("%s, %+v", list[0].Status, got)
	}
	s.call()
	if put := s.asked(t, ""); strings.Count(fmt.Sprint(put), "carer.") != 1 || !slices.Contains(put, "carer.4") {
		t.Errorf("put in the next check: %q", put)
	}
}

// A check that breaks off keeps what was to be asked in it. It is put by whichever goes
// on, or by the next one.
func TestWantedQuestionOutlivesABrokenCheck(t *testing.T) {
	t.Parallel()
	for name, goesOn := range map[string]bool{"gone on with": true, "a new check": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, storetest.New(t), nil)
			if !goesOn {
				s.config.ResumeWindow = -1
			}
			s.call()
			s.wants("What wakes you at night?")
			s.asked(t, "carer.1") // it is heard, and not answered
			s.finish()
			s.call()
			if put := s.asked(t, ""); !slices.Contains(put, "carer.1") {
				t.Errorf("put in the next call: %q", put)
			}
			s.finish()
			s.call()
			if put := s.asked(t, ""); slices.Contains(put, "carer.1") {
				t.Errorf("put once more: %q", put)
			}
		})
	}
}

// barred is a topic that is not to be brought up.
type barred string

func (b barred) Raisable(_ context.Context, _ store.PersonID, texts []string) ([]string, error) {
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return strings.Contains(s, string(b)) }), nil
}

// A question has to have words, and not too many of them.
func TestWantedQuestionIsBounded(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	s := newStage(t, st, nil)
	s.call()
	for _, text := range []string{" ", strings.Repeat("é", checks.MaxQuestion+1)} {
		err := st.InTx(t.Context(), func(tx store.Tx) error {
			return st.AskInHealthCheck(t.Context(), tx, checks.Question{ID: uuid.New(), PersonID: s.person.ID, Text: text, AskedBy: "Ruth"})
		})
		if err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	s.wants(strings.Repeat("é", checks.MaxQuestion))
}

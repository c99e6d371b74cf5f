package health_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/recall"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// shelf is a memory that knows one thing of what was said, and keeps what it was asked.
type shelf struct {
	mu    sync.Mutex // guards asked
	asked []string
	gone  bool // it answers nobody
}

func (l *shelf) Embed(context.Context, string) ([]float32, error) { return nil, nil }

func (l *shelf) Recall(ctx context.Context, _ people.Person, words string, _ []float32) ([]string, error) {
	l.mu.Lock()
	l.asked = append(l.asked, words)
	l.mu.Unlock()
	if l.gone {
		<-ctx.Done()
		return nil, errors.New("away")
	}
	return []string{"Her grandson Peter is a baker."}, nil
}

func (l *shelf) taken() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.asked
	l.asked = nil
	return out
}

// remembering makes a stage whose check has a memory, and a model with these wordings.
func remembering(t *testing.T, lib *shelf, deadline time.Duration, wordings ...string) (*stage, *standIn) {
	t.Helper()
	s, m := newStage(t, storetest.New(t), nil), &standIn{wordings: wordings}
	s.config.Model = m
	s.config.Recall = recall.New(recall.Config{Source: lib, Deadline: deadline, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(s.config.Recall.Close)
	s.call()
	return s, m
}

const (
	firstEnergy = "How is your energy today, on a scale from 1 to 10, where 1 is none at all and 10 is full of energy?"
	firstSleep  = "How well did you sleep last night, from 1 for hardly at all to 10 for very well?"
)

// Who talks of something else is answered with what is known of it, and the small talk
// before later questions knows it too. Nobody waits for that before a plain question.
func TestDigressionIsAnsweredWithMemories(t *testing.T) {
	t.Parallel()
	lib := &shelf{}
	s, m := remembering(t, lib, 10*time.Second, firstEnergy, "Peter the baker is getting married. "+firstEnergy, firstSleep)
	s.says("Yes")
	if got := lib.taken(); len(got) > 0 {
		t.Errorf("before a plain question memory was asked for %q", got)
	}
	got := s.says("Did I tell you that my grandson is getting married?")
	if asked := lib.taken(); len(asked) != 1 || !strings.Contains(asked[0], "grandson") {
		t.Errorf("memory was asked for %q", asked)
	}
	if prompt := m.last.Messages[0].Content; !strings.Contains(prompt, "- «Her grandson Peter is a baker.»") {
		t.Errorf("the model was told %q", prompt)
	}
	if n := noteOf(t, got); !strings.HasPrefix(got.Text, "Peter the baker") || n.Question.ID != "energy" {
		t.Errorf("said %q, and asked %+v", got.Text, n.Question)
	}
	s.says("Seven")
	if prompt := m.last.Messages[0].Content; !strings.Contains(prompt, "Peter") || len(lib.taken()) > 0 {
		t.Errorf("small talk was given %q", prompt)
	}
}

// A memory that is away keeps nobody waiting beyond its deadline, and no plain question at
// all.
func TestQuestionsDoNotWaitForMemory(t *testing.T) {
	t.Parallel()
	lib := &shelf{gone: true}
	s, m := remembering(t, lib, time.Millisecond, firstEnergy, "That is good news. "+firstEnergy, firstSleep)
	s.says("Yes")
	got := s.says("Did I tell you that my grandson is getting married?")
	if late, _ := got.Notes["recallLate"].(bool); !late || !strings.HasPrefix(got.Text, "That is good news.") {
		t.Errorf("said %q, late %v", got.Text, got.Notes["recallLate"])
	}
	if prompt := m.last.Messages[0].Content; strings.Contains(prompt, "remembers of the person") {
		t.Errorf("the model was told %q", prompt)
	}
	if got := s.says("Seven"); got.Notes["degraded"] != nil || slices.Contains(lib.taken(), "Seven") {
		t.Errorf("a plain answer: degraded %v", got.Notes["degraded"])
	}
}

// Without a model nothing is recalled: nothing could take it up.
func TestNoModelRecallsNothing(t *testing.T) {
	t.Parallel()
	lib := &shelf{}
	s, _ := remembering(t, lib, 10*time.Second)
	s.config.Model = nil
	s.restart()
	s.says("Yes, I have just come in from the garden")
	s.says("Did I tell you that my grandson is getting married?")
	if got := lib.taken(); len(got) > 0 {
		t.Errorf("memory was asked for %q", got)
	}
}

package cognitive_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/personas/cognitive"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

var errKilled = errors.New("killed")

// dying is a process that is killed at one of its writes, before it or after it.
type dying struct {
	cognitive.Checkpoints
	cognitive.Store
	mu     sync.Mutex // guards the rest
	writes int
	at     int // the write at which it dies, from 1; 0: none
	after  bool
}

// write does a write unless the process dies at it.
func (d *dying) write(do func() error) error {
	d.mu.Lock()
	d.writes++
	dies := d.writes == d.at
	d.mu.Unlock()
	if dies && !d.after {
		return errKilled
	}
	if err := do(); err != nil || !dies {
		return err
	}
	return errKilled
}

func (d *dying) Put(ctx context.Context, thread string, h checkpoint.History, cp checkpoint.Checkpoint) error {
	return d.write(func() error { return d.Checkpoints.Put(ctx, thread, h, cp) })
}

func (d *dying) Delete(ctx context.Context, thread string) error {
	return d.write(func() error { return d.Checkpoints.Delete(ctx, thread) })
}

func (d *dying) SaveCognitiveCheck(ctx context.Context, c cognition.Check) error {
	return d.write(func() error { return d.Store.SaveCognitiveCheck(ctx, c) })
}

func (d *dying) AddEvent(ctx context.Context, id store.CallID, kind string, data []byte, key string) (fresh bool, err error) {
	err = d.write(func() error {
		fresh, err = d.Store.AddEvent(ctx, id, kind, data, key)
		return err
	})
	return fresh, err
}

// killed is what is said in the check that is killed, with every kind of turn.
var killed = strings.Fields("Yes Yellow Nothing 14 Friday silence Spring Ten home")

// TestKilledAtEveryWrite kills the process before and after each of its writes. What is sent
// again is answered as if nothing had happened: nothing is said twice or left out, and the
// record is the same.
func TestKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	want, writes, book := playKilled(t, st, 0, false)
	if writes < len(killed)+3 || !strings.Contains(want, "complete") {
		t.Fatalf("%d writes, and on record:\n%s", writes, want)
	}
	for at := 1; at <= writes; at++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("write %d, after it %t", at, after), func(t *testing.T) {
				t.Parallel()
				got, _, said := playKilled(t, st, at, after)
				if got != want {
					t.Errorf("on record:\n%s\nwant:\n%s", got, want)
				}
				if said != book {
					t.Errorf("said:\n%s\nwant:\n%s", said, book)
				}
			})
		}
	}
}

func playKilled(t *testing.T, st *store.Store, at int, after bool) (record string, writes int, book string) {
	t.Helper()
	s := newStage(t, st, "orientation")
	d := &dying{Checkpoints: s.config.Checkpoints, Store: s.config.Store, at: at, after: after}
	s.config.Checkpoints, s.config.Store = d, d
	s.call()
	for _, words := range killed {
		if words == "silence" {
			words = ""
		}
		turn := s.turnOf(words, 3)
		sp := orchestration.NewSpeech()
		if err := s.persona.Reply(t.Context(), turn, sp); err != nil {
			if !errors.Is(err, errKilled) || sp.Text() != "" {
				t.Fatalf("%q: %v, said %q", words, err, sp.Text())
			}
			s.restart()
			again := *turn
			again.ID, again.Attempt = store.NewTurnID(), 2
			sp = orchestration.NewSpeech()
			if err := s.persona.Reply(t.Context(), &again, sp); err != nil {
				t.Fatalf("%q again: %v", words, err)
			}
		}
		s.answered(turn, sp.Spoken())
	}
	s.hangUp()
	for range 2 { // the job comes back after a crash
		if err := s.persona.Finish(t.Context(), s.line.Call); err == nil {
			break
		} else if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		s.restart()
	}
	thread := cognitive.ThreadName(s.person.ID, s.line.Call.ConversationID)
	if h, err := d.Load(t.Context(), thread); err != nil || len(h.Checkpoints) != 0 {
		t.Errorf("the thread is still there: %d, %v", len(h.Checkpoints), err)
	}
	events, err := st.EventsAfter(t.Context(), s.line.Call.ID, 0)
	if err != nil || len(events) != 1 || events[0].Kind != "cognitive_check" {
		t.Errorf("events: %+v, %v", events, err)
	}
	return s.record(), d.writes, s.book.String()
}

// A turn that comes after its call's check was written begins no other one.
func TestLateTurnBeginsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), "orientation")
	s.call()
	s.ready()
	line := s.line
	s.finish()
	before := s.record()
	turn := s.turnOf("The fourteenth", 3)
	turn.Line = line // as it was when the turn came
	if got := s.reply(turn); !got.Ended || got.EndReason != "cognitive_call_ended" {
		t.Errorf("it was told %q, and ends: %v %s", got.Text, got.Ended, got.EndReason)
	}
	if h, err := s.config.Checkpoints.Load(t.Context(), cognitive.ThreadName(s.person.ID, line.Call.ConversationID)); err != nil || len(h.Checkpoints) != 0 {
		t.Errorf("it left %d checkpoints behind, %v", len(h.Checkpoints), err)
	}
	if got := s.record(); got != before {
		t.Errorf("on record:\n%s\nbefore:\n%s", got, before)
	}
}

// A person in whose language there are no tasks is told so in it, at once, and nothing is on
// record: they neither put it off nor declined.
func TestNoTasksInTheLanguage(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{"es": "Lo siento", "de-AT": "Es tut mir leid", "fr": "I'm sorry"} {
		s := newStage(t, storetest.New(t))
		s.person.Language = language
		s.call()
		if s.speak("Sí", 3); !s.over || s.said.EndReason != "cognitive_no_tasks" || !strings.HasPrefix(s.said.Text, want) {
			t.Errorf("%s: told %q, and the call ends: %v %s", language, s.said.Text, s.over, s.said.EndReason)
		}
		s.finish()
		if got := s.record(); got != "none\n" {
			t.Errorf("%s: on record: %s", language, got)
		}
	}
}

// A consent that is taken back during the call ends it, and nothing of the check is kept.
func TestConsentTakenBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), "orientation")
	s.call()
	s.ready()
	s.speak("The fourteenth", 3)
	if _, err := s.store.RevokeConsent(t.Context(), s.person.ID, people.ScopeCognitive, "her son", "by telephone"); err != nil {
		t.Fatal(err)
	}
	if s.speak("Friday", 3); !s.over || s.said.EndReason != "cognitive_consent_withdrawn" {
		t.Errorf("told %q, and the call ends: %v %s", s.said.Text, s.over, s.said.EndReason)
	}
	s.finish()
	if got := s.record(); got != "none\n" {
		t.Errorf("on record: %s", got)
	}
	if h, err := s.config.Checkpoints.Load(t.Context(), cognitive.ThreadName(s.person.ID, s.line.Call.ConversationID)); err != nil || len(h.Checkpoints) != 0 {
		t.Errorf("it left %d checkpoints behind, %v", len(h.Checkpoints), err)
	}
}

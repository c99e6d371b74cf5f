package health_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/storetest"
)

// failing is a store of threads, or of checks, that fails on demand.
type failing struct {
	health.Checkpoints
	health.Store
	beforePut func()     // nil: nothing happens
	mu        sync.Mutex // guards the rest
	what      map[string]error
}

func (f *failing) fail(what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.what[what]
}

func (f *failing) set(what string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.what == nil {
		f.what = map[string]error{}
	}
	f.what[what] = err
}

func (f *failing) Put(ctx context.Context, thread string, h checkpoint.History, cp checkpoint.Checkpoint) error {
	if err := f.fail("put"); err != nil {
		return err
	}
	if act := f.beforePut; act != nil {
		f.beforePut = nil
		act()
	}
	return f.Checkpoints.Put(ctx, thread, h, cp)
}

func (f *failing) Delete(ctx context.Context, thread string) error {
	if err := f.fail("delete"); err != nil {
		return err
	}
	return f.Checkpoints.Delete(ctx, thread)
}

func (f *failing) HealthPast(ctx context.Context, id store.PersonID, call store.CallID, since, broken time.Time) checks.Past {
	p := f.Store.HealthPast(context.WithoutCancel(ctx), id, call, since, broken) // only what fails is late
	p.ScreensErr = f.fail("screens")
	if f.fail("history") != nil { // its answer hangs
		<-ctx.Done()
		p.History, p.HistoryErr = nil, ctx.Err()
	}
	return p
}

func (f *failing) SaveHealthCheck(ctx context.Context, hc checks.Check) error {
	if err := f.fail("save"); err != nil {
		return err
	}
	return f.Store.SaveHealthCheck(ctx, hc)
}

var errAway = errors.New("away")

// flaky is a stage whose stores can be made to fail.
func flaky(t *testing.T) (*stage, *failing) {
	t.Helper()
	s := newStage(t, storetest.New(t), nil)
	f := &failing{Checkpoints: s.threads, Store: s.store}
	s.config.Checkpoints, s.config.Store = f, f
	return s, f
}

// Nothing is said of a turn that could not be saved, and the turn can be tried again.
func TestNothingIsSaidBeforeItIsSaved(t *testing.T) {
	t.Parallel()
	s, f := flaky(t)
	s.call()
	s.says("Yes")
	f.set("put", errAway)
	turn := s.turnOf("Seven", "")
	sp := orchestration.NewSpeech()
	if err := s.persona.Reply(t.Context(), turn, sp); !errors.Is(err, errAway) || sp.Text() != "" {
		t.Errorf("Reply: %v, said %q", err, sp.Text())
	}
	f.set("put", nil)
	if n := noteOf(t, s.reply(turn)); n.Answered != 1 || n.Question.ID != "sleep" {
		t.Errorf("after the retry: %+v", n)
	}
}

// Without a word of earlier checks the check goes on, but asks no instrument whose
// cadence it can't know.
func TestHistoryIsAway(t *testing.T) {
	t.Parallel()
	s, f := flaky(t)
	s.config.LoadDeadline = 300 * time.Millisecond
	reg := prometheus.NewRegistry()
	s.config.Metrics = reg
	f.set("screens", errAway)
	f.set("history", errAway)
	s.call()
	got := s.says("Yes")
	if n := noteOf(t, got); n.Question == nil || n.Question.ID != "energy" || n.Of != 10 {
		t.Errorf("note: %+v", n)
	}
	if d := fmt.Sprint(got.Notes["degraded"]); d != "[no_history no_screens]" {
		t.Errorf("degraded: %s", d)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted := 0.0
	for _, f := range families {
		if f.GetName() == "naiber_health_degraded_total" {
			for _, m := range f.GetMetric() {
				counted += m.GetCounter().GetValue()
			}
		}
	}
	if counted != 2 {
		t.Errorf("%v degradations were counted, want 2", counted)
	}
}

// A crash between the steps of the aftermath is harmless: it is done again, and the
// thread goes last.
func TestFinishAgain(t *testing.T) {
	t.Parallel()
	s, f := flaky(t)
	s.call()
	s.says("Yes")
	s.says("Seven")
	s.hangUp()
	for _, step := range []string{"save", "delete"} {
		f.set(step, errAway)
		if err := s.persona.Finish(t.Context(), s.line.Call); !errors.Is(err, errAway) {
			t.Fatalf("Finish with %s away: %v", step, err)
		}
		f.set(step, nil)
	}
	first := s.results()
	for range 2 {
		if err := s.persona.Finish(t.Context(), s.line.Call); err != nil {
			t.Fatal(err)
		}
	}
	if again := s.results(); again != first || !strings.Contains(again, "energy: answered 7") {
		t.Errorf("first\n%s\nthen\n%s", first, again)
	}
	thread := "health_check:" + s.person.ID.String() + ":" + s.line.Call.ConversationID
	if h, err := s.threads.Load(t.Context(), thread); err != nil || len(h.Checkpoints) != 0 {
		t.Errorf("the thread is still there: %d, %v", len(h.Checkpoints), err)
	}
	events, err := s.store.EventsAfter(t.Context(), s.line.Call.ID, 0)
	if err != nil || len(events) != 1 || events[0].Kind != "health_check" {
		t.Errorf("events: %+v, %v", events, err)
	}
}

// A turn that is still made sense of when the call's check is written, or that comes
// after that, begins no other check in the thread that is gone.
func TestLateTurnBeginsNothing(t *testing.T) {
	t.Parallel()
	s, f := flaky(t)
	s.call()
	s.says("Yes")
	s.says("Seven")
	line := s.line
	f.beforePut = s.finish
	for _, which := range []string{"under way", "after that"} {
		turn := s.turnOf("Two", "")
		turn.Line = line // as it was when the turn came
		got := s.reply(turn)
		if got.Text == "" || !got.Ended || got.EndReason != "health_check_call_ended" {
			t.Errorf("a turn %s was told %q, and ends: %v %s", which, got.Text, got.Ended, got.EndReason)
		}
		if _, asked := got.Notes["health"]; asked {
			t.Errorf("a turn %s was noted: %v", which, got.Notes)
		}
		h, err := s.threads.Load(t.Context(), health.ThreadName(s.person.ID, line.ConversationID))
		if err != nil || len(h.Checkpoints) != 0 {
			t.Errorf("a turn %s left %d checkpoints behind, %v", which, len(h.Checkpoints), err)
		}
	}
	if got := s.results(); strings.Count(got, "check ") != 1 || !strings.Contains(got, "energy: answered 7") {
		t.Errorf("on record:\n%s", got)
	}
}

// counting counts what is asked of a store of threads.
type counting struct {
	health.Checkpoints
	n int
}

func (c *counting) Load(ctx context.Context, thread string) (checkpoint.History, error) {
	c.n++
	return c.Checkpoints.Load(ctx, thread)
}

func (c *counting) Put(ctx context.Context, thread string, h checkpoint.History, cp checkpoint.Checkpoint) error {
	c.n++
	return c.Checkpoints.Put(ctx, thread, h, cp)
}

// A turn loads its thread once and saves it once, also where the person spoke on.
// The first turn of a call looks for the thread of the call before as well.
func TestTurnAsksLittleOfItsStore(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	c := &counting{Checkpoints: s.threads}
	s.config.Checkpoints = c
	cost := func(what string, most int, act func()) {
		t.Helper()
		c.n = 0
		if act(); c.n == 0 || c.n > most {
			t.Errorf("%s asked %d times, want at most %d", what, c.n, most)
		}
	}
	s.call()
	cost("the first turn", 2, func() { s.says("Yes") })
	cost("another", 2, func() { s.says("Seven") })
	cost("one spoken on", 2, func() { s.unspoken("and I slept for a while.") })
	cost("a longer one", 2, func() { s.longer("Seven, dear") })
	cost("a repeated one", 1, func() { s.again("") })
	s.hangUp()
	s.call()
	cost("the first turn after an earlier call", 3, func() { s.says("Yes") })
}

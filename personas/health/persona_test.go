package health_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// says plays one turn and returns what was said to it.
func (s *stage) says(words string) orchestration.Spoken {
	s.tb.Helper()
	t := s.turnOf(words, "")
	got := s.reply(t)
	s.answered(t, got)
	return got
}

func noteOf(t *testing.T, got orchestration.Spoken) health.Note {
	t.Helper()
	n, ok := got.Notes["health"].(health.Note)
	if !ok {
		t.Fatalf("no note in %v", got.Notes)
	}
	return n
}

func (s *stage) checks(tb testing.TB) []checks.Check {
	tb.Helper()
	list, err := s.store.HealthChecks(context.Background(), s.person.ID, checks.Query{Limit: 10})
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

func TestNewSaysAllThatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := health.New(health.Config{MaxRetry: -1})
	for _, want := range []string{"packs", "checkpoints", "store", "log", "retries"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New: %v, want it to name %q", err, want)
		}
	}
}

// What was heard is saved though the caller is gone before the reply.
func TestHangUpAfterTheAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.config.Model = &standIn{}
	s.call()
	s.says("Yes")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.persona.Reply(ctx, s.turnOf("Seven", ""), orchestration.NewSpeech()); err != nil {
		t.Errorf("Reply: %v", err)
	}
	s.finish()
	if got := s.results(); !strings.Contains(got, `energy: answered 7`) {
		t.Errorf("the answer is lost:\n%s", got)
	}
}

// What was clearly said, and only waited to be confirmed, is not lost with the line.
func TestFinishKeepsWhatWasNotConfirmed(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	s.says("Yes, but I had a fall in the night.")
	s.finish()
	if got := s.results(); !strings.Contains(got, "falls: answered true") || !strings.Contains(got, "check 1: in-progress") {
		t.Errorf("on record:\n%s", got)
	}
}

// A call whose words may not be kept keeps its answers and not the words.
func TestUnrecorded(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	if _, err := s.store.RevokeConsent(t.Context(), s.person.ID, people.ScopeRecording, "person", "said so"); err != nil {
		t.Fatal(err)
	}
	s.says("Yes")
	s.says("Well dear, seven. No, say six.")
	s.finish()
	list := s.checks(t)
	if len(list) != 1 || string(list[0].Answers[0].Value) != "6" || list[0].Answers[0].Quote != "" {
		t.Errorf("on record: %+v", list)
	}
	if raw := string(list[0].Questions); strings.Contains(raw, "say six") || strings.Contains(raw, `"quote"`) {
		t.Errorf("words are kept with the questions: %s", raw)
	}
}

// The timeline tells what was understood, and no word of the person.
func TestNoteHoldsNoWords(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	s.says("Yes")
	s.says("Seven")
	s.says("Two")
	got := s.says("The neighbour's marmalade cat.")
	raw, err := json.Marshal(got.Notes["health"])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "marmalade") {
		t.Errorf("note: %s", raw)
	}
	n := noteOf(t, got)
	if len(n.Readings) != 1 || n.Readings[0].QuestionID != "sleep.why" || string(n.Readings[0].Value) != "null" || n.Readings[0].Status != "answered" {
		t.Errorf("readings: %+v", n.Readings)
	}
}

// A longer form is asked when the shorter one's total calls for it, the answers
// that both share are asked once, and totals come from code.
func TestLongerForm(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	now := time.Now()
	// The instruments that would be due before this one were asked lately.
	s.config.Store = &screened{Store: s.store, screens: []checks.Screen{
		{Pack: "steadi3", At: now.AddDate(0, 0, -20), Outcome: checks.ScreenComplete},
		{Pack: "ucla3", At: now.AddDate(0, 0, -18), Outcome: checks.ScreenComplete},
		{Pack: "gad2", At: now.AddDate(0, 0, -10), Outcome: checks.ScreenComplete},
		{Pack: "frail", At: now.AddDate(0, 0, -12), Outcome: checks.ScreenComplete},
	}}
	s.call()
	for _, words := range []string{"Yes", "Seven", "Seven", "Two", "Seven", "Good", "Yes", "No", "No"} {
		s.says(words)
	}
	if n := noteOf(t, s.says("Nearly every day")); n.Question.ID != "phq.down" {
		t.Fatalf("second item: %+v", n)
	}
	n := noteOf(t, s.says("Several days"))
	if n.Question.ID != "phq.sleep" || n.Of != 18 {
		t.Fatalf("third item: %+v %+v", n, n.Question)
	}
	for range 6 {
		n = noteOf(t, s.says("Not at all"))
	}
	if n.Question.ID != "plans" {
		t.Errorf("after the instrument: %+v", n.Question)
	}
	s.says("Nothing much, I'll be at home.")
	s.says("No")
	s.finish()
	got := s.results()
	for _, want := range []string{"score phq2: 4 of 6, 2 of 2 items positive", "score phq8: 4 of 24, 8 of 8 items none or minimal", "check 1: completed"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// screened lays down which instruments were asked before.
type screened struct {
	health.Store
	screens []checks.Screen
}

func (s *screened) HealthPast(ctx context.Context, id store.PersonID, call store.CallID, since, broken time.Time) checks.Past {
	p := s.Store.HealthPast(ctx, id, call, since, broken)
	p.Screens = s.screens
	return p
}

// Turns that race are each applied once, whatever their order.
func TestRace(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	s.says("Yes")
	turn := s.turnOf("Seven", "")
	var all sync.WaitGroup
	texts := make([]string, 8)
	for i := range texts {
		again := *turn
		again.ID = store.NewTurnID()
		all.Go(func() { texts[i] = s.reply(&again).Text })
	}
	all.Wait()
	for _, text := range texts {
		if text != texts[0] || !strings.Contains(text, "sleep") {
			t.Errorf("said %q and %q", texts[0], text)
		}
	}
	s.answered(turn, orchestration.Spoken{Text: texts[0]})
	if n := noteOf(t, s.says("Eight")); n.Answered != 2 {
		t.Errorf("note: %+v", n)
	}
}

// An answer on a scale that is thanked for, before an item that is worded exactly,
// needs no model at all.
func TestNoModelWhereNoneIsNeeded(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	m := &standIn{}
	s.config.Model = m
	s.call()
	for _, words := range []string{"Yes", "Seven", "Seven", "Two", "Seven", "Good", "Yes", "No"} {
		s.says(words)
	}
	before := m.asked
	for _, words := range []string{"No", "No", "Pardon?", "No"} { // breathing, then the instrument
		if n := noteOf(t, s.says(words)); n.Question.Pack != "steadi3" {
			t.Errorf("asked %+v", n.Question)
		}
	}
	if m.asked != before {
		t.Errorf("the model was asked %d times", m.asked-before)
	}
}

// "The same as yesterday" is yesterday's answer.
func TestSameAsYesterday(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.config.ResumeWindow = -1
	s.call()
	s.says("Yes")
	s.says("Four")
	s.finish()
	s.clock = s.clock.Add(24 * time.Hour)
	s.call()
	s.says("Yes")
	got := noteOf(t, s.says("Same as yesterday"))
	if len(got.Readings) != 1 || string(got.Readings[0].Value) != "4" {
		t.Errorf("note: %+v", got)
	}
}

// A saved check that this process can't read is not begun anew over what was said.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	thread := "health_check:" + s.person.ID.String() + ":" + s.line.Call.ConversationID
	cp := checkpoint.Checkpoint{
		ID: checkpoint.NewID(), At: time.Now().UTC().Truncate(time.Microsecond), Graph: "health_check", Schema: 99, Node: "wait_for_answer",
		Turn: checkpoint.Turn{Conversation: s.line.ConversationID, Place: 1, Key: "k", At: time.Now().Add(-time.Hour).UTC().Truncate(time.Microsecond)}, State: []byte(`{}`), Outcome: []byte(`{}`),
	}
	if err := s.threads.Put(t.Context(), thread, checkpoint.History{}, cp); err != nil {
		t.Fatal(err)
	}
	got := s.says("Seven")
	if !got.Ended || got.EndReason != "health_check_unreadable" || !strings.Contains(got.Text, "is kept") {
		t.Errorf("spoken: %+v", got)
	}
	if err := s.persona.Finish(t.Context(), s.line.Call); !errors.Is(err, graph.ErrSchema) {
		t.Errorf("Finish: %v", err)
	}
}

func TestUnknownCaller(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	s.line.Person = people.Person{}
	if got := s.reply(s.turnOf("Hello?", "")); !got.Ended || got.Text == "" {
		t.Errorf("spoken: %+v", got)
	}
	if err := s.persona.Finish(t.Context(), calls.Call{ID: store.NewCallID(), ConversationID: "conv"}); err != nil {
		t.Error(err)
	}
}

// Open tells whether somebody who calls back does so about a check that broke off.
func TestOpen(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.call()
	open := func() bool {
		t.Helper()
		ok, err := s.persona.Open(t.Context(), s.person)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	s.says("Yes")
	s.says("Seven")
	s.hangUp()
	if !open() {
		t.Error("not open before the check was written")
	}
	s.finish()
	if !open() {
		t.Error("not open after the check was written")
	}
	s.call()
	s.says("I want to stop")
	s.says("Yes")
	s.hangUp()
	if open() {
		t.Error("open though the person wanted to stop")
	}
	s.finish()
	if open() {
		t.Error("open though the person wanted to stop, and it is written")
	}
}

// A follow-up has other words at every try as well, and then keys.
func TestFollowUpIsPutInOtherWords(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.config.MaxRetry = 3
	s.call()
	for _, words := range []string{"Yes", "Seven", "Seven", "Two", "Seven", "Good", "Yes", "Yes, I had a fall", "Yes"} {
		s.says(words)
	}
	tries := []string{s.said}
	for range 2 {
		tries = append(tries, s.says("The green one").Text)
	}
	for i, want := range []string{"Did you hurt yourself, or hit your head?", "Have you hurt yourself in that fall, or hit your head?", "Are you hurt anywhere, or did your head get a knock?"} {
		if !strings.HasSuffix(tries[i], want) {
			t.Errorf("try %d: %q, want it to end with %q", i+1, tries[i], want)
		}
	}
	if n := noteOf(t, s.says("The green one")); n.Phase != "keypad" || n.Question.ID != "falls.hurt" {
		t.Errorf("after three tries: %+v, %+v", n, n.Question)
	}
}

// Keys are offered after as many tries as are configured.
func TestMaxRetry(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.New(t), nil)
	s.config.MaxRetry = 1
	s.config.Log = slog.New(slog.DiscardHandler)
	s.call()
	s.says("Yes")
	if n := noteOf(t, s.says("The green one")); n.Phase != "keypad" {
		t.Errorf("after one attempt: %+v", n)
	}
	if n := noteOf(t, s.says("The green one")); n.Question.ID != "sleep" || n.Answered != 0 {
		t.Errorf("after the keys: %+v", n)
	}
}

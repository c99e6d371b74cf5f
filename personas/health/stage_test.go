package health_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/people"
)

// stage is a play of one or more calls with one person: what the voice service
// would send, and what the persona makes of it.
type stage struct {
	tb      testing.TB
	store   *store.Store
	threads health.Checkpoints
	config  health.Config
	persona *health.Persona
	person  people.Person

	clock    time.Time
	line     calls.Line
	messages []llm.Message
	last     *orchestration.Turn // the last turn that was not a repeat
	said     string              // what it was answered
	over     bool
	convs    int
	redis    *redistest.Server // nil: threads are kept in memory
	book     strings.Builder
}

// opening is what the voice service says before the first turn of a conversation.
const (
	opening      = "Hello Margaret, this is nAIber. I'd like to ask you a few short questions about how you are. Is this a good moment?"
	openingAgain = "I'm sorry, Margaret, the line broke for a moment. I'm back, and nothing you told me is lost. Shall we go on with our questions?"
)

// newStage makes a stage over a real database, which it may share, with threads in
// memory unless others are given. Change config and person before the first call.
func newStage(tb testing.TB, st *store.Store, threads health.Checkpoints) *stage {
	tb.Helper()
	if threads == nil {
		threads = checkpoint.NewMemory(0)
	}
	s := &stage{tb: tb, store: st, threads: threads, clock: time.Now()}
	s.config = health.Config{Packs: library(tb), Checkpoints: threads, Store: st, Log: slog.New(slog.DiscardHandler), LoadDeadline: 20 * time.Second}
	s.person = people.Person{Name: "Margaret Hale", PreferredName: "Margaret", Phone: "+15550100001", Timezone: "Canada/Newfoundland", Language: "en"}
	return s
}

var library = func() func(tb testing.TB) *packs.Library {
	load := sync.OnceValues(packs.Load)
	return func(tb testing.TB) *packs.Library {
		tb.Helper()
		l, err := load()
		if err != nil {
			tb.Fatal(err)
		}
		return l
	}
}()

// since has the play begin when it was last that time of day where the person lives.
func (s *stage) since(clock string) {
	s.tb.Helper()
	at, err := time.Parse("15:04", clock)
	if err != nil {
		s.tb.Fatal(err)
	}
	where, err := time.LoadLocation(s.person.Timezone)
	if err != nil {
		s.tb.Fatal(err)
	}
	now := time.Now().In(where)
	s.clock = time.Date(now.Year(), now.Month(), now.Day()-1, at.Hour(), at.Minute(), 0, 0, where)
}

// call begins a call, and a conversation in it.
func (s *stage) call() {
	s.tb.Helper()
	if s.persona == nil {
		s.restart()
		consents := []people.Consent{{Scope: people.ScopeCalls, GivenBy: "self", How: "on paper"}, {Scope: people.ScopeRecording, GivenBy: "self", How: "on paper"}}
		var err error
		if s.person, err = s.store.CreatePerson(context.Background(), s.person, nil, consents); err != nil {
			s.tb.Fatal(err)
		}
	}
	c, err := s.store.CreateCall(context.Background(), calls.NewCall{
		PersonID: s.person.ID, Type: calls.CallHealthCheck, Direction: calls.Inbound, Phone: s.person.Phone,
	})
	if err != nil {
		s.tb.Fatal(err)
	}
	s.line = calls.Line{Call: c, Person: s.person}
	s.converse(opening)
}

// restart makes the persona anew, as a new process would.
func (s *stage) restart() {
	s.tb.Helper()
	var err error
	if s.persona, err = health.New(s.config); err != nil {
		s.tb.Fatal(err)
	}
}

// converse begins a conversation of the call.
func (s *stage) converse(first string) {
	s.tb.Helper()
	s.convs++
	id := fmt.Sprintf("conv_%s_%d", s.person.ID, s.convs)
	if err := s.store.AddConversation(context.Background(), s.line.Call.ID, id); err != nil {
		s.tb.Fatal(err)
	}
	s.line.ConversationID = id
	if s.line.Call.ConversationID == "" {
		s.line.Call.ConversationID = id
	}
	s.messages, s.over, s.last = nil, false, nil
	s.hear(first)
}

// hear adds nAIber's words to the history.
func (s *stage) hear(text string) {
	s.messages = append(s.messages, llm.Message{Role: llm.RoleAssistant, Content: text})
	s.note("naiber: %s", text)
}

func (s *stage) note(format string, args ...any) { fmt.Fprintf(&s.book, format+"\n", args...) }

// turnOf is the turn that the person's words make at this place of the history.
func (s *stage) turnOf(words, keys string) *orchestration.Turn {
	s.clock = s.clock.Add(12 * time.Second)
	t := &orchestration.Turn{
		ID: store.NewTurnID(), Line: s.line, At: s.clock, Attempt: 1, Heard: words, Keypad: keys, Kind: calls.TurnSpeech,
		Messages: append([]llm.Message(nil), s.messages...),
	}
	switch {
	case words != "":
		t.Messages = append(t.Messages, llm.Message{Role: llm.RoleUser, Content: words})
	case keys != "":
		t.Kind = calls.TurnKeypad
		t.Messages = append(t.Messages, llm.Message{Role: llm.RoleUser, Content: "[keypad: " + keys + "]"})
	default:
		t.Kind = calls.TurnSilence
		t.Messages = append(t.Messages, llm.Message{Role: llm.RoleUser, Content: "..."})
	}
	t.Place = len(t.Messages)
	if words != "" || keys != "" {
		t.Since = t.Place
	}
	return t
}

// reply plays a turn and returns what was said to it.
func (s *stage) reply(t *orchestration.Turn) orchestration.Spoken {
	s.tb.Helper()
	sp := orchestration.NewSpeech()
	if err := s.persona.Reply(context.Background(), t, sp); err != nil {
		s.note("  (no reply: %s)", plainError(err))
		return orchestration.Spoken{}
	}
	return sp.Spoken()
}

// plainError is an error without what differs from run to run.
func plainError(err error) string {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err.Error()
}

// answered writes down a reply and takes it into the history.
func (s *stage) answered(t *orchestration.Turn, got orchestration.Spoken) {
	s.last, s.said = t, got.Text
	s.messages = append([]llm.Message(nil), t.Messages...)
	if got.Text != "" {
		s.hear(got.Text)
	}
	s.told(got)
}

// told writes down what the timeline hears of a turn.
func (s *stage) told(got orchestration.Spoken) {
	if n, ok := got.Notes["health"].(health.Note); ok {
		s.note("  [%s]", inShort(n))
	}
	if d, ok := got.Notes["degraded"]; ok {
		s.note("  [degraded %v]", d)
	}
	if got.Ended {
		s.over = true
		s.note("  [the call ends: %s]", got.EndReason)
	}
}

// inShort is a note on one line.
func inShort(n health.Note) string {
	var b strings.Builder
	b.WriteString(n.Phase)
	if q := n.Question; q != nil {
		fmt.Fprintf(&b, " %s", q.ID)
		if q.Attempt > 0 {
			fmt.Fprintf(&b, " attempt %d", q.Attempt)
		}
	}
	for _, r := range n.Readings {
		fmt.Fprintf(&b, "; %s %s", r.QuestionID, r.Status)
		if string(r.Value) != "null" {
			fmt.Fprintf(&b, " %s", r.Value)
		}
		if r.Source != "rules" {
			b.WriteString(" by " + r.Source)
		}
		if r.Correction {
			b.WriteString(" corrected")
		}
	}
	fmt.Fprintf(&b, "; %d of %d", n.Answered, n.Of)
	return b.String()
}

// hangUp ends the call; finish does what follows it.
func (s *stage) hangUp() {
	s.tb.Helper()
	end := calls.Ending{Outcome: calls.OutcomeReached, Cause: "hung_up", By: "person"}
	c, _, err := s.store.FinishCall(context.Background(), s.line.Call.ID, end, func(tx store.Tx, c calls.Call) error {
		_, err := s.store.BlankUnrecorded(context.Background(), tx, c.ID)
		return err
	})
	if err != nil {
		s.tb.Fatal(err)
	}
	// The play has a time of its own.
	if _, err := s.store.Pool().Exec(context.Background(), `update calls set ended_at = $2 where id = $1`, c.ID.UUID, s.clock); err != nil {
		s.tb.Fatal(err)
	}
	ended := s.clock
	c.EndedAt = &ended
	s.line.Call = c
}

func (s *stage) finish() {
	s.tb.Helper()
	if s.line.Call.Live() {
		s.hangUp()
	}
	if err := s.persona.Finish(context.Background(), s.line.Call); err != nil {
		s.note("(not finished: %s)", plainError(err))
	}
}

// results are the stored checks of the person, the oldest first.
func (s *stage) results() string {
	s.tb.Helper()
	list, err := s.store.HealthChecks(context.Background(), s.person.ID, checks.Query{Limit: 10})
	if err != nil {
		s.tb.Fatal(err)
	}
	var b strings.Builder
	for i := range list {
		hc := list[len(list)-1-i]
		fmt.Fprintf(&b, "check %d: %s", i+1, hc.Status)
		if hc.Resumes != (store.CallID{}) {
			b.WriteString(", goes on with an earlier one")
		}
		b.WriteString("\n")
		for _, a := range hc.Answers {
			b.WriteString(answerLine(a))
		}
		for _, sc := range hc.Scores {
			total := "none"
			if sc.Total != nil {
				total = strconv.Itoa(*sc.Total)
			}
			fmt.Fprintf(&b, "  score %s: %s of %d, %d of %d items %s\n", sc.Pack, total, sc.Highest, sc.Answered, sc.Of, sc.Band)
		}
	}
	return b.String()
}

func answerLine(a checks.Answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s: %s", a.QuestionID, a.Status)
	if len(a.Value) > 0 {
		fmt.Fprintf(&b, " %s", a.Value)
	}
	if a.Unit != "" {
		b.WriteString(" " + a.Unit)
	}
	if a.Quote != "" {
		fmt.Fprintf(&b, " on %q", a.Quote)
	}
	if a.Source == "model" {
		b.WriteString(" by a model")
	}
	if a.Carried {
		b.WriteString(", carried over")
	}
	for _, r := range a.Earlier {
		v := string(r.Value)
		if v == "" || v == "null" {
			v = "nothing"
		}
		fmt.Fprintf(&b, ", earlier %s %s", r.Status, v)
	}
	b.WriteString("\n")
	return b.String()
}

// standIn is a model with answers laid out beforehand.
type standIn struct {
	mu       sync.Mutex // guards all below
	err      error
	wordings []string // what Complete says, in turn; then it fails
	readings []string // what Structured answers, as JSON, in turn; then it fails
	slow     bool     // it answers nobody in time
	asked    int
	last     llm.Request // for a wording
}

// late waits as long as it is waited for, where the model is slow.
func (m *standIn) late(ctx context.Context) error {
	m.mu.Lock()
	slow := m.slow
	m.mu.Unlock()
	if !slow {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (m *standIn) Complete(ctx context.Context, req llm.Request) (llm.Result, error) {
	if err := m.late(ctx); err != nil {
		return llm.Result{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	m.last = req
	if m.err != nil || len(m.wordings) == 0 || ctx.Err() != nil {
		return llm.Result{}, errors.Join(m.err, llm.ErrAllModelsFailed)
	}
	text := m.wordings[0]
	m.wordings = m.wordings[1:]
	return llm.Result{Model: "stand-in", Text: text}, nil
}

func (m *standIn) Structured(ctx context.Context, _ llm.Request, _ llm.Schema, out any) error {
	if err := m.late(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	if m.err != nil || len(m.readings) == 0 {
		return errors.Join(m.err, llm.ErrAllModelsFailed)
	}
	answer := m.readings[0]
	m.readings = m.readings[1:]
	return json.Unmarshal([]byte(answer), out)
}

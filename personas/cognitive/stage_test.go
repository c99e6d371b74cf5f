package cognitive_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/cognitive"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
)

// stage is a play of a call: what the voice service would send, and what the persona makes
// of it. Its clock is that of the play.
type stage struct {
	tb      testing.TB
	store   *store.Store
	config  cognitive.Config
	persona *cognitive.Persona
	person  people.Person

	clock    time.Time // until when the last words were spoken
	line     calls.Line
	messages []llm.Message
	last     *orchestration.Turn // the last turn that was not a repeat
	said     orchestration.Spoken
	over     bool
	convs    int
	book     strings.Builder
}

// opening is what the voice service says before the first turn of a conversation.
const (
	opening      = "Good morning, Margaret, it's nAIber again. As you know, I'm a computer, not a person. I'd like to do a few short exercises for memory and attention with you, as we agreed. They take about a quarter of an hour, in a quiet place. Is this a good moment?"
	openingAgain = "I'm sorry, Margaret, the line broke for a moment. I'm back. Where were we?"
)

// past is a store in which each form was put before, the first ones longest ago: form a is
// due, then b.
type past struct {
	*store.Store
	library *tasks.Library
	now     time.Time
}

func (p past) CognitivePast(context.Context, store.PersonID) ([]cognition.Used, error) {
	var list []cognition.Used
	for _, t := range p.library.Tasks("en") {
		for i, f := range t.Forms {
			list = append(list, cognition.Used{TaskID: t.ID, Version: t.Version, Form: f.ID, At: p.now.AddDate(0, 0, i-400)})
		}
	}
	return list, nil
}

// library is the tasks with the given ids; none: all.
func library(tb testing.TB, ids ...string) *tasks.Library {
	tb.Helper()
	l, err := tasks.Load()
	if len(ids) > 0 {
		files := fstest.MapFS{}
		for _, id := range ids {
			data, err := fs.ReadFile(os.DirFS("tasks"), "en/"+id+".yaml")
			if err != nil {
				tb.Fatal(err)
			}
			files["en/"+id+".yaml"] = &fstest.MapFile{Data: data}
		}
		l, err = tasks.LoadFS(files)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// newStage makes a stage over a real database, which it may share, with threads in memory.
// Change config before the first call.
func newStage(tb testing.TB, st *store.Store, ids ...string) *stage {
	tb.Helper()
	s := &stage{tb: tb, store: st, clock: time.Date(2026, 5, 14, 12, 50, 0, 0, time.UTC)} // 10:20 in St John's
	lib := library(tb, ids...)
	s.config = cognitive.Config{Tasks: lib, Checkpoints: checkpoint.NewMemory(0), Store: past{st, lib, s.clock}, Log: slog.New(slog.DiscardHandler)}
	s.person = people.Person{
		Name: "Margaret Hale", PreferredName: "Margaret", Phone: "+15550100001", Timezone: "Canada/Newfoundland", Language: "en", Address: "12 Mill Lane, Harrogate",
	}
	return s
}

// call begins a call, and a conversation in it.
func (s *stage) call() {
	s.tb.Helper()
	s.restart()
	var err error
	consents := []people.Consent{{Scope: people.ScopeCalls, GivenBy: "self", How: "on paper"}, {Scope: people.ScopeRecording, GivenBy: "self", How: "on paper"}, {Scope: people.ScopeCognitive, GivenBy: "self", How: "on paper"}}
	if s.person, err = s.store.CreatePerson(context.Background(), s.person, nil, consents); err != nil {
		s.tb.Fatal(err)
	}
	c, err := s.store.CreateCall(context.Background(), calls.NewCall{PersonID: s.person.ID, Type: calls.CallCognitive, Direction: calls.Inbound, Phone: s.person.Phone})
	if err != nil {
		s.tb.Fatal(err)
	}
	s.line = calls.Line{Call: c, Person: s.person}
	s.converse(opening)
}

// restart makes another persona, as a new process would.
func (s *stage) restart() {
	s.tb.Helper()
	var err error
	if s.persona, err = cognitive.New(s.config); err != nil {
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

// hear adds nAIber's words to the history, and the time that they take.
func (s *stage) hear(text string) {
	s.messages = append(s.messages, llm.Message{Role: llm.RoleAssistant, Content: text})
	s.clock = s.clock.Add(time.Duration(len(strings.Fields(text))) * 400 * time.Millisecond)
	s.note("naiber: %s", text)
}

func (s *stage) note(format string, args ...any) { fmt.Fprintf(&s.book, format+"\n", args...) }

// skipped is how the history shows that nothing was said.
var skipped = []llm.ToolCall{{Name: "skip_turn", Arguments: "{}"}}

// turnOf is the turn that words make some seconds later: what was heard since nAIber last
// spoke, as the server reads it.
func (s *stage) turnOf(words string, seconds float64) *orchestration.Turn {
	s.clock = s.clock.Add(time.Duration(seconds * float64(time.Second)))
	t := &orchestration.Turn{
		ID: store.NewTurnID(), Line: s.line, At: s.clock, Attempt: 1, Kind: calls.TurnSilence, CanSkip: true, CanEnd: true,
		Messages: slices.Clone(s.messages),
	}
	said := words
	if words == "" {
		said = "..."
	}
	t.Messages = append(t.Messages, llm.Message{Role: llm.RoleUser, Content: said})
	t.Place = len(t.Messages)
	if words == "" {
		return t
	}
	t.Kind = calls.TurnSpeech
	var heard []string
	for i, m := range slices.Backward(t.Messages) {
		if m.Role == llm.RoleAssistant && m.Content != "" {
			break
		}
		if keys, ok := strings.CutPrefix(m.Content, "[keypad: "); ok {
			t.Kind, t.Keypad, t.Since = calls.TurnKeypad, strings.TrimSuffix(keys, "]")+t.Keypad, i+1
			continue
		}
		if m.Role == llm.RoleUser && m.Content != "..." {
			heard, t.Since = append(heard, m.Content), i+1
		}
	}
	slices.Reverse(heard)
	t.Heard = strings.Join(heard, " ")
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
	got := sp.Spoken()
	if got.Text == "" && !got.Skipped {
		s.tb.Errorf("neither words nor silence to %q", t.Heard)
	}
	return got
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
	s.last, s.said = t, got
	s.messages = slices.Clone(t.Messages)
	switch {
	case got.Text != "":
		s.hear(got.Text)
	case got.Skipped:
		s.messages = append(s.messages, llm.Message{Role: llm.RoleAssistant, ToolCalls: skipped})
	}
	if n, ok := got.Notes["cognitive"].(cognitive.Note); ok {
		at := string(n.Phase)
		if n.Task != "" {
			at = n.Task + " " + n.Item
		}
		s.note("  [%s; %d of %d]", at, n.Done, n.Of)
	}
	if got.Ended {
		s.over = true
		s.note("  [the call ends: %s]", got.EndReason)
	}
}

// speak has the person say something, or nothing.
func (s *stage) speak(words string, seconds float64) {
	s.tb.Helper()
	if s.over {
		s.note("(after the end)")
	}
	if words == "" {
		s.note("elder says nothing")
	} else {
		s.note("elder: %s", words)
	}
	t := s.turnOf(words, seconds)
	s.answered(t, s.reply(t))
}

// hangUp ends the call.
func (s *stage) hangUp() {
	s.tb.Helper()
	end := calls.Ending{Outcome: calls.OutcomeReached, Cause: "hung_up", By: "person"}
	c, _, err := s.store.FinishCall(context.Background(), s.line.Call.ID, end, func(store.Tx, calls.Call) error { return nil })
	if err != nil {
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

// record is the stored check of the call.
func (s *stage) record() string {
	s.tb.Helper()
	k, err := s.store.CognitiveCheckOfCall(context.Background(), s.line.Call.ID)
	if errors.Is(err, store.ErrNotFound) {
		return "none\n"
	}
	if err != nil {
		s.tb.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", k.Status)
	for _, f := range k.Confounders {
		fmt.Fprintf(&b, "confounder %s %q\n", f.Kind, f.Quote)
	}
	for _, t := range k.Tasks {
		fmt.Fprintf(&b, "%s %s: %s", t.TaskID, t.Form, strings.TrimSpace(string(t.Status)+" "+t.Why))
		if t.Raw != nil {
			fmt.Fprintf(&b, ", %d of %d, confidence %.2f", *t.Raw, t.Max, t.Confidence)
		}
		if t.Seconds != nil {
			b.WriteString(", " + strconv.FormatFloat(*t.Seconds, 'f', 0, 64) + " s")
		}
		b.WriteString("\n")
		for _, e := range t.Evidence {
			mark := "-"
			if e.Counts {
				mark = "+"
			}
			fmt.Fprintf(&b, "  %s %s %q %s", e.Item, mark, e.Quote, e.Why)
			b.WriteString("\n")
		}
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

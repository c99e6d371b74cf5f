package appliance_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/appliance"
	"github.com/naiber/naiber/personas/appliance/reading"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/parts"
	"github.com/naiber/naiber/store/people"
)

// shelf is a catalogue in memory.
type shelf struct {
	parts []parts.Part
	down  error
}

// small is a catalogue of the parts that the scenes speak of.
func small() *shelf {
	start, drain := []string{"Will Not Start", "Not cleaning dishes properly"}, []string{"Not draining", "Leaking"}
	steps := []string{"Switch the power off at the fuse box", "Take out the lower rack", "Turn the old pump to the left", "Put the new pump in", "Close the panel"}
	host := "https://catalogue.example/"
	return &shelf{parts: []parts.Part{
		{Model: "WDT780SAEM1", Number: "PS3406971", Name: "Control Board", PriceCents: 24999, Description: "Governs the cycles.", ImageURL: host + "board.jpg", VideoURL: host + "embed/board", Symptoms: start},
		{Model: "WDT780SAEM1", Number: "PS1990907", Name: "Door Latch", PriceCents: 3905, ImageURL: host + "latch.jpg", Symptoms: []string{"Will Not Start", "Door won't close"}},
		{Model: "WDT780SAEM1", Number: "PS2358880", Name: "Drain Pump", PriceCents: 6000, Steps: steps, VideoURL: host + "embed/pump", Symptoms: drain},
		{Model: "WDT780SAEM2", Number: "PS3406972", Name: "Control Board", PriceCents: 25999, Symptoms: start},
		{Model: "KDW482SS", Number: "KP3406971", Name: "Circulation Pump", PriceCents: 8050, Steps: steps, VideoURL: host + "embed/kp", Symptoms: append(drain, "Noisy")},
		{Model: "KDW482SS", Number: "KP1234567", Name: "Door Seal", Symptoms: []string{"Leaking"}},
		{Model: "KDW528SS", Number: "KP1234567", Name: "Door Seal", Symptoms: []string{"Leaking"}},
	}}
}

func (s *shelf) CatalogueModel(_ context.Context, number string) (string, error) {
	for _, p := range s.parts {
		if p.Model != "" && reading.Plain(p.Model) == reading.Plain(number) {
			return p.Model, s.down
		}
	}
	return "", errors.Join(s.down, store.ErrNotFound)
}

func (s *shelf) CataloguePart(_ context.Context, model, number string) (parts.Part, error) {
	for _, p := range s.parts {
		if p.Model == model && reading.Plain(p.Number) == reading.Plain(number) {
			return p, s.down
		}
	}
	return parts.Part{}, s.missing()
}

func (s *shelf) missing() error {
	if s.down != nil {
		return s.down
	}
	return store.ErrNotFound
}

func (s *shelf) CatalogueParts(_ context.Context, number string, limit int) (out []parts.Part, _ error) {
	for _, p := range s.parts {
		if len(out) < limit && p.Number != "" && reading.Plain(p.Number) == reading.Plain(number) {
			out = append(out, p)
		}
	}
	return out, s.down
}

func (s *shelf) MatchParts(_ context.Context, model string, symptoms []string, limit int) (out []parts.Match, _ error) {
	for _, p := range s.parts {
		m := parts.Match{Part: p}
		for _, said := range symptoms {
			if slices.ContainsFunc(p.Symptoms, func(s string) bool { return english.Plain(s) == english.Plain(said) }) {
				m.Matched = append(m.Matched, said)
			}
		}
		if p.Model == model && len(m.Matched) > 0 {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b parts.Match) int { return len(b.Matched) - len(a.Matched) })
	return out[:min(len(out), limit)], s.down
}

func (s *shelf) NearModels(_ context.Context, said string, limit int) ([]string, error) {
	return s.near(said, limit, func(p parts.Part) string { return p.Model }), s.down
}

func (s *shelf) NearParts(_ context.Context, model, said string, limit int) ([]string, error) {
	return s.near(said, limit, func(p parts.Part) string {
		if model != "" && p.Model != model {
			return ""
		}
		return p.Number
	}), s.down
}

// near is what a database does: plain edit distance, with no ear for what sounds alike.
func (s *shelf) near(said string, limit int, number func(parts.Part) string) (out []string) {
	far := map[string]int{}
	for _, p := range s.parts {
		if n := number(p); n != "" {
			far[n] = edits(reading.Plain(said), reading.Plain(n))
		}
	}
	for n := range far {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b string) int {
		if far[a] != far[b] {
			return far[a] - far[b]
		}
		return strings.Compare(a, b)
	})
	return out[:min(len(out), limit)]
}

func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			before, row[j+1] = row[j+1], min(before+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// post is a mailer that keeps each mail once, by its key.
type post struct {
	mu    sync.Mutex
	mails []appliance.Summary // guarded by mu
	asked int                 // guarded by mu
	fails error
}

func (p *post) Send(_ context.Context, m appliance.Summary) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.fails != nil {
		return p.fails
	}
	if !slices.ContainsFunc(p.mails, func(o appliance.Summary) bool { return o.Key == m.Key }) {
		p.mails = append(p.mails, m)
	}
	return nil
}

// carers are the addresses of a person.
type carers []appliance.Address

func (c carers) Addresses(context.Context, store.PersonID) ([]appliance.Address, error) { return c, nil }

// script is a model that answers as laid down; what is not is an error.
type script struct {
	mu       sync.Mutex
	words    []string          // guarded by mu: streamed, one a call
	readings []json.RawMessage // guarded by mu
	asked    []string          // guarded by mu: the system prompts
	slow     bool
}

func (m *script) Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error) {
	m.mu.Lock()
	m.asked = append(m.asked, req.Messages[0].Content)
	slow, text := m.slow, ""
	if len(m.words) > 0 {
		text, m.words = m.words[0], m.words[1:]
	}
	m.mu.Unlock()
	if slow {
		<-ctx.Done()
		return llm.Result{}, context.Cause(ctx)
	}
	if text == "" {
		return llm.Result{}, llm.ErrAllModelsFailed
	}
	for piece := range strings.SplitAfterSeq(text, " ") {
		if err := yield(llm.Delta{Text: piece}); err != nil {
			return llm.Result{Text: text}, err
		}
	}
	return llm.Result{Text: text, FinishReason: llm.FinishStop}, nil
}

func (m *script) Structured(ctx context.Context, req llm.Request, _ llm.Schema, out any) error {
	m.mu.Lock()
	m.asked = append(m.asked, req.Messages[0].Content)
	var raw json.RawMessage
	slow := m.slow
	if len(m.readings) > 0 {
		raw, m.readings = m.readings[0], m.readings[1:]
	}
	m.mu.Unlock()
	if slow {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	if raw == nil {
		return llm.ErrInvalidAnswer
	}
	return json.Unmarshal(raw, out)
}

// stage is a play of a session: by text, in a call, or within a general call.
type stage struct {
	tb       testing.TB
	config   appliance.Config
	persona  *appliance.Persona
	post     *post
	shelf    *shelf
	language string
	mode     string // text, call, within

	session  string
	seq      int
	state    json.RawMessage
	line     calls.Line
	clock    time.Time
	messages []llm.Message
	last     *orchestration.Turn
	lastText string
	book     strings.Builder
}

func newStage(tb testing.TB, mode string) *stage {
	tb.Helper()
	s := &stage{tb: tb, mode: mode, post: &post{}, shelf: small(), session: "session-1", clock: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}
	s.config = appliance.Config{
		Catalogue: s.shelf, Mailer: s.post, Checkpoints: checkpoint.NewMemory(0), Log: slog.New(slog.DiscardHandler),
		Emergency: func(string) string { return "911" },
	}
	s.line = calls.Line{
		Call: calls.Call{ID: store.NewCallID(), Type: calls.CallApplianceHelp, ConversationID: "conv_1"}, ConversationID: "conv_1",
		Person: people.Person{ID: store.NewPersonID(), Name: "Margaret Ames", Phone: "+15550100001"},
	}
	if mode == "within" {
		s.line.Call.Type = calls.CallGeneral
	}
	return s
}

func (s *stage) open() {
	s.tb.Helper()
	var err error
	if s.persona, err = appliance.New(s.config); err != nil {
		s.tb.Fatal(err)
	}
	s.line.Person.Language = s.language
	if s.mode != "text" && len(s.messages) == 0 {
		s.hear("Good morning, Margaret. What can I do for you?")
	}
}

func (s *stage) note(format string, args ...any) { fmt.Fprintf(&s.book, format+"\n", args...) }

func (s *stage) hear(text string) {
	s.messages = append(s.messages, llm.Message{Role: llm.RoleAssistant, Content: text})
	s.note("naiber: %s", text)
}

// writes sends one message by text.
func (s *stage) writes(text string) appliance.Reply {
	s.tb.Helper()
	s.seq++
	s.lastText = text
	return s.chat(text)
}

func (s *stage) chat(text string) appliance.Reply {
	s.tb.Helper()
	r, err := s.persona.Chat(context.Background(), appliance.Written{Session: s.session, Seq: s.seq, Text: text, Language: s.language, State: s.state})
	if err != nil {
		s.tb.Fatalf("to %q: %v", text, err)
	}
	s.state = r.State
	return r
}

func (s *stage) known() appliance.State {
	s.tb.Helper()
	var st appliance.State
	if err := json.Unmarshal(s.state, &st); err != nil {
		s.tb.Fatal(err)
	}
	return st
}

// turn is the turn that words make at this place of the call.
func (s *stage) turn(words, keys string) *orchestration.Turn {
	s.clock = s.clock.Add(12 * time.Second)
	content, kind := words, calls.TurnSpeech
	if keys != "" {
		content, kind = "[keypad: "+keys+"]", calls.TurnKeypad
	}
	t := &orchestration.Turn{
		ID: store.NewTurnID(), Line: s.line, At: s.clock, Attempt: 1, Heard: words, Keypad: keys, Kind: kind,
		Messages: append(slices.Clone(s.messages), llm.Message{Role: llm.RoleUser, Content: content}),
	}
	t.Place = len(t.Messages)
	t.Since = t.Place
	return t
}

// companion is what a general call is held by.
var companion = orchestration.PersonaFunc(func(_ context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
	return s.Say(fmt.Sprintf("(the companion answers, and sees %d lines)", len(t.Messages)))
})

func (s *stage) reply(t *orchestration.Turn) orchestration.Spoken {
	s.tb.Helper()
	sp := orchestration.NewSpeech()
	var p orchestration.Persona = s.persona
	if s.mode == "within" {
		p = s.persona.Within(companion)
	}
	if err := p.Reply(context.Background(), t, sp); err != nil {
		s.tb.Fatalf("to %q: %v", t.Heard, err)
	}
	return sp.Spoken()
}

// says plays a turn of a call.
func (s *stage) says(words string) orchestration.Spoken {
	s.tb.Helper()
	return s.answered(s.turn(words, ""))
}

func (s *stage) answered(t *orchestration.Turn) orchestration.Spoken {
	s.tb.Helper()
	got := s.reply(t)
	s.last, s.messages = t, slices.Clone(t.Messages)
	s.hear(got.Text)
	if got.Ended {
		s.note("  [the call ends: %s]", got.EndReason)
	}
	return got
}

func (s *stage) peek() appliance.State {
	s.tb.Helper()
	person, session := store.PersonID{}, s.session
	if s.mode != "text" {
		person, session = s.line.Person.ID, s.line.Call.ID.String()
	}
	st, _, err := s.persona.Peek(context.Background(), person, session)
	if err != nil {
		s.tb.Fatal(err)
	}
	return st
}

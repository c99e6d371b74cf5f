package general

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
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/recall"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/quoted"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// model is a predictable model that keeps what it was asked.
type model struct {
	mu      sync.Mutex
	reply   string
	finish  string
	err     error
	asked   []llm.Request
	answers map[string]string // by the schema's name
}

func (m *model) Stream(_ context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error) {
	m.mu.Lock()
	m.asked = append(m.asked, req)
	reply, finish, err := m.reply, m.finish, m.err
	m.mu.Unlock()
	if err != nil {
		return llm.Result{}, err
	}
	for w := range strings.SplitAfterSeq(reply, " ") {
		if err := yield(llm.Delta{Text: w}); err != nil {
			return llm.Result{}, err
		}
	}
	return llm.Result{Model: "stand-in", Text: reply, FinishReason: finish}, nil
}

func (m *model) Structured(_ context.Context, req llm.Request, schema llm.Schema, out any) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, req)
	answer, ok := m.answers[schema.Name]
	if !ok {
		return errors.New("model is away")
	}
	return json.Unmarshal([]byte(answer), out)
}

func (m *model) last(t *testing.T) llm.Request {
	t.Helper()
	if len(m.asked) == 0 {
		t.Fatal("the model was not asked")
	}
	return m.asked[len(m.asked)-1]
}

// recaller answers after a while.
type recaller struct {
	after time.Duration
	found []string
}

func (recaller) Embed(context.Context, string) ([]float32, error) { return nil, nil }

func (r recaller) Recall(ctx context.Context, _ people.Person, query string, _ []float32) ([]string, error) {
	select {
	case <-time.After(r.after):
		return append([]string{"about " + query}, r.found...), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// nobody is a store that must not be needed.
type nobody struct {
	Calls
	Keeper
}

func newPersona(t *testing.T, m Model, r recall.Source, st *store.Store) *Persona {
	t.Helper()
	cfg := Config{Model: m, Log: slog.New(slog.DiscardHandler)}
	if r != nil {
		cfg.Recall = recall.New(recall.Config{Source: r, Log: cfg.Log})
	}
	cfg.Calls, cfg.Keeper = nobody{}, nobody{}
	if st != nil {
		cfg.Calls, cfg.Keeper = st, st
	}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.cfg.Recall.Close)
	return p
}

func turnOf(line calls.Line, last, heard string) *orchestration.Turn {
	return &orchestration.Turn{
		Line: line, Kind: calls.TurnSpeech, Heard: heard, System: "You are nAIber.",
		Messages: []llm.Message{
			{Role: "system", Content: "You are nAIber."},
			{Role: "assistant", Content: last},
			{Role: "user", Content: heard},
			{Role: "assistant", ToolCalls: []llm.ToolCall{{Name: "contextual_update"}}},
			{Role: "tool", Content: "noted"},
		},
	}
}

func known() calls.Line {
	return calls.Line{Call: calls.Call{ID: store.NewCallID()}, Person: people.Person{ID: store.NewPersonID(), Name: "Walter"}}
}

func reply(t *testing.T, p *Persona, turn *orchestration.Turn) orchestration.Spoken {
	t.Helper()
	s := orchestration.NewSpeech()
	if err := p.Reply(t.Context(), turn, s); err != nil {
		t.Fatalf("Reply: %v", err)
	}
	return s.Spoken()
}

func TestMemoriesReachTheModel(t *testing.T) {
	t.Parallel()
	m := &model{reply: "How lovely."}
	p := newPersona(t, m, recaller{found: []string{"Walter has a dog."}}, nil)
	turn := turnOf(known(), "Hello.", "My dog is ill")
	turn.Interrupted = true
	got := reply(t, p, turn)
	if got.Text != "How lovely." || got.Model != "stand-in" || got.Notes["intent"] != "talk" || got.Ended {
		t.Errorf("spoken: %+v", got)
	}
	req := m.last(t)
	want := "You are nAIber.\n\nRELEVANT MEMORIES\n" + quoted.Label + "\n- «about My dog is ill»\n- «Walter has a dog.»\n\n\n" + interruptedHint
	if req.Messages[0].Content != want || len(req.Messages) != 3 {
		t.Errorf("asked: %+v, want system %q and two lines", req.Messages, want)
	}
	// A filler asks for nothing, and what was found before still helps.
	reply(t, p, turnOf(turn.Line, "Hello.", "um"))
	if s := m.last(t).Messages[0].Content; !strings.Contains(s, "about My dog") || strings.Contains(s, "about um") {
		t.Errorf("after a filler: %q", s)
	}
}

func TestLateRecallServesTheNextTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &model{reply: "Yes."}
		p := newPersona(t, m, recaller{after: time.Second}, nil)
		line := known()
		began := time.Now()
		spoken := reply(t, p, turnOf(line, "Hello.", "my garden"))
		if got := fmt.Sprint(spoken.Notes["degraded"], spoken.Notes["recallLate"]); got != "<nil> true" {
			t.Errorf("one late recall is noted as %s", got)
		}
		if took := time.Since(began); took != recall.DefaultDeadline {
			t.Errorf("the first word waited %s, want %s", took, recall.DefaultDeadline)
		}
		if s := m.last(t).Messages[0].Content; strings.Contains(s, memoriesHeading) {
			t.Errorf("memories came from nowhere: %q", s)
		}
		time.Sleep(2 * time.Second) //nolint:forbidigo // fake time, in a synctest bubble
		again := reply(t, p, turnOf(line, "Hello.", "and the roses"))
		if s := m.last(t).Messages[0].Content; !strings.Contains(s, "about my garden") {
			t.Errorf("what came late is lost: %q", s)
		}
		if got := fmt.Sprint(again.Notes["degraded"]); got != "[recall_late]" {
			t.Errorf("a second one in a row is noted as %s", got)
		}
		p.cfg.Recall.Close()
	})
}

func TestGoodbye(t *testing.T) {
	t.Parallel()
	m := &model{reply: "Goodbye, Walter."}
	p := newPersona(t, m, nil, nil)
	got := reply(t, p, turnOf(known(), "Hello.", "Well, goodbye then"))
	if got.Text != "Goodbye, Walter." || !got.Ended || got.EndReason != "goodbye" {
		t.Errorf("spoken: %+v", got)
	}
	if s := m.last(t).Messages[0].Content; !strings.Contains(s, goodbyeHint) {
		t.Errorf("the model was not told: %q", s)
	}
	m.err = llm.ErrAllModelsFailed
	if got := reply(t, p, turnOf(known(), "Hello.", "bye")); got.Text != wordings["en"].Texts.Farewell || !got.Ended {
		t.Errorf("without a model: %+v", got)
	}
}

// A reply that stops in the middle is no reply: the turn is told, and says what
// belongs after it. A goodbye is said in full before the call ends.
func TestModelBreaksOff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, finish string
		off          bool
	}{
		{"Well,", llm.FinishBroken, true},
		{"Well,", llm.FinishStop, true},
		{"Well", llm.FinishLength, true},
		{"I was about to –", llm.FinishContentFilter, true},
		{"Well.", llm.FinishLength, false},
		{"Well", llm.FinishStop, false},
		{"Well.", "", false},
	} {
		m := &model{reply: tt.text, finish: tt.finish}
		p := newPersona(t, m, nil, nil)
		s := orchestration.NewSpeech()
		if err := p.Reply(t.Context(), turnOf(known(), "Hello.", "How are you?"), s); errors.Is(err, errBrokeOff) != tt.off || s.Text() != tt.text {
			t.Errorf("%q %s: said %q, %v", tt.text, tt.finish, s.Text(), err)
		}
		want := tt.text
		if tt.off {
			want += " " + wordings["en"].Texts.Farewell
		}
		if got := reply(t, p, turnOf(known(), "Hello.", "bye")); got.Text != want || !got.Ended {
			t.Errorf("goodbye %q %s: %+v", tt.text, tt.finish, got)
		}
	}
}

func TestModelFails(t *testing.T) {
	t.Parallel()
	p := newPersona(t, &model{err: llm.ErrAllModelsFailed}, nil, nil)
	s := orchestration.NewSpeech()
	if err := p.Reply(t.Context(), turnOf(known(), "Hello.", "my knee"), s); !errors.Is(err, llm.ErrAllModelsFailed) {
		t.Errorf("Reply: %v", err)
	}
}

// person keeps a person, with what they allow, and a call that they are on.
func person(t *testing.T, st *store.Store, scopes ...people.Scope) calls.Line {
	t.Helper()
	var consents []people.Consent
	for _, sc := range scopes {
		consents = append(consents, people.Consent{Scope: sc, GivenBy: "self", How: "on paper"})
	}
	who, err := st.CreatePerson(t.Context(), people.Person{Name: "Walter", Phone: "+15550100002", Timezone: "America/Chicago"}, nil, consents)
	if err != nil {
		t.Fatal(err)
	}
	c, err := st.CreateCall(t.Context(), calls.NewCall{PersonID: who.ID, Type: calls.CallGeneral, Direction: calls.Inbound, Phone: who.Phone})
	if err != nil {
		t.Fatal(err)
	}
	return calls.Line{Call: c, Person: who}
}

func talk(t *testing.T, st *store.Store, line calls.Line) {
	t.Helper()
	for _, u := range []calls.Utterance{
		{Role: calls.RoleAssistant, Text: "Good morning, Walter."}, {Role: calls.RoleUser, Text: "My garden is full of roses."},
	} {
		u.CallID, u.At = line.Call.ID, time.Now()
		if _, err := st.AddUtterance(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
}

// noBrothers are the limits of somebody who does not want to be asked about theirs.
type noBrothers struct{}

func (noBrothers) Raisable(_ context.Context, _ store.PersonID, texts []string) ([]string, error) {
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "brother" }), nil
}

func TestFinish(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	line := person(t, st, people.ScopeMemory)
	talk(t, st, line)
	m := &model{answers: map[string]string{}}
	p := newPersona(t, m, nil, st)
	p.cfg.Limits = noBrothers{}
	if err := p.Finish(t.Context(), line.Call); err == nil {
		t.Fatal("topics failed, and Finish did not say so")
	}
	m.answers["call_topics"] = `{"topics":[{"label":"garden","mentions":2},{"label":"  Garden ","mentions":0},{"label":"","mentions":3},{"label":"brother","mentions":3}]}`
	for range 2 { // the retry, and one more
		if err := p.Finish(t.Context(), line.Call); err != nil {
			t.Fatal(err)
		}
	}
	for _, req := range m.asked {
		if !strings.Contains(req.Messages[1].Content, "Person: «My garden is full of roses.»") {
			t.Errorf("asked without the transcript: %+v", req)
		}
	}
	topics, err := st.Topics(t.Context(), line.Person.ID, 10)
	if err != nil || len(topics) != 1 || topics[0].Label != "garden" || topics[0].Mentions != 3 {
		t.Errorf("topics: %+v, %v", topics, err)
	}
	events, err := st.EventsAfter(t.Context(), line.Call.ID, 0)
	if err != nil || len(events) != 1 || events[0].Kind != "topics" {
		t.Errorf("events: %+v, %v", events, err)
	}
}

func TestFinishKeepsNothing(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	m := &model{}
	p := newPersona(t, m, nil, st)
	noConsent := person(t, st, people.ScopeCalls)
	talk(t, st, noConsent)
	silent := person(t, st, people.ScopeMemory)
	for name, c := range map[string]calls.Call{"no consent": noConsent.Call, "nobody spoke": silent.Call, "unknown caller": {ID: store.NewCallID()}} {
		if err := p.Finish(t.Context(), c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(m.asked) != 0 {
		t.Errorf("the model was asked about calls that are not to be remembered: %+v", m.asked)
	}
}

package general

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/memory/learn"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// The way that each kind of turn takes.
func TestWays(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	line := person(t, st, people.ScopeCalls, people.ScopeRecording, people.ScopeMemory)
	keys := turnOf(line, learn.ForgetAllQuestion("en"), "yes")
	keys.Kind, keys.Keypad = calls.TurnKeypad, "1"
	for _, tt := range []struct {
		name string
		turn *orchestration.Turn
		want string
	}{
		{"talk is looked up", turnOf(line, "Hello.", "My garden is full of roses"), "classify_intent manage_topic_state generate_response"},
		{"a filler is not", turnOf(line, "Hello.", "um, well"), "classify_intent skip_rag generate_response"},
		{"nor is what a stranger says", turnOf(calls.Line{}, "Hello.", "My garden is full of roses"), "classify_intent skip_rag generate_response"},
		{"a goodbye", turnOf(line, "Hello.", "Goodbye then"), "classify_intent farewell"},
		{"a key confirms nothing", keys, "classify_intent skip_rag generate_response"},
		{"a wish to be forgotten is asked back", turnOf(line, "Hello.", "Please forget everything about me."), "classify_intent ask_forget"},
		{"not where nobody is known", turnOf(calls.Line{}, "Hello.", "Please forget everything about me."), "classify_intent skip_rag generate_response"},
		{"a no to that goes on", turnOf(line, learn.ForgetAllQuestion("en"), "No, don't."), "classify_intent manage_topic_state generate_response"},
		{"a yes to that is heard", turnOf(line, learn.ForgetAllQuestion("en"), "Yes, please."), "classify_intent forget"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPersona(t, &model{reply: "I see."}, recaller{}, st)
			s := orchestration.NewSpeech()
			out, err := p.machine.Run(t.Context(), &state{}, input{tt.turn, s}, s.Say)
			if got := strings.Join(out.Path, " "); err != nil || got != tt.want {
				t.Errorf("path %s, %v; want %s", got, err, tt.want)
			}
			if s.Text() == "" {
				t.Error("nothing was said")
			}
		})
	}
}

// What goes wrong says in which node, and is still what it was.
func TestErrorsNameTheNode(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	p := newPersona(t, &model{err: away}, nil, nil)
	err := p.Reply(t.Context(), turnOf(known(), "Hello.", "my knee"), orchestration.NewSpeech())
	failed, ok := errors.AsType[*graph.Error](err)
	if !ok || !errors.Is(err, away) || !slices.Equal(failed.Path, []string{nodeClassify, nodeSkip, nodeGenerate}) {
		t.Errorf("Reply: %v", err)
	}
}

// Forgetting is promised only where what was said can be read after the call.
func TestForgettingIsPromisedWhereItIsHeard(t *testing.T) {
	t.Parallel()
	for asked, scopes := range map[string][]people.Scope{
		learn.ForgetAllQuestion("en"): {people.ScopeMemory, people.ScopeRecording}, wordings["en"].Texts.CannotForget: {people.ScopeMemory},
	} {
		st := storetest.New(t)
		p := newPersona(t, &model{}, nil, st)
		line := person(t, st, scopes...)
		if got := reply(t, p, turnOf(line, "Hello.", "Forget all about me.")); got.Text != asked {
			t.Errorf("with %v: asked %q, want %q", scopes, got.Text, asked)
		}
		if got := reply(t, p, turnOf(line, learn.ForgetAllQuestion("en"), "Yes.")); got.Text != wordings["en"].Texts.WillForget || got.Ended {
			t.Errorf("promised %+v", got)
		}
	}
}

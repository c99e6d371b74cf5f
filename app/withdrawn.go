package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// withdrawn keeps memories out of the turns of live calls whose person no longer allows them. The
// voice service sends the system prompt that the call began with, memories included, until the
// call ends; withdrawn replaces it by one without them.
type withdrawn struct {
	consents func(context.Context, store.PersonID) (map[people.Scope]bool, error)
	prompt   func(context.Context, calls.Line) (string, error)
	log      *slog.Logger

	mu      sync.Mutex // guards the fields below
	changed map[store.PersonID]time.Time
	anybody time.Time // when everybody's consents may have changed
	calls   map[store.CallID]promptNow
}

// promptNow is the prompt that a call's turns begin with; empty means the one that was sent.
type promptNow struct {
	text string
	at   time.Time // time at which the consents were read
}

func newWithdrawn(a *App) *withdrawn {
	return &withdrawn{
		consents: a.store.ConsentScopes, prompt: func(ctx context.Context, l calls.Line) (string, error) { return a.calls.SystemPrompt(ctx, l) },
		log: a.log, changed: make(map[store.PersonID]time.Time), calls: make(map[store.CallID]promptNow),
	}
}

// touch records that a person's consents may have changed, or everybody's for the zero id.
func (w *withdrawn) touch(id store.PersonID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if id.Known() {
		w.changed[id] = time.Now()
	} else {
		w.anybody = time.Now()
	}
}

// ended drops the state of a call.
func (w *withdrawn) ended(id store.CallID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.calls, id)
}

// heed returns a persona that replaces the prompt if it must, and then calls next.
func (w *withdrawn) heed(next orchestration.Persona) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		if system := w.system(ctx, t.Line); system != "" && t.System != "" {
			t.System, t.Messages[0] = system, llm.Message{Role: llm.RoleSystem, Content: system}
		}
		return next.Reply(ctx, t, s)
	})
}

// system returns the prompt that must replace the one that was sent, or the empty string.
func (w *withdrawn) system(ctx context.Context, line calls.Line) string {
	w.mu.Lock()
	changed := w.changed[line.Person.ID]
	if w.anybody.After(changed) {
		changed = w.anybody
	}
	now, began := w.calls[line.Call.ID], time.Now()
	w.mu.Unlock()
	if !line.Person.ID.Known() || !changed.After(now.at) {
		return now.text
	}
	scopes, err := w.consents(ctx, line.Person.ID)
	now.text = ""
	if err == nil && !scopes[people.ScopeMemory] {
		now.text, err = w.prompt(ctx, line)
	}
	if err != nil {
		w.log.WarnContext(ctx, "prompt is as it was sent", "call_id", line.Call.ID, "err", err)
		return ""
	}
	now.at = began
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls[line.Call.ID] = now
	return now.text
}

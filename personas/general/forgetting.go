package general

import (
	"context"
	"log/slog"

	"github.com/naiber/naiber/memory/learn"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store/people"
)

// asksToForgetAll reports whether a known person asks that everything about them be forgotten. A
// smaller wish needs no answer: it is read after the call.
func asksToForgetAll(t *orchestration.Turn, intent Intent) bool {
	return intent != IntentKeypad && t.Line.Person.ID.Known() && learn.AsksToForgetAll(t.Heard)
}

// confirmsForgetting reports whether a turn is a yes to forgetting everything, after it was asked
// back.
func confirmsForgetting(t *orchestration.Turn, intent Intent) bool {
	return intent != IntentKeypad && t.Line.Person.ID.Known() && learn.ConfirmsForgetting(t.LastSaid(), t.Heard)
}

// askForget asks back whether to forget everything. A yes is carried out after the call, from its
// transcript; if there will be none, nothing is promised.
func (p *Persona) askForget(ctx context.Context, _ *state, r *run) error {
	in := r.Input()
	scopes, err := p.cfg.Calls.ConsentScopes(ctx, in.turn.Line.Person.ID)
	if err != nil {
		p.log.LogAttrs(ctx, slog.LevelWarn, "consents not read", slog.String("call_id", in.turn.Line.Call.ID.String()), slog.Any("err", err))
		in.speech.Degraded("consents_unread")
	}
	if !people.KeepsWords(scopes) || !scopes[people.ScopeMemory] {
		return in.speech.SayFixed(textsFor(in.turn).CannotForget)
	}
	return in.speech.SayFixed(learn.ForgetAllQuestion(in.turn.Line.Person.Language))
}

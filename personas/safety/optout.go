package safety

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

const (
	// byTelephone is how an opt-out came.
	byTelephone = "said so in a call"
	// optedOutReason is the reason given for ending a call after an opt-out.
	optedOutReason = "opted_out"

	// optOutTries and optOutDeadline bound keeping an opt-out while the person waits.
	optOutTries    = 4
	optOutDeadline = 4 * time.Second
)

// OptOut hears the wish not to be called any more. It is asked back once, and
// kept before it is confirmed; after a no the conversation goes on where it was.
func (w *Wards) OptOut(next orchestration.Persona) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		if t.Kind != calls.TurnSpeech {
			return next.Reply(ctx, t, s)
		}
		if asked := askedBack(t); asked != nil {
			if told(t, func(l *language, toks []token) bool { yes, _ := l.answers(toks); return yes }) != nil {
				return w.optOut(ctx, t, s, asked)
			}
			if told(t, func(l *language, toks []token) bool { _, no := l.answers(toks); return no }) != nil {
				s.Note("intent", "opt_out_declined")
				return say(s, asked.Texts.GoOnCalling, question(t))
			}
			return next.Reply(ctx, t, s)
		}
		if l := told(t, (*language).optsOut); l != nil {
			s.Note("intent", "opt_out")
			return say(s, l.Texts.AskOptOut)
		}
		return next.Reply(ctx, t, s)
	})
}

// askedBack returns the language in which nAIber has asked an opt-out back since
// the person's last words but these, or nil. A prompt at a silence may lie between.
func askedBack(t *orchestration.Turn) *language {
	answered := false
	for _, m := range slices.Backward(t.Messages) {
		switch {
		case m.Role == llm.RoleAssistant:
			answered = true
			said := english.Plain(m.Content)
			for _, l := range languages {
				if saysText(said, l.Texts.AskOptOut) || saysText(said, l.Texts.NotKept) {
					return l
				}
			}
		case m.Role == llm.RoleUser && answered && strings.Trim(m.Content, ".… \t\r\n") != "":
			return nil
		}
	}
	return nil
}

// optOut keeps the wish before it is confirmed, then says goodbye. Words that
// interrupt it, or a hang-up, do not stop the keeping.
func (w *Wards) optOut(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, l *language) error {
	who := t.Line.Person.ID
	s.Note("intent", "opt_out")
	if !who.Known() {
		if err := say(s, l.Texts.UnknownOut); err != nil {
			return err
		}
		return s.EndCall(optedOutReason)
	}
	log := w.log.With(slog.String("call_id", t.Line.Call.ID.String()), slog.String("person_id", who.String()))
	if err := w.keepOptOut(context.WithoutCancel(ctx), who); err != nil {
		log.LogAttrs(ctx, slog.LevelError, "opt-out not kept", slog.Any("err", err))
		s.Degraded("opt_out_not_kept")
		return say(s, l.Texts.NotKept)
	}
	log.LogAttrs(ctx, slog.LevelInfo, "person opted out")
	s.Note("optedOut", true)
	if err := say(s, l.Texts.OptedOut); err != nil {
		return err
	}
	return s.EndCall(optedOutReason)
}

func (w *Wards) keepOptOut(ctx context.Context, who store.PersonID) error {
	ctx, cancel := context.WithTimeout(ctx, optOutDeadline)
	defer cancel()
	wait := w.cfg.Retry
	for try := 1; ; try++ {
		err := w.cfg.Store.OptOut(ctx, who, byTelephone)
		if err == nil || try == optOutTries {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
		wait *= 2
	}
}

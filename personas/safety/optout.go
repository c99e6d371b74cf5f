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
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
)

const (
	// byTelephone is how the person opted out, as the store keeps it.
	byTelephone = "said so in a call"
	// optedOutReason is the reason given for ending a call after an opt-out.
	optedOutReason = "opted_out"

	// optOutTries and optOutDeadline limit storing an opt-out while the person waits.
	optOutTries    = 4
	optOutDeadline = 4 * time.Second
)

// askedBack returns the language in which nAIber has asked whether calls shall stop since the
// person's previous words, or nil. A prompt at a silence may come between.
func (w *Rules) askedBack(t *orchestration.Turn) *language {
	answered := false
	for _, m := range slices.Backward(t.Messages) {
		switch {
		case m.Role == llm.RoleAssistant:
			answered = true
			for _, text := range w.lines.marks(m.Content) {
				if r := roles[text]; r.optOut {
					return r.in
				}
			}
		case m.Role == llm.RoleUser && answered && strings.Trim(m.Content, ".… \t\r\n") != "":
			return nil
		}
	}
	return nil
}

// endsCalls reports whether a key ends all calls: star and nine in every call, nine alone where no
// number was asked for. Calls of company ask for none, and name the nine in their first words.
func (l *language) endsCalls(t *orchestration.Turn) bool {
	return t.Keypad == "*9" || t.Keypad == "9" && (t.Line.Call.Type == calls.CallGeneral || !l.Holds(&l.AsksNumber, l.Tokens(english.Scan(t.LastSaid()))))
}

// optOut stores the wish not to be called any more, then confirms it and ends the call. An
// interruption or a hang-up does not stop the storing.
func (w *Rules) optOut(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, l *language) error {
	who := t.Line.Call.Whose() // anybody may ask for it: it reveals nothing
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
	if t.Line.Call.Withheld() { // it may have been a person who wants nobody to look after the one called
		w.alert(ctx, t, optedOutReason, alerts.SameDay, t.Heard, "calls end at a wish of somebody on their line")
	}
	s.Note("optedOut", true)
	if err := say(s, l.Texts.OptedOut); err != nil {
		return err
	}
	return s.EndCall(optedOutReason)
}

func (w *Rules) keepOptOut(ctx context.Context, who store.PersonID) error {
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

// OptsOut reports whether a turn asks for no more calls at all.
func OptsOut(t *orchestration.Turn) bool { return hear(t).told((*language).optsOut) != nil }

package general

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store"
)

// OptOuts keeps a person's wish not to be called; [store.Store] does.
type OptOuts interface {
	OptOut(ctx context.Context, id store.PersonID, how string) error
	RevokeConsent(ctx context.Context, id store.PersonID, scope store.Scope, by, how string) (bool, error)
}

// What is said around an opt-out is fixed: no model words a promise.
const (
	askOptOut       = "I can stop calling you, if you would like that. Shall I stop calling you from now on?"
	optedOut        = "That is noted, and I won't call you any more. If you change your mind, just tell whoever looks after you. Goodbye, and take good care."
	optedOutUnknown = "I don't have you on my list, so I won't be calling you. Goodbye, and take good care."
	optOutNotKept   = "I'm sorry, I can't write that down just now, and I want to be sure that it is done. Please tell me once more that I should stop calling."
)

// optOutMark is what is left of the question, even when it was cut short or
// joined to other words in the history.
const optOutMark = "stop calling you"

// byTelephone is how an opt-out came.
const byTelephone = "said so in a call"

// optOutTries and optOutDeadline bound keeping an opt-out while the person waits.
const (
	optOutTries    = 4
	optOutDeadline = 4 * time.Second
)

// optedOutReason is the reason given for ending a call after an opt-out.
const optedOutReason = "opted_out"

// asked reports whether nAIber's last words asked an opt-out back.
func asked(last string) bool {
	return strings.Contains(strings.ToLower(last), optOutMark) || strings.Contains(last, "that I should stop calling")
}

// optOut keeps the wish before it is confirmed, then says goodbye. Words that
// interrupt it do not stop the keeping.
func (p *Persona) optOut(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
	who := t.Line.Person.ID
	if !who.Known() {
		if err := s.Say(optedOutUnknown); err != nil {
			return err
		}
		return s.EndCall(optedOutReason)
	}
	if err := p.keepOptOut(context.WithoutCancel(ctx), who); err != nil {
		p.log.LogAttrs(ctx, slog.LevelError, "opt-out not kept", slog.String("call_id", t.Line.Call.ID.String()),
			slog.String("person_id", who.String()), slog.Any("err", err))
		s.Degraded("opt_out_not_kept")
		return s.Say(optOutNotKept)
	}
	p.log.LogAttrs(ctx, slog.LevelInfo, "person opted out", slog.String("call_id", t.Line.Call.ID.String()),
		slog.String("person_id", who.String()))
	s.Note("optedOut", true)
	if err := s.Say(optedOut); err != nil {
		return err
	}
	return s.EndCall(optedOutReason)
}

func (p *Persona) keepOptOut(ctx context.Context, who store.PersonID) error {
	ctx, cancel := context.WithTimeout(ctx, optOutDeadline)
	defer cancel()
	wait := p.cfg.OptOutRetry
	for try := 1; ; try++ {
		err := p.writeOptOut(ctx, who)
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

// writeOptOut may run again after it went through in part: either half alone
// already stops the calls.
func (p *Persona) writeOptOut(ctx context.Context, who store.PersonID) error {
	if _, err := p.cfg.OptOuts.RevokeConsent(ctx, who, store.ScopeCalls, "person", byTelephone); err != nil {
		return fmt.Errorf("opt out %s: %w", who, err)
	}
	if err := p.cfg.OptOuts.OptOut(ctx, who, byTelephone); err != nil {
		return fmt.Errorf("opt out %s: %w", who, err)
	}
	return nil
}

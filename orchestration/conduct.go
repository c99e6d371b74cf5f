package orchestration

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/survive"
)

const (
	// holdFirstWord is how long the first word waits for the person's own words to be stored
	// durably. A healthy database takes a millisecond or two.
	holdFirstWord = 500 * time.Millisecond
	// endEarlier is how long a new attempt waits for the one it replaces.
	endEarlier = time.Second
	// sentenceGrace is how long a reply that took too long may use to end its sentence.
	sentenceGrace = time.Second
	// enderDeadline bounds the request to telephony to end a call.
	enderDeadline = 5 * time.Second
)

// reply runs the persona, after the generations that must precede it have ended. It returns a panic
// as an error.
func (s *Server) reply(ctx context.Context, g *generation, p Persona) error {
	return survive.Try(g.log, "persona", func() error {
		if err := s.awaitEarlier(ctx, g); err != nil {
			return err
		}
		return p.Reply(ctx, g.turn, g.speech)
	})
}

func (s *Server) awaitEarlier(ctx context.Context, g *generation) error {
	if len(g.after) == 0 {
		return nil
	}
	limit := time.NewTimer(endEarlier)
	defer limit.Stop()
	for _, old := range g.after {
		select {
		case <-old.done:
		case <-limit.C:
			s.degraded(ctx, g, "earlier_turn_runs_on", nil)
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// conduct carries one generation to its end: its loop handles everything that may happen to it, and
// all paths lead to the one ending. recorded is closed once the person's words are stored durably.
func (s *Server) conduct(ctx context.Context, f *flight, g *generation, p Persona, recorded <-chan struct{}) {
	replied := make(chan error, 1)
	go func() { replied <- s.reply(ctx, g, p) }()

	firstWord := time.NewTimer(firstWordDeadline)
	defer firstWord.Stop()
	deadline := time.NewTimer(s.cfg.Deadline)
	defer deadline.Stop()
	var filler, hold, last <-chan time.Time // until they are set
	if s.mayCover(g.turn) {
		filler = time.After(s.cfg.FillerAfter)
	}
	first, returned := g.speech.first, false
	var err error
	for running := true; running; {
		select {
		case err = <-replied:
			returned, running = true, false
		case <-recorded:
			recorded, first, hold = nil, nil, nil // the first word no longer matters here
			g.speech.release()
		case <-first:
			first = nil
			hold = time.After(holdFirstWord)
		case <-hold:
			recorded, hold = nil, nil // stop waiting for it
			s.degraded(ctx, g, "record_late", nil)
			g.speech.release()
		case <-filler:
			s.cover(f, g)
		case <-firstWord.C:
			if !g.speech.spoke() {
				g.stop(errNoWord)
			}
		case <-deadline.C:
			if g.speech.finishSentence() {
				g.stop(errTooLong)
			} else {
				last = time.After(sentenceGrace)
			}
		case <-last:
			g.stop(errTooLong)
		case <-ctx.Done():
			running = false
		}
	}
	cause := context.Cause(ctx)
	g.speech.close()
	outcome := s.lastWords(ctx, g, cause, err)
	if recorded != nil && wanted(cause) {
		if first != nil {
			hold = time.After(holdFirstWord)
		}
		s.awaitRecord(ctx, g, recorded, hold)
	}
	if late := g.finish(); late != nil { // stopped while the last words were determined
		cause, outcome = late, stoppedOutcome(late, g.speech.leftSomething())
	}
	if reason, byTool := g.speech.endsByTool(g.turn); byTool && wanted(cause) {
		s.cfg.Ender.WillEnd(g.turn.Line.Call.ID, reason)
	}
	ends := g.speech.seal(g.turn, "call_"+g.turn.ID.String(), wanted(cause))
	elapsed := time.Since(g.turn.At)
	g.stop(nil)
	if !returned {
		<-replied //nolint:errcheck // nobody waits for it; a persona that ignores its context holds only its own turn
	}
	s.countDegraded(ctx, g)
	s.conclude(ctx, g, outcome, elapsed)
	if ends != nil && wanted(cause) {
		s.endCall(ctx, g, *ends)
	}
}

// rescue completes a generation whose conduct panicked: listeners hear the calm sentence if nothing
// was said.
func (s *Server) rescue(ctx context.Context, g *generation) {
	g.stop(survive.ErrPanic)
	g.speech.close()
	_ = g.finish() // if it was stopped, nobody listens any more
	if !g.speech.sealed() {
		if !g.speech.spoke() {
			g.speech.append(inLanguage(g.turn.speaks(), calmSentence))
		}
		g.speech.release()
		g.speech.seal(g.turn, "", false)
	}
	if g.running() {
		s.conclude(ctx, g, calls.TurnFailed, time.Since(g.turn.At))
	}
}

// wanted reports whether a client may still wait for a reply that ended for cause.
func wanted(cause error) bool {
	return !errors.Is(cause, errReplaced) && !errors.Is(cause, errSuperseded) && !errors.Is(cause, errAbandoned)
}

// awaitRecord waits, after the persona has returned, for the record that must precede its words,
// and then releases them.
func (s *Server) awaitRecord(ctx context.Context, g *generation, recorded <-chan struct{}, hold <-chan time.Time) {
	select {
	case <-recorded:
	case <-hold:
		s.degraded(ctx, g, "record_late", nil)
	}
	g.speech.release()
}

// lastWords makes sure that something was said and returns the outcome of the turn.
func (s *Server) lastWords(ctx context.Context, g *generation, cause, err error) calls.TurnOutcome {
	sp := g.speech
	switch {
	case !wanted(cause):
		return stoppedOutcome(cause, sp.leftSomething())
	case errors.Is(cause, errNoWord):
		s.degraded(ctx, g, "no_word_in_time", nil)
		s.fail(g, calmSentence)
		return calls.TurnFallback
	case (errors.Is(cause, errTooLong) || errors.Is(err, ErrEnded)) && sp.spoke():
		s.degraded(ctx, g, "reply_too_long", nil)
		return calls.TurnSpoken
	case sp.settled(err):
		return calls.TurnSpoken
	case sp.spoke():
		s.degraded(ctx, g, "persona_broke_off", err)
		if !sp.sentenceComplete() {
			s.fail(g, lostThread)
		}
		return calls.TurnFailed
	case err == nil && g.turn.Kind == calls.TurnSilence:
		sp.stayQuiet("nothing to say")
		return calls.TurnSpoken
	default:
		reason := "persona_failed"
		if err == nil {
			reason = "persona_said_nothing"
		}
		s.degraded(ctx, g, reason, err)
		s.fail(g, calmSentence)
		return calls.TurnFallback
	}
}

func stoppedOutcome(cause error, leftSomething bool) calls.TurnOutcome {
	switch {
	case errors.Is(cause, errReplaced):
		return calls.TurnReplaced
	case leftSomething:
		return calls.TurnSpoken
	default:
		return calls.TurnAbandoned
	}
}

// mayCover reports whether dead air in t may be covered at all.
func (s *Server) mayCover(t *Turn) bool {
	return s.cfg.FillerAfter > 0 && len(s.cfg.Fillers) > 0 && t.Kind != calls.TurnSilence && !t.Late &&
		!slices.Contains(s.cfg.Patient, t.Line.Call.Type)
}

func (s *Server) cover(f *flight, g *generation) {
	if g.speech.spoke() {
		return
	}
	if text, ok := f.cover(g.turn, allInLanguage(g.turn.speaks(), s.cfg.Fillers)); ok && g.speech.cover(text) {
		s.metrics.fillers.Inc()
	}
}

// endCall asks telephony to end the call, for which the voice service has no tool.
func (s *Server) endCall(ctx context.Context, g *generation, reason string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), enderDeadline)
	defer cancel()
	if err := s.cfg.Ender.EndAfterSpeech(ctx, g.turn.Line.Call.ID, reason); err != nil {
		s.degraded(ctx, g, "end_call", err)
	}
}

// finish marks the generation as finished, unless it was stopped before; then it returns the reason
// for that.
func (g *generation) finish() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.grace != nil {
		g.grace.Stop()
	}
	if g.stopped && !g.finished {
		return g.why
	}
	g.finished = true
	return nil
}

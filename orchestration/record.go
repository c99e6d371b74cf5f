package orchestration

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/survive"
)

const (
	recordDeadline = 5 * time.Second // for one attempt to store one thing
	retryFirst     = 50 * time.Millisecond
	retryMost      = 5 * time.Second
)

// record stores a turn: it stores at once what was heard, calls kept when that is durable, and
// stores the result when the turn has ended. It retries until it succeeds, is refused, or the
// server closes.
func (s *Server) record(ctx context.Context, g *generation, kept func()) {
	started := s.keep(ctx, g, "turn", func(ctx context.Context) error {
		return s.cfg.Recorder.StartTurn(ctx, calls.Turn{
			ID: g.turn.ID, CallID: g.turn.Line.Call.ID, ConversationID: g.turn.Line.ConversationID,
			Place: g.turn.Place, Attempt: g.turn.Attempt, Kind: g.turn.Kind, Heard: heard(g.turn),
			Persona: g.persona, At: g.turn.At,
		})
	})
	kept() // stored, or waiting would gain nothing
	<-g.done
	if started {
		result := g.result
		result.Event = g.event()
		s.keep(ctx, g, "turn result", func(ctx context.Context) error {
			return s.cfg.Recorder.FinishTurn(ctx, g.turn.ID, result)
		})
	}
}

// heard returns what the record says that the person did.
func heard(t *Turn) string {
	if t.Keypad == "" {
		return t.Heard
	}
	keys := "[keypad: " + t.Keypad + "]"
	if t.Heard == "" {
		return keys
	}
	return t.Heard + " " + keys
}

// keep calls do until it succeeds, and reports whether it did. A conflict means that an earlier
// attempt succeeded although it seemed to fail, or, at the first attempt, that the call no longer
// exists. Retrying helps in neither case, nor if the recorder panics.
func (s *Server) keep(ctx context.Context, g *generation, what string, do func(context.Context) error) bool {
	wait := retryFirst
	for try := 1; ; try++ {
		err := s.once(ctx, do)
		switch {
		case err == nil:
			return true
		case errors.Is(err, store.ErrConflict) && try > 1:
			return true
		case errors.Is(err, store.ErrConflict), errors.Is(err, survive.ErrPanic):
			s.degraded(ctx, g, "record_refused", err)
			return false
		case try == 1:
			s.degraded(ctx, g, "record_retried", err)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-s.closing:
			timer.Stop()
			if s.once(ctx, do) == nil {
				return true
			}
			g.log.LogAttrs(ctx, slog.LevelError, "turn not recorded before the end",
				slog.String("kind", what), slog.Any("err", err))
			return false
		}
		wait = min(2*wait, retryMost)
	}
}

func (s *Server) once(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, recordDeadline)
	defer cancel()
	return survive.Try(s.log, "record", func() error { return do(ctx) })
}

// event returns the event for the call's timeline as JSON. Our own fields are set after the notes,
// which therefore cannot overwrite them.
func (g *generation) event() []byte {
	sp := g.speech.Spoken()
	data := sp.Notes
	r := g.result
	data["place"], data["attempt"], data["kind"] = g.turn.Place, g.turn.Attempt, g.turn.Kind
	data["ttftMs"], data["durationMs"] = milliseconds(r.TTFT), milliseconds(r.Duration)
	data["outcome"], data["model"], data["persona"], data["filler"] = r.Outcome, r.Model, g.persona, r.Filler
	if _, kinds := g.speech.withheldText(); len(kinds) > 0 {
		data["withheld"] = kinds
	}
	if r.Joined > 0 {
		data["joined"] = r.Joined
	}
	b, err := json.Marshal(data)
	if err != nil { // a note that JSON cannot represent: keep the rest
		for k := range g.speech.Spoken().Notes {
			delete(data, k)
		}
		b, _ = json.Marshal(data) //nolint:errchkjson // only numbers and strings are left
	}
	return b
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}

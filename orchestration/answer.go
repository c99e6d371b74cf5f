package orchestration

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/survive"
)

// answer finds or starts the reply to a turn and sends it to this client.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, req *request, line calls.Line, began time.Time) {
	t, sum := newTurn(req, line, allInLanguage(line.Person.Language, s.cfg.Fillers), began)
	t.Covered = s.failures(t) > 0
	f := s.flights.of(line, began)
	persona, name, known := s.supervisor.pick(line.Call.Type)
	if !s.enlist(2) {
		writeError(w, errClosing)
		return
	}
	var ctx context.Context
	var recorded chan struct{}
	g, joined := f.join(t, sum, func() *generation {
		recorded = make(chan struct{})
		g := &generation{turn: t, speech: newSpeech(), persona: name, done: make(chan struct{})}
		g.log = s.log.With(slog.String("call_id", line.Call.ID.String()), slog.String("turn", t.ID.String()), slog.String("persona", name))
		g.speech.held = true
		g.reply = reply{id: replyID(t.ID), created: began.Unix(), model: modelName}
		// The reply outlives this request: others may join it.
		ctx, g.stop = context.WithCancelCause(context.WithoutCancel(r.Context())) //nolint:fatcontext // it is set once, in a function that runs once
		return g
	})
	defer g.detach()
	if joined {
		s.work.Add(-2)
		s.metrics.joined.Inc()
	} else {
		if !known {
			s.degraded(ctx, g, "unknown_call_type", nil)
		}
		s.launch(ctx, f, g, persona, recorded)
	}
	out := g.reply
	out.usage = req.usage
	if req.stream {
		s.stream(w, r, g, &out)
	} else {
		s.whole(w, r, g, &out)
	}
}

// launch starts the two goroutines that were enlisted: one conducts the reply, one records it.
func (s *Server) launch(ctx context.Context, f *flight, g *generation, p Persona, recorded chan struct{}) {
	s.metrics.running.Inc()
	ctx, span := s.cfg.Tracer.Start(ctx, "turn", trace.WithTimestamp(g.turn.At))
	go func() {
		defer s.work.Done()
		kept := sync.OnceFunc(func() { close(recorded) })
		defer kept()
		survive.Do(g.log, "record", func() { s.record(context.WithoutCancel(ctx), g, kept) })
	}()
	go func() {
		defer s.work.Done()
		defer s.metrics.running.Dec()
		if !survive.Do(g.log, "turn", func() { s.conduct(ctx, f, g, p, recorded) }) {
			survive.Do(g.log, "turn", func() { s.rescue(ctx, g) })
		}
		survive.Do(g.log, "turn", func() { s.trace(span, g) })
	}()
}

// stream sends the words as soon as they come.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, g *generation, out *reply) {
	o := &outlet{speech: g.speech, reply: out, sent: make(chan struct{}), res: newResponse(w)}
	defer o.close()
	defer g.speech.listen(o.more)()
	o.more() // send what was said before
	select {
	case <-o.sent:
	case <-r.Context().Done():
	}
}

// whole sends the reply in one piece.
func (s *Server) whole(w http.ResponseWriter, r *http.Request, g *generation, out *reply) {
	wake := make(chan struct{}, 1)
	defer g.speech.listen(func() {
		select {
		case wake <- struct{}{}:
		default: // a wake-up is pending already
		}
	})()
	for {
		words, whole := g.speech.read(0)
		if whole {
			// As in stream, the client may be gone.
			_ = newResponse(w).writeWhole(out.whole(nil, words, g.speech.ended()))
			return
		}
		select {
		case <-wake:
		case <-r.Context().Done():
			return
		}
	}
}

// conclude sets and counts the result of a turn.
func (s *Server) conclude(ctx context.Context, g *generation, outcome calls.TurnOutcome, elapsed time.Duration) {
	sp := g.speech
	sp.mu.Lock()
	res := calls.TurnResult{
		Outcome: outcome, Model: sp.model, Duration: elapsed, Filler: sp.filler > 0,
	}
	if sp.useful {
		res.Reply = string(sp.words[sp.filler:])
	}
	if !sp.heardAt.IsZero() {
		res.TTFT = sp.heardAt.Sub(g.turn.At)
	}
	sp.mu.Unlock()
	var kinds []string
	res.Withheld, kinds = sp.withheldText()
	for _, kind := range kinds {
		s.metrics.withheld.WithLabelValues(kind).Inc()
	}
	g.mu.Lock()
	res.Joined = g.joined
	g.mu.Unlock()
	g.result = res
	close(g.done)

	s.metrics.turns.WithLabelValues(g.persona, string(outcome)).Inc()
	s.metrics.duration.WithLabelValues(g.persona).Observe(elapsed.Seconds())
	if res.TTFT > 0 {
		s.metrics.ttft.WithLabelValues(g.persona).Observe(res.TTFT.Seconds())
	}
	switch outcome {
	case calls.TurnReplaced:
		s.metrics.replaced.Inc()
	case calls.TurnAbandoned:
		s.metrics.abandoned.Inc()
	default:
	}
	if s.log.Enabled(ctx, slog.LevelDebug) {
		g.log.LogAttrs(ctx, slog.LevelDebug, "turn ended", slog.String("outcome", string(outcome)),
			slog.Float64("ttft_ms", milliseconds(res.TTFT)), slog.Float64("elapsed_ms", milliseconds(elapsed)))
	}
}

// trace ends the turn's span.
func (s *Server) trace(span trace.Span, g *generation) {
	if span.IsRecording() {
		span.SetAttributes(
			attribute.String("call_id", g.turn.Line.Call.ID.String()),
			attribute.String("call_type", string(g.turn.Line.Call.Type)),
			attribute.String("conversation_id", g.turn.Line.ConversationID),
			attribute.String("persona", g.persona),
			attribute.String("turn", g.turn.ID.String()),
			attribute.Int("place", g.turn.Place), attribute.Int("attempt", g.turn.Attempt),
			attribute.String("kind", string(g.turn.Kind)), attribute.String("outcome", string(g.result.Outcome)),
			attribute.String("model", g.result.Model), attribute.Float64("ttft_ms", milliseconds(g.result.TTFT)),
			attribute.Int("joined", g.result.Joined), attribute.Bool("filler", g.result.Filler),
		)
	}
	span.End()
}

// degraded counts and logs that a turn was served with reduced function.
func (s *Server) degraded(ctx context.Context, g *generation, reason string, err error) {
	s.metrics.degraded.WithLabelValues(reason).Inc()
	if errors.Is(err, context.Canceled) {
		return // the client no longer waits
	}
	attrs := []slog.Attr{slog.String("reason", reason)}
	if err != nil {
		attrs = append(attrs, slog.Any("err", err))
	}
	g.log.LogAttrs(ctx, slog.LevelWarn, "turn degraded", attrs...)
}

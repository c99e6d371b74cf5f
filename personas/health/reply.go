package health

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/health/words"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
)

// The reasons for ending a call in which no check is possible.
const (
	reasonUnreadable = "health_check_unreadable"
	reasonUnknown    = "health_check_unknown_person"
	reasonEnded      = "health_check_call_ended"
)

// unreadable is said if a saved check can't be continued.
const unreadable = "I'm sorry, I can't go on with our questions just now. What you have told me is kept, and I'll call again another time. Goodbye for now."

// Reply answers one turn. It saves the new state before any word of the reply is sent, and even if
// the caller has stopped waiting for the reply.
func (p *Persona) Reply(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
	who := t.Line.Person
	if !who.ID.Known() {
		return closeWith(s, words.Say(words.ClosingWrongPerson, t.Place, words.Fill{}), reasonUnknown)
	}
	in := inputOf(ctx, t)
	if r := p.cfg.Recall; p.cfg.Model != nil && r.Knows(t) {
		in.recall = func(ctx context.Context, waits bool) []string {
			if waits {
				return r.Fitting(ctx, t, s)
			}
			return r.Before(t.Line.Call.ID)
		}
		in.ahead = func() { r.Ahead(ctx, t) }
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), turnDeadline)
	defer cancel()
	th := p.thread(who.ID, conversationOf(t.Line))
	call := graph.Call[State, input]{
		Turn: checkpoint.Turn{Conversation: t.Line.ConversationID, Place: t.Place, Key: key(t), At: t.At},
		Late: t.Late,
		Init: func(ctx context.Context) (State, error) { return p.begin(ctx, t, &in) },
		Emit: func(text string) error {
			if in.report.fixed {
				return s.SayFixed(text)
			}
			return s.Say(text)
		},
		From: func(h *checkpoint.History, in *input) (from checkpoint.ID) {
			in.unheard = false
			if !t.Late {
				from, in.unheard = graph.Unheard(h, t.Line.ConversationID, t.Since, t.Place)
			}
			return from
		},
		Input: in,
	}
	out, err := th.Turn(saving, call)
	p.tell(s, &in, &out)
	switch {
	case errors.Is(err, graph.ErrSchema), errors.Is(err, checkpoint.ErrCorrupt):
		p.log.LogAttrs(ctx, slog.LevelError, "health check cannot be read", slog.String("call_id", t.Line.Call.ID.String()), slog.Any("err", err))
		return closeWith(s, unreadable, reasonUnreadable)
	case errors.Is(err, errOver): // nobody is on the line
		p.log.LogAttrs(ctx, slog.LevelWarn, "turn came after its call's health check was written", slog.String("call_id", t.Line.Call.ID.String()))
		return closeWith(s, words.Say(words.Over, t.Place, words.Fill{Name: who.CallName(), Language: who.Language}), reasonEnded)
	case errors.Is(err, graph.ErrConflict):
		return p.overtaken(saving, th, s)
	case err != nil:
		return err
	}
	return p.speak(s, &out)
}

// conversationOf returns the name of the thread: the call's first conversation.
func conversationOf(l calls.Line) string {
	return cmp.Or(l.Call.ConversationID, l.ConversationID)
}

// speak says what the graph has not said itself, and ends the call if the check has ended.
func (p *Persona) speak(s *orchestration.Speech, out *graph.Outcome[State]) error {
	var err error
	switch out.Effect {
	case graph.Late:
		err = s.Say(cmp.Or(strings.Join(out.Said, " "), out.State.say(words.Moment)))
	case graph.Over:
		err = s.SayFixed(out.State.say(words.Over))
	default: // the graph has said it
	}
	if err != nil || !out.Done {
		return err
	}
	return s.EndCall(out.State.endReason())
}

// overtaken answers a turn that was overtaken by others repeatedly, with their outcome.
func (p *Persona) overtaken(ctx context.Context, th *graph.Thread[State, input], s *orchestration.Speech) error {
	out, found, err := th.Peek(ctx)
	if err != nil || !found {
		return cmp.Or(err, graph.ErrConflict)
	}
	out.Effect = graph.Late
	return p.speak(s, &out)
}

// tell adds the outcome of the turn to its record.
func (p *Persona) tell(s *orchestration.Speech, in *input, out *graph.Outcome[State]) {
	for _, reason := range in.report.degraded {
		s.Degraded(reason)
		p.metrics.degraded.WithLabelValues(reason).Inc()
	}
	if !out.Checkpoint.Known() {
		return
	}
	p.metrics.turns.WithLabelValues(string(out.Effect)).Inc()
	if in.report.model != "" {
		s.Model(in.report.model)
	}
	n := out.State.note()
	if out.Effect == graph.Late || out.Effect == graph.Over {
		n.Readings = []NoteReading{} // they were reported before
	}
	s.Note(noteKey, n)
}

func closeWith(s *orchestration.Speech, text, reason string) error {
	if err := s.SayFixed(text); err != nil {
		return err
	}
	return s.EndCall(reason)
}

package cognitive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/people"
)

const (
	// turnDeadline is the timeout of a turn. Its caller may have left: what was heard is saved even
	// then.
	turnDeadline = 8 * time.Second
	// noteKey is the timeline's key for the progress of a check.
	noteKey = "cognitive"
)

// Reasons for which a call ends because no check can be held.
const (
	reasonUnreadable = "cognitive_unreadable"
	reasonUnknown    = "cognitive_unknown_person"
	reasonEnded      = "cognitive_call_ended"
	reasonWithdrawn  = "cognitive_consent_withdrawn"
)

// errOver is returned if a check would begin in a call that has ended: its thread was written and
// deleted while the turn was under way.
var errOver = errors.New("the call has ended")

// Note is what the timeline of a call records of a turn, without any of the person's words.
type Note struct {
	Phase Phase  `json:"phase"`
	Task  string `json:"task,omitempty"`
	Item  string `json:"item,omitempty"`
	Done  int    `json:"done"` // tasks that are settled
	Of    int    `json:"of"`
}

// Reply answers one turn. What the person said is saved before any of the reply is sent, even if
// the caller no longer waits for it.
func (p *Persona) Reply(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
	who := t.Line.Person
	if !who.ID.Known() {
		return closeWith(s, say(who.Language, "closing_wrong_person", 0), reasonUnknown)
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), turnDeadline)
	defer cancel()
	// If consent cannot be read now, the check goes on: the gate has checked, and write checks
	// again.
	if scopes, err := p.cfg.Store.ConsentScopes(saving, who.ID); err == nil && !scopes[people.ScopeCognitive] {
		return closeWith(s, say(who.Language, "closing_stopped", 0), reasonWithdrawn)
	}
	in := inputOf(t)
	th := p.thread(who.ID, conversationOf(t.Line))
	out, err := th.Turn(saving, graph.Call[State, input]{
		Turn:  checkpoint.Turn{Conversation: t.Line.ConversationID, Place: t.Place, Key: key(t), At: t.At},
		Late:  t.Late,
		Init:  func(ctx context.Context) (State, error) { return p.begin(ctx, t, in.at) },
		Emit:  s.SayFixed, // no model words any of it
		From:  func(h *checkpoint.History, in *input) checkpoint.ID { return from(h, t, in) },
		Input: in,
	})
	if out.Checkpoint.Known() {
		p.metrics.turns.WithLabelValues(string(out.Effect)).Inc()
		s.Note(noteKey, out.State.note())
	}
	id := slog.String("call_id", t.Line.Call.ID.String())
	switch {
	case errors.Is(err, graph.ErrSchema), errors.Is(err, checkpoint.ErrCorrupt):
		p.log.LogAttrs(ctx, slog.LevelError, "cognitive check cannot be read", id, slog.Any("err", err))
		return closeWith(s, say(who.Language, "unreadable", 0), reasonUnreadable)
	case errors.Is(err, errOver): // nobody hears it
		p.log.LogAttrs(ctx, slog.LevelWarn, "turn came after its call's cognitive check was written", id)
		return closeWith(s, say(who.Language, "closing_stopped", 0), reasonEnded)
	case errors.Is(err, graph.ErrConflict): // another turn overtook it
		var found bool
		if out, found, err = th.Peek(saving); err != nil || !found {
			return cmp.Or(err, graph.ErrConflict)
		}
		out.Effect = graph.Late
	case err != nil:
		return err
	}
	return speak(s, &out)
}

// conversationOf returns the name of the thread: the call's first conversation.
func conversationOf(l calls.Line) string {
	return cmp.Or(l.Call.ConversationID, l.ConversationID)
}

// speak says what the graph has not said yet, skips the turn if the graph chose to say nothing, and
// ends the call if the check has ended.
func speak(s *orchestration.Speech, out *graph.Outcome[State]) error {
	var err error
	switch {
	case out.Effect == graph.Over:
		err = s.SayFixed(say(out.State.Language, "over", out.State.Turns))
	case len(out.Said) == 0:
		err = s.SkipTurn("listening")
	case out.Effect == graph.Late:
		err = s.SayFixed(strings.Join(out.Said, " "))
	}
	if err != nil || !out.Done {
		return err
	}
	return s.EndCall(out.State.endReason())
}

func closeWith(s *orchestration.Speech, text, reason string) error {
	if err := s.SayFixed(text); err != nil {
		return err
	}
	return s.EndCall(reason)
}

// note returns the timeline's note of the turn that led to this state.
func (s *State) note() Note {
	n := Note{Phase: s.Phase, Of: len(s.Tasks)}
	for _, t := range s.Tasks {
		if t.Status != "" {
			n.Done++
		}
	}
	if t := s.task(); t != nil && s.Phase == PhaseTask {
		n.Task, n.Item = t.Task.ID, t.Form.Items[s.Item].ID
	}
	return n
}

// begin returns the state of a new check, or [errOver] if the call has ended.
func (p *Persona) begin(ctx context.Context, t *orchestration.Turn, at time.Time) (State, error) {
	who := t.Line.Person
	c, err := p.cfg.Store.Call(ctx, t.Line.Call.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.Live() {
		return State{}, errOver
	}
	if err != nil {
		return State{}, fmt.Errorf("begin cognitive check: %w", err)
	}
	s := State{
		Call: t.Line.Call.ID, Name: who.CallName(), Language: who.Language, Zone: who.Timezone, Born: who.BirthDate, Address: who.Address,
		StartedAt: at, Open: -1, Phase: PhaseOpening, Conversation: conversationOf(t.Line), // the opening was said there
	}
	return s, p.plan(ctx, &s, who.ID, at)
}

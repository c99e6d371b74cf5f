package council

import (
	"context"
	"fmt"
	"strings"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/discussions"
)

// graphName and schema are saved with every state. Raise schema when an older state would be
// misread.
const (
	graphName = "council"
	schema    = 1
)

// state is a round as saved after each message.
type state struct {
	Round Round `json:"round"`
}

// input holds the discussion that a turn of the graph carries on.
type input struct{ s *session }

// compile builds the graph of a round. It pauses before each voice, so that what was said is saved
// before the next one speaks.
func (c *Council) compile() (*graph.Machine[state, input], error) {
	g := graph.New[state, input](graphName, schema)
	g.Entry(node(Initial))
	g.Step(node(Initial), begin)
	g.Step(node(Validating), validate)
	g.Edge(node(Initial), node(Validating))
	last := node(Validating)
	for _, p := range Order {
		g.Wait(node(processing[p]), voice(p))
		g.Edge(last, node(processing[p]))
		last = node(processing[p])
	}
	g.Step(node(Completed), complete)
	g.Edge(last, node(Completed))
	g.Edge(node(Completed), graph.End)
	return g.Compile()
}

// node returns the graph's name for a state.
func node(s State) string { return strings.ToLower(string(s)) }

// begin copies the round from the discussion.
func begin(_ context.Context, st *state, r *graph.Run[input]) error {
	s := r.Input().s
	st.Round = Round{Round: s.shown.round().Round, Question: s.shown.round().Question}
	return nil
}

// validate checks the rounds on which this one builds.
func validate(_ context.Context, st *state, r *graph.Run[input]) error {
	for i, before := range r.Input().s.shown.Rounds[:st.Round.Round-1] {
		if before.Round != i+1 {
			return fmt.Errorf("%w: round %d stands in place %d", ErrOrder, before.Round, i+1)
		}
		if err := ValidateRoundCompleteness(before.said()); err != nil {
			return err
		}
	}
	return nil
}

// voice returns a wait that lets p speak when it is its turn.
func voice(p Persona) graph.Wait[state, input] {
	return func(ctx context.Context, st *state, r *graph.Run[input]) (graph.Signal, error) {
		in, ok := r.Answer(string(p))
		if !ok {
			return graph.Pause(string(p)), nil
		}
		if err := ValidatePersonaOrder(p, st.Round.Messages); err != nil {
			return graph.Signal{}, err
		}
		m, err := in.s.speak(ctx, st.Round, p)
		if err != nil {
			return graph.Signal{}, fmt.Errorf("%s: %w", p, err)
		}
		st.Round.Messages = append(st.Round.Messages, m)
		return graph.Go, ValidateTurnNumbers(st.Round)
	}
}

// complete completes the round, once all of it is valid.
func complete(ctx context.Context, st *state, r *graph.Run[input]) error {
	if err := ValidateRoundCompleteness(st.Round); err != nil {
		return err
	}
	s := r.Input().s
	if s.shown.round().State == Completed { // it was completed before a crash
		return nil
	}
	d := Data{Round: st.Round.Round}
	for _, m := range st.Round.Messages {
		d.Turns = append(d.Turns, m.Turn)
	}
	return s.append(ctx, discussions.Appended{}, discussions.NewEvent{Kind: EventRoundDone, Data: d})
}

// ThreadName returns the prefix of the names of the threads of a discussion's rounds. Without a
// discussion, it returns the prefix of the names of all threads about a person.
func ThreadName(person store.PersonID, discussion string) string {
	return "council:" + person.String() + ":" + discussion
}

// hold runs the remaining turns of the last round.
func (s *session) hold(ctx context.Context) error {
	r := s.shown.round()
	thread := s.c.machine.Thread(s.c.cfg.Checkpoints, fmt.Sprintf("%s:%d", ThreadName(s.d.PersonID, s.d.DiscussionID.String()), r.Round))
	for place := 0; ; place++ { // one turn before the first voice, and one after each
		out, err := thread.Turn(ctx, graph.Call[state, input]{
			Turn: checkpoint.Turn{Conversation: s.d.DiscussionID.String(), Place: place}, Input: input{s},
		})
		if err == nil && out.Done && s.shown.round().State != Completed {
			return discussions.ErrMoved // another process ended the round, and its event was not read here
		}
		if err != nil || out.Done {
			return err
		}
	}
}

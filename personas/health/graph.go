package health

import (
	"context"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store"
)

// graphName and schema are saved with every state. Increment schema and add an upgrade if an older
// state would be misread.
const (
	graphName = "health_check"
	schema    = 1
)

// The nodes.
const (
	nodeOrchestrator = "orchestrator"
	nodeAsk          = "ask_question"
	nodeWait         = "wait_for_answer"
	nodeValidate     = "validate_answer"
	nodeFollowUp     = "check_follow_up"
	nodeAdvance      = "advance"
	nodeFinalize     = "finalize"
)

func (p *Persona) compile() (*graph.Machine[State, input], error) {
	g := graph.New[State, input](graphName, schema)
	g.Entry(nodeOrchestrator)
	g.Step(nodeOrchestrator, p.orchestrate)
	g.Step(nodeAsk, p.ask)
	g.Wait(nodeWait, wait)
	g.Step(nodeValidate, p.validate)
	g.Step(nodeFollowUp, p.followUp)
	g.Step(nodeAdvance, p.advance)
	g.Step(nodeFinalize, p.finalize)
	next := func(s *State) string { return s.Next }
	g.Branch(nodeOrchestrator, next, nodeAsk, nodeFollowUp, nodeFinalize)
	g.Edge(nodeAsk, nodeWait)
	g.Edge(nodeWait, nodeValidate)
	g.Branch(nodeValidate, next, nodeAsk, nodeFollowUp, nodeFinalize)
	g.Edge(nodeFollowUp, nodeAdvance)
	g.Branch(nodeAdvance, next, nodeAsk, nodeFollowUp, nodeFinalize)
	g.Edge(nodeFinalize, graph.End)
	return g.Compile()
}

// wait pauses until the person has spoken. The pause has the question and the phase as its address,
// so that nothing else receives the reply.
func wait(_ context.Context, s *State, r *graph.Run[input]) (graph.Signal, error) {
	at := "/" + string(s.Phase)
	if e := s.current(); e != nil {
		at = e.Question.ID + at
	}
	if _, ok := r.Answer(at); !ok {
		return graph.Pause(at), nil
	}
	return graph.Go, nil
}

// ThreadName returns the name of the thread of a call. conversation is the id of its first
// conversation, which stands for the whole call even if the line was reconnected. If it is empty,
// ThreadName returns the common prefix of all the person's threads.
func ThreadName(person store.PersonID, conversation string) string {
	return "health_check:" + person.String() + ":" + conversation
}

func (p *Persona) thread(person store.PersonID, conversation string) *graph.Thread[State, input] {
	return p.machine.Thread(p.cfg.Checkpoints, ThreadName(person, conversation))
}

package cognitive

import (
	"context"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store"
)

// graphName and schema are saved with every state. Raise schema and add an upgrade when an older
// state would be misread.
const (
	graphName = "cognitive"
	schema    = 1
)

// The nodes.
const (
	nodeHear = "hear"
	nodeWait = "wait_for_reply"
)

// compile builds the graph: it hears and answers what was said, and waits for the next reply, until
// the check has ended.
func (p *Persona) compile() (*graph.Machine[State, input], error) {
	g := graph.New[State, input](graphName, schema)
	g.Entry(nodeHear)
	g.Step(nodeHear, p.hear)
	g.Wait(nodeWait, func(_ context.Context, s *State, r *graph.Run[input]) (graph.Signal, error) {
		if _, ok := r.Answer(s.address()); !ok {
			return graph.Pause(s.address()), nil
		}
		return graph.Go, nil
	})
	g.Branch(nodeHear, func(s *State) string {
		if s.Ended != "" {
			return graph.End
		}
		return nodeWait
	}, nodeWait, graph.End)
	g.Edge(nodeWait, nodeHear)
	return g.Compile()
}

// ThreadName returns the name of a call's thread: the first conversation's id stands for the whole
// call, however often its line was picked up again. Without a conversation, it returns the prefix
// of the names of all the person's threads.
func ThreadName(person store.PersonID, conversation string) string {
	return graphName + ":" + person.String() + ":" + conversation
}

func (p *Persona) thread(person store.PersonID, conversation string) *graph.Thread[State, input] {
	return p.machine.Thread(p.cfg.Checkpoints, ThreadName(person, conversation))
}

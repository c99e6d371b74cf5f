package cognitive

import (
	"context"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store"
)

// graphName and schema are saved with every state. Raise schema and add an upgrade when
// an older state would be misread.
const (
	graphName = "cognitive"
	schema    = 1
)

// The nodes.
const (
	nodeHear = "hear"
	nodeWait = "wait_for_reply"
)

// compile builds the graph: what was said is heard, answered, and the next reply is
// waited for, until the check has ended.
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

// ThreadName names the thread of a call: the first conversation's id stands for the
// whole call, however often its line was picked up again. Without one, it is what the
// names of all the person's threads begin with.
func ThreadName(person store.PersonID, conversation string) string {
	return graphName + ":" + person.String() + ":" + conversation
}

func (p *Persona) thread(person store.PersonID, conversation string) *graph.Thread[State, input] {
	return p.machine.Thread(p.cfg.Checkpoints, ThreadName(person, conversation))
}

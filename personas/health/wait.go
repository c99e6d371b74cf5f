package health

import (
	"context"

	"github.com/naiber/naiber/orchestration/graph"
)

// wait pauses until the person has spoken. The pause is addressed to the question
// and to what was asked about it, so that nothing else takes the reply.
func wait(_ context.Context, s *State, r *graph.Run[heard]) (graph.Signal, error) {
	if _, ok := r.Answer(s.address()); !ok {
		return graph.Pause(s.address()), nil
	}
	return graph.Go, nil
}

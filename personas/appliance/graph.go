package appliance

import (
	"context"
	"slices"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
)

// graphName and schema are saved with every state. Raise schema when an older state would be
// misread.
const (
	graphName = "appliance"
	schema    = 1
)

// The nodes.
const (
	nodeExtract      = "extract"
	nodeCheckGoal    = "check_goal"
	nodeAskGoal      = "ask_goal"
	nodeRequirements = "check_requirements"
	nodeAskInfo      = "ask_info"
	nodeTool         = "execute_tool"
	nodeClose        = "close"
	nodeWait         = "wait_for_message"
)

// input is what a turn brought.
type input struct {
	text, session string
	person        store.PersonID
	language      string
	phone         bool
	dialled       string // the person's telephone number, by which the country is known
	// within is set if the turn belongs to a general call; leave, if it returns to that call.
	within, leave bool
	// quiet is set if danger was told of and answered; the rest of the message is only stored.
	quiet bool
	// cut is set if the person spoke before the last words were heard.
	cut     bool
	history []llm.Message
}

type run = graph.Run[input]

// compile builds the graph:
//
//	extract ─▶ check_goal ─┬─▶ ask_goal ──────────────────────────────┐
//	   │                   └─▶ check_requirements ─┬─▶ ask_info ──────┤
//	   │                                           └─▶ execute_tool ──┤
//	   ├─▶ close ──▶ end ─────────────────────────────────────────────┤
//	   └───────────────────────────────────────────▶ wait_for_message ┘ ─▶ extract
func (p *Persona) compile() (*graph.Machine[State, input], error) {
	g := graph.New[State, input](graphName, schema)
	g.Entry(nodeExtract)
	g.Step(nodeExtract, p.extract)
	g.Step(nodeCheckGoal, checkGoal)
	g.Step(nodeAskGoal, p.askGoal)
	g.Step(nodeRequirements, func(context.Context, *State, *run) error { return nil })
	g.Step(nodeAskInfo, p.askInfo)
	g.Step(nodeTool, p.executeTool)
	g.Step(nodeClose, p.close)
	g.Wait(nodeWait, func(_ context.Context, _ *State, r *run) (graph.Signal, error) {
		if _, ok := r.Answer(""); !ok {
			return graph.Pause(""), nil
		}
		return graph.Go, nil
	})
	g.Branch(nodeExtract, func(s *State) string { return s.next }, nodeCheckGoal, nodeClose, nodeWait)
	g.Branch(nodeCheckGoal, func(s *State) string {
		if s.GoalType == "" && !s.asks() {
			return nodeAskGoal
		}
		return nodeRequirements
	}, nodeAskGoal, nodeRequirements)
	g.Branch(nodeRequirements, func(s *State) string {
		if s.asks() || len(s.missing(s.GoalType)) > 0 {
			return nodeAskInfo
		}
		return nodeTool
	}, nodeAskInfo, nodeTool)
	g.Branch(nodeClose, func(s *State) string {
		if s.Ending != "" {
			return graph.End
		}
		return nodeWait
	}, nodeWait, graph.End)
	for _, n := range []string{nodeAskGoal, nodeAskInfo, nodeTool} {
		g.Edge(n, nodeWait)
	}
	g.Edge(nodeWait, nodeExtract)
	return g.Compile()
}

// asks reports whether a question must be asked before any goal goes on.
func (s *State) asks() bool { return s.Asked != nil || s.unknown != nil || s.trouble }

// checkGoal takes the next goal from the queue if none is set.
func checkGoal(_ context.Context, s *State, _ *run) error {
	if s.GoalType == "" && len(s.Queue) > 0 {
		s.GoalType, s.Queue = s.Queue[0], s.Queue[1:]
	}
	return nil
}

// want sets a goal, or adds it to the queue if another one is set.
func (s *State) want(g Goal) {
	switch {
	case s.GoalType == "":
		s.GoalType = g
	case s.GoalType != g && !slices.Contains(s.Queue, g):
		s.Queue = append(s.Queue, g)
	}
}

// requirements holds what each goal needs, in the order in which it is asked for.
var requirements = map[Goal][]string{
	Install:  {"model", "part"},
	Check:    {"model", "part"},
	Diagnose: {"model", "symptoms"},
	Mail:     {"email"},
}

// missing returns what a goal still lacks.
func (s *State) missing(g Goal) []string {
	has := map[string]bool{"model": s.ProductModel != "", "part": s.PartNumber != "", "symptoms": len(s.Symptoms) > 0, "email": s.EmailAddress != ""}
	return slices.DeleteFunc(slices.Clone(requirements[g]), func(f string) bool { return has[f] })
}

// ThreadName returns the name of a session's thread. Without a session, it returns the prefix of
// the names of all the person's threads.
func ThreadName(person store.PersonID, session string) string {
	return graphName + ":" + person.String() + ":" + session
}

func (p *Persona) thread(person store.PersonID, session string) *graph.Thread[State, input] {
	return p.machine.Thread(p.cfg.Checkpoints, ThreadName(person, session))
}

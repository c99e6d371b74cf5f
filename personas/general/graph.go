package general

import (
	"context"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store/calls"
)

// The nodes of a turn.
const (
	nodeClassify = "classify_intent"
	nodeTopic    = "manage_topic_state"
	nodeSkip     = "skip_rag"
	nodeGenerate = "generate_response"
	nodeAskAll   = "ask_forget"
	nodeForget   = "forget"
	nodeFarewell = "farewell"
)

// state is shared by the nodes of one turn. The companion has no pauses, so none of it is kept from
// turn to turn.
type state struct {
	Intent   Intent
	Next     string   // the node that the intent leads to
	Memories []string // what the model may use, best first
}

// input is what a turn brings: the turn itself, and where the answer goes.
type input struct {
	turn   *orchestration.Turn
	speech *orchestration.Speech
}

// run is a node's view of the turn.
type run = graph.Run[input]

// build returns the companion's graph:
//
//	classify_intent ─┬─▶ manage_topic_state ─┬─▶ generate_response ─▶ end
//	                 ├─▶ skip_rag ───────────┘
//	                 └─▶ ask_forget, forget, farewell ──▶ end
func (p *Persona) build() (*graph.Machine[state, input], error) {
	g := graph.New[state, input]("general", 1)
	g.Step(nodeClassify, p.classifyIntent)
	g.Step(nodeTopic, p.manageTopic)
	g.Step(nodeSkip, p.skipRecall)
	g.Step(nodeGenerate, p.respond)
	g.Step(nodeAskAll, p.askForget)
	g.Step(nodeForget, func(_ context.Context, _ *state, r *run) error {
		return r.Input().speech.SayFixed(textsFor(r.Input().turn).WillForget)
	})
	g.Step(nodeFarewell, func(ctx context.Context, _ *state, r *run) error {
		return p.farewell(ctx, r.Input().turn, r.Input().speech)
	})
	g.Entry(nodeClassify)
	g.Branch(nodeClassify, func(s *state) string { return s.Next }, nodeTopic, nodeSkip, nodeAskAll, nodeForget, nodeFarewell)
	g.Edge(nodeTopic, nodeGenerate)
	g.Edge(nodeSkip, nodeGenerate)
	for _, last := range []string{nodeGenerate, nodeAskAll, nodeForget, nodeFarewell} {
		g.Edge(last, graph.End)
	}
	return g.Compile()
}

// classifyIntent determines the turn's intent by rules, and the next node.
func (p *Persona) classifyIntent(_ context.Context, s *state, r *run) error {
	t := r.Input().turn
	s.Intent = intentOf(t)
	r.Input().speech.Note("intent", string(s.Intent))
	switch {
	case confirmsForgetting(t, s.Intent):
		s.Next = nodeForget
	case asksToForgetAll(t, s.Intent):
		s.Next = nodeAskAll
	case s.Intent == IntentGoodbye:
		s.Next = nodeFarewell
	case s.Intent.Substantive() && p.cfg.Recall.Knows(t):
		s.Next = nodeTopic
	default:
		s.Next = nodeSkip
	}
	return nil
}

// manageTopic recalls what fits the person's words, if they are about something new; what was found
// for a topic is used as long as the topic lasts.
func (p *Persona) manageTopic(ctx context.Context, s *state, r *run) error {
	s.Memories = p.cfg.Recall.Fitting(ctx, r.Input().turn, r.Input().speech)
	return nil
}

// skipRecall uses what was recalled before, for words that need no search.
func (p *Persona) skipRecall(_ context.Context, s *state, r *run) error {
	if t := r.Input().turn; p.cfg.Recall.Knows(t) {
		s.Memories = p.cfg.Recall.Before(t.Line.Call.ID)
	}
	return nil
}

// respond streams the model's answer.
func (p *Persona) respond(ctx context.Context, s *state, r *run) error {
	t := r.Input().turn
	return p.generate(ctx, t, r.Input().speech, s.Memories, keypadHint(t))
}

// intentOf returns the intent of a turn.
func intentOf(t *orchestration.Turn) Intent {
	if t.Kind == calls.TurnKeypad {
		return IntentKeypad
	}
	return classify(t.Heard)
}

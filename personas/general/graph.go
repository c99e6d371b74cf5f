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

// state is what the nodes of one turn tell each other. The companion has no pauses,
// so nothing of it is kept from turn to turn.
type state struct {
	Intent   Intent
	Next     string   // the node that the intent leads to
	Memories []string // what the model may use, best first
}

// input is what a turn brings: who spoke, and where the answer goes.
type input struct {
	turn   *orchestration.Turn
	speech *orchestration.Speech
}

// run is a node's view of the turn.
type run = graph.Run[input]

// build makes the companion's graph:
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

// classifyIntent tells by rules what the words are for, and which way they lead.
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

// manageTopic looks for what fits the person's words, where they are about
// something new; what was found for the topic serves as long as it lasts.
func (p *Persona) manageTopic(ctx context.Context, s *state, r *run) error {
	s.Memories = p.cfg.Recall.Fitting(ctx, r.Input().turn, r.Input().speech)
	return nil
}

// skipRecall is for words that say nothing: what was found before still helps.
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

// intentOf tells what a turn is for.
func intentOf(t *orchestration.Turn) Intent {
	if t.Kind == calls.TurnKeypad {
		return IntentKeypad
	}
	return classify(t.Heard)
}

package health

import (
	"context"
	"strings"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/words"
)

// ask says what the phase calls for. The words are made before the state is
// saved, for they are part of what a repeated turn hears again.
func (p *Persona) ask(ctx context.Context, s *State, r *graph.Run[heard]) error {
	in := r.Input()
	text := p.wording(ctx, s, &in)
	if !s.Prompt.Quiet {
		s.Conversation, s.Spoken = in.conversation, text
	}
	return r.Say(text)
}

func (p *Persona) wording(ctx context.Context, s *State, in *heard) string {
	lead := s.Prompt.Text
	if s.Prompt.Lead != "" {
		lead = s.say(s.Prompt.Lead)
	}
	e := s.current()
	if s.Prompt.Quiet || e == nil {
		return lead
	}
	switch s.Phase {
	case PhaseAsking:
		return p.question(ctx, s, e, in)
	case PhaseKeypad:
		e.Asked++
		return join(lead, e.Question.Keypad)
	case PhaseReadingBack:
		if len(s.Pending) == 0 {
			return lead
		}
		pd := &s.Pending[0]
		pd.Times++
		return join(lead, s.readBack(e, pd.Answer.Value))
	case PhaseOpening, PhaseDistress, PhaseConfirmExit, PhaseConfirmPerson, PhaseClosing:
	}
	return lead
}

// question puts the open question: an instrument's in its own words, others as a
// model words them in time.
func (p *Persona) question(ctx context.Context, s *State, e *Entry, in *heard) string {
	e.Asked++
	if p.cfg.Model != nil && !e.Question.Verbatim {
		var cancel context.CancelFunc
		ctx, cancel = in.while(ctx)
		defer cancel()
	}
	line := p.words.Question(ctx, words.Ask{
		Question: e.Question, Attempt: e.Wording, Lead: s.Prompt.Lead, N: s.Turns, Heard: in.words,
		Private: s.Private, Name: s.Name, Language: s.Language, History: in.history,
	})
	if line.Model != "" {
		in.report.model = line.Model
	}
	if p.cfg.Model != nil {
		in.report.lesser(line.Degraded)
	}
	return line.Text
}

// readBack reads an answer back: in the pack's words, or plainly where the pack
// has none for this answer.
func (s *State) readBack(e *Entry, v packs.Value) string {
	if text := e.Question.ReadBack(v); text != "" {
		return text
	}
	text := words.Say(words.ReadBack, s.Turns, words.Fill{Name: s.Name, Value: e.said(v), Language: s.Language})
	if v.Type == packs.TypeBoolean && e.FollowUpOf == "" {
		return e.Question.Short + ". " + text // a bare "no" would not say to what
	}
	return text
}

// say is a fixed sentence, another one each time.
func (s *State) say(what words.Situation) string {
	return words.Say(what, s.Turns, words.Fill{Name: s.Name, Language: s.Language})
}

// keyable reports whether keys can be offered for a question.
func keyable(q *packs.Question) bool {
	return q.Keypad != "" && (q.Type == packs.TypeScale || q.Type == packs.TypeBoolean)
}

func join(parts ...string) string {
	return strings.TrimSpace(strings.Join(parts, " "))
}

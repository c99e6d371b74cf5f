package health

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/words"
)

// ask says what the phase requires. The words are generated before the state is saved, as a
// repeated turn must say the same.
func (p *Persona) ask(ctx context.Context, s *State, r *graph.Run[input]) error {
	in := r.Input()
	text := p.wording(ctx, s, &in)
	in.report.fixed = in.report.model == ""
	if !s.Prompt.Quiet {
		s.Conversation, s.Spoken = in.conversation, text
	}
	return r.Say(text)
}

func (p *Persona) wording(ctx context.Context, s *State, in *input) string {
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
		return words.Join(p.question(ctx, s, e, in), e.Question.Keypad)
	case PhaseReadingBack:
		pd := &s.Pending[0]
		pd.Times++
		e.Read++
		text := s.readBack(e, pd)
		if pd.Times%2 == 0 { // never the same words twice in a row
			text = words.Again(text, s.Language)
		}
		return words.Join(lead, text)
	default:
		return lead
	}
}

// question returns the words that put the open question: an instrument's own, or otherwise a
// model's if they arrive in time.
func (p *Persona) question(ctx context.Context, s *State, e *Entry, in *input) string {
	s.vary(e)
	e.Asked++
	e.AskedAt = in.at
	if p.cfg.Model != nil && !e.Question.Verbatim {
		var cancel context.CancelFunc
		ctx, cancel = in.untilAbandoned(ctx)
		defer cancel()
	}
	lead, about := s.leadTo(e)
	line := p.words.Question(ctx, words.Ask{
		Question: s.whole(e.Question), Attempt: e.Wording, Lead: lead, About: about, N: s.Turns, Heard: in.words,
		Private: s.Private, Name: s.Name, Language: s.Language, History: in.history, Recall: in.recall,
	})
	if line.Model != "" {
		in.report.model = line.Model
	}
	if p.cfg.Model != nil {
		in.report.degrade(line.Degraded)
	}
	return line.Text
}

// leadTo returns what leads to a question. The first follow-up to an answer from an earlier call
// must name its subject.
func (s *State) leadTo(e *Entry) (lead words.Situation, about string) {
	lead = s.Prompt.Lead
	of := s.entry(e.FollowUpOf)
	if of == nil || of.Answer == nil || !of.Answer.Carried || e.Asked > 1 {
		return lead, ""
	}
	if slices.ContainsFunc(s.Entries, func(o Entry) bool {
		return o.FollowUpOf == e.FollowUpOf && o.Question.ID != e.Question.ID && o.Asked > 0
	}) {
		return lead, ""
	}
	about = strings.ToLower(of.Question.Short)
	if lead == words.Resumed {
		return words.ResumedAt, about
	}
	return words.Back, about
}

// vary selects another wording for a question that was heard before. A person who asks to hear it
// again gets the same wording, once.
func (s *State) vary(e *Entry) {
	same := s.Prompt.Lead == words.Repeat && !e.Same
	if e.Asked > 0 && e.Wording == e.Put && !same && !s.Prompt.Unheard {
		e.Wording++
	}
	e.Same, e.Put = same, e.Wording
}

// readBack returns the words that read an answer back: the pack's, or a plain sentence if the pack
// has none for this answer. If words stood for a number, they are quoted.
func (s *State) readBack(e *Entry, pd *Pending) string {
	v := pd.Answer.Value
	if pd.Verbal {
		return words.Say(words.ReadBackWords, s.Turns, words.Fill{
			Value: v.String(), Quote: strings.ToLower(pd.Answer.Quote), About: strings.ToLower(e.Question.Short), Of: strconv.Itoa(e.Question.Max), Language: s.Language,
		})
	}
	if text := e.Question.ReadBack(v); text != "" {
		return text
	}
	value := words.Spoken(e.said(v), s.Language)
	if (v.Type == packs.TypeBoolean || e.Answer != nil) && e.FollowUpOf == "" {
		value = words.About(value, strings.ToLower(e.Question.Short), s.Language) // a bare "no", or a new value, would not say to what
	}
	return words.Say(words.ReadBack, s.Turns, words.Fill{Name: s.Name, Value: value, Language: s.Language})
}

// say returns a fixed sentence for the situation, which varies with the turn.
func (s *State) say(what words.Situation) string {
	return words.Say(what, s.Turns, words.Fill{Name: s.Name, Language: s.Language})
}

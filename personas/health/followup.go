package health

import (
	"context"
	"slices"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// followUp adds the questions that new answers call for, and removes those that a correction or a
// refusal has made pointless.
func (p *Persona) followUp(_ context.Context, s *State, r *graph.Run[input]) error {
	open := ""
	if e := s.current(); e != nil {
		open = e.Question.ID
	}
	var answered []string
	for e := range s.all() {
		if e.Fresh {
			answered = append(answered, e.Question.ID)
			e.Fresh = false
		}
	}
	in := r.Input()
	for _, id := range answered {
		s.followUpTo(id)
		p.continueScreen(s, id, &in)
	}
	s.Open = s.index(open)
	return nil
}

// followUpTo inserts the follow-ups to an answer after its question, and drops those that no longer
// apply.
func (s *State) followUpTo(id string) {
	e := s.entry(id)
	var wanted []packs.Question
	if e.Answer.given() && e.FollowUpOf == "" {
		wanted = e.Question.FollowUp(e.Answer.Value)
	}
	for f := range s.all() {
		if f.FollowUpOf == id {
			f.Dropped = !slices.ContainsFunc(wanted, func(q packs.Question) bool { return q.ID == f.Question.ID })
		}
	}
	s.Entries = slices.DeleteFunc(s.Entries, func(f Entry) bool { // a follow-up that was asked keeps its counts
		return f.FollowUpOf == id && f.Dropped && f.Answer == nil && f.Asked == 0
	})
	at := s.index(id) + 1
	for _, q := range wanted {
		if i := s.index(q.ID); i >= 0 {
			at = i + 1
			continue
		}
		s.insert(at, Entry{Question: q, FollowUpOf: id})
		s.Following = id
		at++
	}
}

// continueScreen updates the instrument that an answer belongs to. If an item was refused, the
// others are dropped; if the total calls for the longer form, its items are added. Totals are
// computed here, never by a model.
func (p *Persona) continueScreen(s *State, id string, in *input) {
	e := s.entry(id)
	if !e.Question.Screen {
		return
	}
	pack, left, last := e.Question.Pack, 0, 0
	declined := e.Answer != nil && e.Answer.Status == string(reader.Refused)
	for i := range s.Entries {
		o := &s.Entries[i]
		if o.Question.Pack != pack {
			continue
		}
		last = i
		if o.open() && declined {
			o.Dropped = true // the person is not pressed: without this item there is no total
		}
		if o.open() {
			left++
		}
	}
	if left > 0 || declined {
		return
	}
	k, ok := p.cfg.Packs.Pack(pack, s.Language)
	if !ok {
		return
	}
	score := packs.Score(k, s.values())
	if score.Next == "" {
		return
	}
	for _, q := range p.cfg.Packs.Continue(score.Next, s.Language, s.values(), in.at.In(s.location())) {
		if s.index(q.ID) < 0 {
			last++
			s.insert(last, Entry{Question: q})
		}
	}
}

// advance chooses what comes next: an answer to be read back, a question, or the end. In any case a
// question is not asked more often than its attempts allow: one that is still open after them is
// settled as it is, and its follow-ups are handled next.
func (p *Persona) advance(_ context.Context, s *State, r *graph.Run[input]) error {
	in := r.Input()
	t := &reply{p: p, s: s, in: &in}
	s.Pending = slices.DeleteFunc(s.Pending, func(pd Pending) bool { return s.index(pd.ID) < 0 })
	s.Again, s.Prompt.Quiet = 0, false
	if len(s.Pending) > 0 {
		pd := s.Pending[0]
		s.Open, s.Phase, s.Next = s.index(pd.ID), PhaseReadingBack, nodeAsk
		if s.current().Read >= maxRead {
			s.Next = nodeFollowUp
			t.stands(pd)
		}
		return nil
	}
	i := s.next()
	if i < 0 {
		s.Next = nodeFinalize
		return nil
	}
	s.Open, s.Phase, s.Next = i, PhaseAsking, nodeAsk
	e := s.current()
	switch {
	case e.tries() < p.cfg.MaxRetry:
	case e.Question.Keypad != "" && e.tries() == p.cfg.MaxRetry:
		s.Phase = PhaseKeypad
		if !e.Keyed {
			e.Keyed, s.Prompt = true, Prompt{Lead: words.KeypadOffer}
		}
	default:
		s.Prompt, s.Next = Prompt{Lead: words.Skip}, nodeFollowUp
		if t.giveUp(e); e.Answer.given() {
			s.Prompt.Lead = words.Thanks
		}
	}
	return nil
}

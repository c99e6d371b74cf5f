package health

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/people"
)

// session is what is stored of a check besides its answers, so that it can be continued after its
// thread was deleted. It is a part of [State], in the same format and with the same migrations.
type session struct {
	Schema   int                 `json:"schema"`
	Language string              `json:"language,omitempty"`
	Entries  []Entry             `json:"entries"` // without answers, which are stored in tables
	Leads    map[string][]string `json:"leads,omitempty"`
}

// Open reports whether the person has a health check that was broken off within the resume window.
// An incoming call is then about that check.
func (p *Persona) Open(ctx context.Context, person people.Person) (bool, error) {
	now := time.Now()
	was := p.healthPast(ctx, person.ID, store.NewCallID(), now)
	if was.BrokenErr != nil {
		return false, was.BrokenErr
	}
	s, err := p.brokenOff(ctx, person.ID, &was, now)
	return s != nil, err
}

// brokenOff returns the check that a new call continues, or nil. It first looks at the thread of
// the last call, whose check may not have been written yet.
func (p *Persona) brokenOff(ctx context.Context, who store.PersonID, was *checks.Past, now time.Time) (*State, error) {
	if p.cfg.ResumeWindow < 0 {
		return nil, nil //nolint:nilnil // nil is "there is none"
	}
	last := was.Last
	if last.ID != (store.CallID{}) {
		out, found, err := p.thread(who, last.ConversationID).Peek(ctx)
		switch {
		case errors.Is(err, graph.ErrSchema), errors.Is(err, checkpoint.ErrCorrupt): // the tables may still be readable
		case err != nil:
			return nil, err
		case found && out.State.resumable():
			out.State.Call = last.ID
			return &out.State, nil
		case found && (out.State.Ended == EndedDone || out.State.Ended == EndedStopped || out.State.Ended == EndedLater):
			return nil, nil //nolint:nilnil // nil is "there is none"
		}
	}
	if !was.Unfinished && last.ID == (store.CallID{}) { // the last call's check may have been written since
		return nil, nil //nolint:nilnil // nil is "there is none"
	}
	hc, ok, err := p.cfg.Store.UnfinishedHealthCheck(ctx, who, now.Add(-p.cfg.ResumeWindow))
	if err != nil || !ok {
		return nil, err
	}
	s, err := restore(p.machine, hc)
	if err != nil || !s.resumable() {
		return nil, err
	}
	return s, nil
}

// resumable reports whether a later call may continue the check.
func (s *State) resumable() bool {
	return (s.Ended == "" || s.Ended == EndedWrongPerson || s.Ended == EndedLater) && s.begun() && (s.next() >= 0 || len(s.Pending) > 0)
}

// restore returns the state of a check from its stored form.
func restore(m *graph.Machine[State, input], hc checks.Check) (*State, error) {
	var form struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(hc.Questions, &form); err != nil {
		return nil, fmt.Errorf("questions of call %s: %w", hc.CallID, err)
	}
	kept, err := m.Read(form.Schema, hc.Questions)
	if err != nil {
		return nil, fmt.Errorf("questions of call %s: %w", hc.CallID, err)
	}
	s := &State{Call: hc.CallID, Language: kept.Language, Entries: kept.Entries, Leads: kept.Leads, StartedAt: hc.StartedAt, Open: -1}
	for _, a := range hc.Answers {
		e := s.entry(a.QuestionID)
		if e == nil || a.Status == statusNotReached {
			continue
		}
		v, err := decode(a.Type, a.Value, a.Unit)
		if err != nil {
			return nil, fmt.Errorf("answer to %s in call %s: %w", a.QuestionID, hc.CallID, err)
		}
		if a.Status == statusUnclear && a.Source == "" {
			continue // it was open when the call ended
		}
		e.Answer = &Answer{Status: a.Status, Value: v, Confidence: a.Confidence, Quote: a.Quote, Source: a.Source, At: a.At, Asked: a.Attempts}
		for _, r := range a.Earlier {
			v, err := decode(a.Type, r.Value, r.Unit)
			if err != nil {
				return nil, fmt.Errorf("earlier answer to %s in call %s: %w", a.QuestionID, hc.CallID, err)
			}
			e.Earlier = append(e.Earlier, Answer{Status: r.Status, Value: v, Confidence: r.Confidence, Quote: r.Quote, At: r.At})
		}
	}
	return s, nil
}

// goOnWith takes over the questions and answers of a check that was broken off. The counts of the
// open question start again.
func (s *State) goOnWith(old *State) {
	s.Resumes = old.Call
	old.keepPieces()
	s.Entries, s.Leads = old.Entries, old.Leads
	if old.Language != "" {
		s.Language = old.Language // the language of its questions
	}
	for e := range s.all() {
		if e.Answer != nil {
			e.Answer.Carried, e.Answer.Asked = true, max(e.Asked, e.Answer.Asked)
		}
		*e = Entry{
			Question: e.Question, FollowUpOf: e.FollowUpOf, Yesterday: e.Yesterday, Reopened: e.Reopened, Dropped: e.Dropped,
			Answer: e.Answer, Earlier: e.Earlier, Fresh: e.Fresh,
		}
	}
	for _, pd := range old.Pending {
		pd.Times, pd.Reach = 0, Reach{}
		s.Pending = append(s.Pending, pd)
	}
}

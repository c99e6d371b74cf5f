package health

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checks"
)

// Statuses in addition to those of package reader.
const (
	statusUnclear    = string(reader.Unclear)
	statusNotReached = "not_reached"
)

// eventKind is the kind of the event that a written check adds to its call's timeline.
const eventKind = "health_check"

// finalize says goodbye. The caller that speaks the words ends the call, so that repeating the last
// turn ends it too.
func (p *Persona) finalize(_ context.Context, s *State, r *graph.Run[input]) error {
	s.Ended = cmp.Or(s.Ended, EndedDone)
	s.Phase = PhaseClosing
	r.Input().report.fixed = r.Input().report.model == ""
	return r.Say(s.say(s.closing()))
}

func (s *State) closing() words.Situation {
	switch s.Ended {
	case EndedWrongPerson:
		return words.ClosingWrongPerson
	case EndedLater:
		return words.ClosingLater
	case EndedStopped:
		if !slices.ContainsFunc(s.Entries, func(e Entry) bool { return e.Answer != nil }) {
			return words.ClosingLater
		}
		return words.ClosingStopped
	default:
		return words.ClosingDone
	}
}

// endReason returns the reason why the call ends, for its record.
func (s *State) endReason() string { return "health_check_" + string(cmp.Or(s.Ended, EndedDone)) }

// peek reads the thread of a call. found is false if there is none.
func (p *Persona) peek(ctx context.Context, c calls.Call) (out graph.Outcome[State], found bool, err error) {
	if !c.PersonID.Known() || c.ConversationID == "" {
		return out, false, nil
	}
	return p.thread(c.PersonID, c.ConversationID).Peek(ctx)
}

// Running returns the check of a call in progress as it stands, without changing it. It returns
// false before the first question.
func (p *Persona) Running(ctx context.Context, c calls.Call) (checks.Check, bool, error) {
	out, found, err := p.peek(ctx, c)
	if err != nil || !found || !out.State.begun() {
		return checks.Check{}, false, err
	}
	hc, err := p.check(c, &out.State)
	if err != nil {
		return checks.Check{}, false, fmt.Errorf("health check under way in call %s: %w", c.ID, err)
	}
	return hc, true, nil
}

// Finish writes the check of a call to the tables, in one transaction, and then deletes the thread:
// if the process crashes in between, Finish can be repeated. If the call has no thread, there is
// nothing to write. Values are the purpose of the call and are kept; the store omits the words if
// the call must not be recorded.
func (p *Persona) Finish(ctx context.Context, c calls.Call) error {
	p.cfg.Recall.Forget(c.ID)
	out, found, err := p.peek(ctx, c)
	if s := &out.State; err == nil && found {
		s.settle()
		if s.begun() || s.Ended == EndedLater || s.Ended == EndedStopped {
			err = p.write(ctx, c, s)
		}
		if err == nil {
			err = p.cfg.Checkpoints.Delete(ctx, ThreadName(c.PersonID, c.ConversationID))
		}
	}
	if err != nil {
		return fmt.Errorf("finish health check of call %s: %w", c.ID, err)
	}
	return nil
}

// settle records the answers that were clear but, when the call ended, still had to be confirmed or
// finished. It drops guesses.
func (s *State) settle() {
	for _, pd := range s.Pending {
		if e := s.entry(pd.ID); e != nil && !pd.Guess {
			e.set(pd.Answer)
		}
	}
	s.Pending = nil
	s.keepPieces()
}

func (p *Persona) write(ctx context.Context, c calls.Call, s *State) error {
	hc, err := p.check(c, s)
	if err != nil {
		return err
	}
	if err := p.cfg.Store.SaveHealthCheck(ctx, hc); err != nil {
		return err
	}
	answered, of := s.progress()
	told := map[string]any{"status": hc.Status, "answered": answered, "of": of}
	if s.resumed() {
		told["resumes"] = s.Resumes.String()
	}
	data, err := json.Marshal(told)
	if err != nil {
		return err
	}
	fresh, err := p.cfg.Store.AddEvent(ctx, c.ID, eventKind, data, eventKind)
	if err != nil {
		return err
	}
	if fresh {
		p.metrics.checks.WithLabelValues(string(hc.Status)).Inc()
		p.log.LogAttrs(ctx, slog.LevelInfo, "health check written", slog.String("call_id", c.ID.String()),
			slog.String("status", string(hc.Status)), slog.Int("answered", answered), slog.Int("of", of))
	}
	return nil
}

// status returns how far the check has come.
func (s *State) status() checks.Status {
	switch {
	case s.Ended == EndedStopped, s.Ended == EndedLater && !s.begun():
		return checks.Stopped
	case s.Ended == EndedDone, s.next() < 0:
		return checks.Completed
	}
	return checks.InProgress
}

// check returns the record of a call's check.
func (p *Persona) check(c calls.Call, s *State) (checks.Check, error) {
	hc := checks.Check{
		CallID: c.ID, PersonID: c.PersonID, Status: s.status(), StartedAt: s.StartedAt, Resumes: s.Resumes, Scores: p.scores(s),
	}
	if c.EndedAt != nil {
		hc.EndedAt = *c.EndedAt
	}
	kept := session{Schema: schema, Language: s.Language, Leads: s.Leads}
	for i := range s.Entries {
		e := s.Entries[i]
		if !e.withdrawn() {
			hc.Answers = append(hc.Answers, e.written())
		}
		e.Answer, e.Earlier = nil, nil // stored as answers, where they may be left out
		kept.Entries = append(kept.Entries, e)
	}
	var err error
	hc.Questions, err = json.Marshal(kept)
	return hc, err
}

// written returns the record of a question and its answer.
func (e *Entry) written() checks.Answer {
	q := &e.Question
	w := checks.Answer{
		QuestionID: q.ID, FollowUpOf: e.FollowUpOf, Question: q.Text, Short: q.Short, Pack: q.Pack, PackVersion: q.Version,
		Screen: q.Screen, Type: string(q.Type), Status: statusNotReached, Attempts: e.Asked,
	}
	for _, a := range e.Earlier {
		w.Earlier = append(w.Earlier, checks.Reading{
			Status: a.Status, Value: encode(a.Value), Unit: a.Value.Unit, Quote: a.Quote, Confidence: a.Confidence, At: a.At,
		})
	}
	a := e.Answer
	if a == nil {
		if e.Failed > 0 || e.Guessed { // it was asked, but no answer could be read
			w.Status, w.At = statusUnclear, e.AskedAt
		}
		return w
	}
	w.Status, w.Quote, w.Confidence, w.Source, w.At, w.Carried = a.Status, a.Quote, a.Confidence, a.Source, a.At, a.Carried
	if a.Carried {
		w.Attempts = a.Asked
	}
	if a.given() {
		w.Value, w.Unit = encode(a.Value), a.Value.Unit
		if n, ok := q.Ordinal(a.Value); ok {
			w.Ordinal = &n
		}
	}
	return w
}

// scores returns the scores of the instruments that the check reached.
func (p *Persona) scores(s *State) []checks.Score {
	values := s.values()
	var list []checks.Score
	seen := map[string]bool{}
	for e := range s.all() {
		if !e.Question.Screen || seen[e.Question.Pack] || e.Asked == 0 && e.Answer == nil {
			continue
		}
		seen[e.Question.Pack] = true
		k, ok := p.cfg.Packs.Pack(e.Question.Pack, s.Language)
		if !ok || k.Scoring == nil {
			continue
		}
		list = append(list, packs.Score(k, values).Score)
	}
	return list
}

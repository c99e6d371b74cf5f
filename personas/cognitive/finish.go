package cognitive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/cognitive/score"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
)

// eventKind is the kind of the event that a stored check adds to its call's timeline.
const eventKind = "cognitive_check"

// deductions are subtracted from the confidence in a task's score, which is 1 if nothing disturbed
// it. The figures are our judgement of how much each may have cost. A confounder within a task
// counts for that task, an earlier one outside tasks for all that follow.
var deductions = map[string]float64{
	"hearing": 0.2, "noise": 0.15, "illness": 0.2, "sleep": 0.1, "mood": 0.15, "medicine": 0.15, "company": 0.2, "interrupted": 0.15,
}

const (
	// unclearDeduction is subtracted for each item that had to be asked again, stayed unclear, or
	// was met with silence.
	unclearDeduction = 0.05
	// leastConfidence is the least confidence in a score.
	leastConfidence = 0.1
)

// endReason returns why the call ends, for its record.
func (s *State) endReason() string { return "cognitive_" + string(cmp.Or(s.Ended, EndedDone)) }

// peek reads the thread of a call, if it has one.
func (p *Persona) peek(ctx context.Context, c calls.Call) (out graph.Outcome[State], found bool, err error) {
	if !c.PersonID.Known() || c.ConversationID == "" {
		return out, false, nil
	}
	return p.thread(c.PersonID, c.ConversationID).Peek(ctx)
}

// Finish stores the result of a call's check in one transaction, and deletes the thread last: after
// a crash in between it does the same again. If nothing was asked and nothing was declined, it
// stores nothing.
func (p *Persona) Finish(ctx context.Context, c calls.Call) error {
	out, found, err := p.peek(ctx, c)
	if err == nil && found {
		// A person who was asked for another time and hung up, or said nothing, cannot do it now
		// either.
		s := &out.State
		if s.begun() || s.Ended == EndedPostponed || s.Ended == EndedDeclined || s.Phase == PhaseOffer || s.Phase == PhaseWhen {
			err = p.write(ctx, c, s)
		}
		if err == nil {
			err = p.cfg.Checkpoints.Delete(ctx, ThreadName(c.PersonID, c.ConversationID))
		}
	}
	if err != nil {
		return fmt.Errorf("finish cognitive check of call %s: %w", c.ID, err)
	}
	return nil
}

func (p *Persona) write(ctx context.Context, c calls.Call, s *State) error {
	scopes, err := p.cfg.Store.ConsentScopes(ctx, c.PersonID)
	if err != nil {
		return err
	}
	if !scopes[people.ScopeCognitive] { // consent was withdrawn meanwhile: nothing of the check is kept
		p.log.LogAttrs(ctx, slog.LevelInfo, "cognitive check not written without consent", slog.String("call_id", c.ID.String()))
		return nil
	}
	check := s.check(c)
	if err := p.cfg.Store.SaveCognitiveCheck(ctx, check); err != nil {
		return err
	}
	done := 0
	for _, t := range check.Tasks {
		if t.Status == cognition.TaskComplete {
			done++
		}
	}
	data, err := json.Marshal(map[string]any{"status": check.Status, "done": done, "of": len(check.Tasks)})
	if err != nil {
		return err
	}
	fresh, err := p.cfg.Store.AddEvent(ctx, c.ID, eventKind, data, eventKind)
	if err != nil || !fresh {
		return err
	}
	p.metrics.checks.WithLabelValues(string(check.Status)).Inc()
	for _, t := range check.Tasks {
		p.metrics.tasks.WithLabelValues(t.TaskID, string(t.Status)).Inc()
	}
	p.log.LogAttrs(ctx, slog.LevelInfo, "cognitive check written", slog.String("call_id", c.ID.String()),
		slog.String("status", string(check.Status)), slog.Int("done", done), slog.Int("of", len(check.Tasks)))
	return nil
}

// check returns what is stored about a call.
func (s *State) check(c calls.Call) cognition.Check {
	k := cognition.Check{
		CallID: c.ID, PersonID: c.PersonID, Language: s.Language, Status: cognition.Complete, StartedAt: s.StartedAt,
	}
	if c.EndedAt != nil {
		k.EndedAt = *c.EndedAt
	}
	var forms []string
	for i := range s.Tasks {
		t := s.written(&s.Tasks[i])
		if t.Status != cognition.TaskComplete {
			k.Status = cognition.Partial
		}
		k.Tasks = append(k.Tasks, t)
		forms = append(forms, t.TaskID+" "+t.Form)
	}
	k.Form = strings.Join(forms, ", ")
	if !s.begun() {
		if k.Status = cognition.Postponed; s.Ended == EndedDeclined {
			k.Status = cognition.Declined
		}
	}
	for _, f := range s.Confounders {
		if !slices.ContainsFunc(k.Confounders, func(o cognition.Confounder) bool { return o.Kind == f.Kind && o.Quote == f.Quote }) {
			k.Confounders = append(k.Confounders, f.Confounder)
		}
	}
	return k
}

// written returns what is stored about a task. Only a task put to its end has a score; of one that
// was broken off it keeps what was said until then.
func (s *State) written(t *Task) cognition.Task {
	w := cognition.Task{
		TaskID: t.Task.ID, Version: t.Task.Version, Title: t.Task.Title, Form: t.Form.ID, Status: t.Status, Why: t.Why, Max: t.Task.Max, At: t.At,
	}
	switch {
	case w.Status == "" && t.At.IsZero():
		w.Status = cognition.TaskNotReached
	case w.Status == "":
		w.Status = cognition.TaskPartial
	}
	seconds, timed := 0.0, false
	for i, a := range t.Items {
		it := t.Form.Items[i]
		if len(a.Said) > 0 {
			seconds, timed = seconds+cmp.Or(a.Seconds, a.Said[len(a.Said)-1].After.Seconds()), true
		}
		got := a.Points
		if got == nil { // the call ended first: what was said is kept
			now := score.Item(t.Task, t.Form, it, a.Said, score.Facts{Now: t.At.In(s.location()), Born: s.Born, Address: s.Address})
			got = &now
		}
		for _, e := range got.Evidence {
			w.Evidence = append(w.Evidence, cognition.Evidence{Item: it.ID, Quote: e.Quote, Counts: e.Counts, Why: e.Why})
		}
	}
	if timed {
		w.Seconds = &seconds
	}
	if w.Status == cognition.TaskComplete {
		w.Raw, w.Confidence = t.raw(), s.confidence(t)
	}
	return w
}

// confidence returns how far a task's score can be trusted, from 0 to 1.
func (s *State) confidence(t *Task) float64 {
	c := 1.0
	seen := map[string]bool{}
	for _, f := range s.Confounders {
		if !seen[f.Kind] && (f.Task == "" && !f.At.After(t.At) || f.Task == t.Task.ID) {
			seen[f.Kind] = true
			c -= deductions[f.Kind]
		}
	}
	for _, a := range t.Items {
		if a.Unclear || a.Points != nil && (a.Points.Unclear || len(a.Said) == 0) {
			c -= unclearDeduction
		}
	}
	return max(c, leastConfidence)
}

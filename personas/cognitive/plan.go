package cognitive

import (
	"context"
	"fmt"
	"time"

	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store"
)

// plan picks the tasks of a check. It fails if earlier checks cannot be read: a form that was used
// lately would tell nothing.
func (p *Persona) plan(ctx context.Context, s *State, who store.PersonID, at time.Time) error {
	rows, err := p.cfg.Store.CognitivePast(ctx, who)
	if err != nil {
		return fmt.Errorf("plan cognitive check: %w", err)
	}
	past := make([]tasks.Used, len(rows))
	for i, r := range rows {
		past[i] = tasks.Used(r)
	}
	facts := tasks.Facts{PersonID: who.String(), BirthDate: s.Born != ""}
	for _, k := range p.cfg.Tasks.Plan(s.Language, past, at, facts) {
		k.Task.Forms = nil
		t := Task{Task: k.Task}
		t.putIn(k.Form)
		s.Tasks = append(s.Tasks, t)
	}
	return nil
}

// another begins a task over in a form that was not yet used in the call, and tasks that are put
// later with it in the same form. It reports false if there is no such form.
func (p *Persona) another(s *State, t *Task) bool {
	whole, ok := p.cfg.Tasks.Task(t.Task.ID, t.Task.Language)
	if !ok {
		return false
	}
	form, ok := p.cfg.Tasks.Another(whole, []string{t.Form.ID})
	if !ok {
		return false
	}
	t.putIn(form)
	for i := range s.Tasks {
		later := &s.Tasks[i]
		if later.Task.With != t.Task.ID {
			continue
		}
		if whole, ok := p.cfg.Tasks.Task(later.Task.ID, later.Task.Language); ok {
			if form, ok := whole.Form(form.ID); ok {
				later.putIn(form)
			}
		}
	}
	return true
}

// putIn begins a task in a form.
func (t *Task) putIn(f tasks.Form) { t.Form, t.Items = f, make([]Answer, len(f.Items)) }

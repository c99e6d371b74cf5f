package cognitive

import (
	"context"
	"fmt"
	"time"

	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/cognition"
)

// Planned is a task of a check in one of its forms.
type Planned struct {
	Task tasks.Task
	Form tasks.Form
}

// Tasks knows the tasks.
type Tasks interface {
	Plan(language string, past []cognition.Used, now time.Time, born bool) []Planned
	Another(language, task, form string) (tasks.Form, bool)
	Form(language, task, form string) (tasks.Form, bool)
}

// plan picks the tasks of a check. Without a word of earlier ones it is none: a form that
// was put lately would tell nothing.
func (p *Persona) plan(ctx context.Context, s *State, who store.PersonID, at time.Time) error {
	past, err := p.cfg.Store.CognitivePast(ctx, who)
	if err != nil {
		return fmt.Errorf("plan cognitive check: %w", err)
	}
	for _, k := range p.cfg.Tasks.Plan(s.Language, past, at, s.Born != "") {
		k.Task.Forms = nil
		s.Tasks = append(s.Tasks, Task{Task: k.Task, Form: k.Form, Items: make([]Answer, len(k.Form.Items))})
	}
	return nil
}

package health

import (
	"context"
	"fmt"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checks"
)

// Running is the check of a call that still goes on, as far as it has come; it
// changes nothing. There is none before the first question.
func (p *Persona) Running(ctx context.Context, c calls.Call) (checks.Check, bool, error) {
	if !c.PersonID.Known() || c.ConversationID == "" {
		return checks.Check{}, false, nil
	}
	out, found, err := p.thread(c.PersonID, c.ConversationID).Peek(ctx)
	if err != nil || !found || !out.State.begun() {
		return checks.Check{}, false, err
	}
	hc, err := p.check(c, &out.State)
	if err != nil {
		return checks.Check{}, false, fmt.Errorf("health check under way in call %s: %w", c.ID, err)
	}
	return hc, true, nil
}

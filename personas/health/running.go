package health

import (
	"context"
	"fmt"

	"github.com/naiber/naiber/store"
)

// Running is the check of a call that still goes on, as far as it has come; it
// changes nothing. There is none before the first question.
func (p *Persona) Running(ctx context.Context, c store.Call) (store.HealthCheck, bool, error) {
	if !c.PersonID.Known() || c.ConversationID == "" {
		return store.HealthCheck{}, false, nil
	}
	out, found, err := p.thread(c.PersonID, c.ConversationID).Peek(ctx)
	if err != nil || !found || !out.State.begun() {
		return store.HealthCheck{}, false, err
	}
	hc, err := p.check(c, &out.State)
	if err != nil {
		return store.HealthCheck{}, false, fmt.Errorf("health check under way in call %s: %w", c.ID, err)
	}
	return hc, true, nil
}

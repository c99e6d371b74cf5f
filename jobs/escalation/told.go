package escalation

import (
	"context"

	"github.com/naiber/naiber/store/alerts"
)

// Failed goes on with a ladder where a provider says that a notice which had left did not
// arrive, or its reader cannot act on it: if none of its step's notices is left, the
// next step that tells others is taken now.
func (e *Escalation) Failed(ctx context.Context, s alerts.Step) error {
	all, err := e.cfg.Store.StepFailed(ctx, s)
	if err == nil && all {
		err = e.next(ctx, s)
	}
	return err
}

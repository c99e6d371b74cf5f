package council

import (
	"context"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/discussions"
)

// Decision is what somebody decides on an action.
type Decision struct {
	Confirm  bool
	By, Note string
}

// Decide confirms or dismisses an action.
func (c *Council) Decide(ctx context.Context, discussion, action uuid.UUID, d Decision) (a discussions.Action, err error) {
	status := discussions.Dismissed
	if d.Confirm {
		status = discussions.Confirmed
	}
	err = c.cfg.Store.InTx(ctx, func(tx store.Tx) error {
		a, err = c.cfg.Store.DecideAction(ctx, tx, discussion, action, status, d.By, d.Note)
		return err
	})
	return a, err
}

// ActionOf returns an action as viewers see it.
func ActionOf(a discussions.Action) ActionShown {
	out := ActionShown{ID: a.ActionID.String(), Kind: a.Kind, Text: a.Text, Status: a.Status}
	if a.DecidedBy != nil {
		out.By = *a.DecidedBy
	}
	return out
}

package council

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/people"
)

// Effects carries out confirmed actions.
type Effects interface {
	// Effect carries out, inside tx, a confirmed action of a discussion about a person. It returns
	// an error wrapping [ErrRefused] if that is not possible.
	Effect(ctx context.Context, tx store.Tx, about people.Person, a discussions.Action) error
}

// Decision is a human being's decision about an action.
type Decision struct {
	Confirm  bool
	By, Note string
}

var (
	// ErrDecided is returned if an action was decided otherwise before.
	ErrDecided = errors.New("action was decided before")
	// ErrRefused is returned if an action cannot be carried out as things are.
	ErrRefused = errors.New("action cannot be done")
)

// Decide confirms or dismisses an action. A confirmed action is carried out in the same
// transaction, or stays proposed. An action that was decided the same way before is returned as it
// is; for one that was decided otherwise, Decide returns [ErrDecided].
func (c *Council) Decide(ctx context.Context, discussion, action uuid.UUID, d Decision) (a discussions.Action, err error) {
	about, err := c.about(ctx, discussion)
	if err != nil {
		return a, err
	}
	status, verb := discussions.Dismissed, "dismiss"
	if d.Confirm {
		status, verb = discussions.Confirmed, "confirm"
	}
	if d.Confirm && c.cfg.Effects == nil {
		return a, ErrRefused
	}
	err = c.cfg.Store.InTx(ctx, func(tx store.Tx) error {
		if d.Confirm { // lock the person first, as forgetting does, so that the two cannot deadlock
			if err := c.cfg.Store.TouchPerson(ctx, tx, about.ID); err != nil {
				return err
			}
		}
		a, err = c.cfg.Store.DecideAction(ctx, tx, discussion, action, status, d.By, d.Note)
		if errors.Is(err, store.ErrNotFound) {
			if a, err = c.cfg.Store.Action(ctx, tx, discussion, action); err == nil && a.Status != status {
				err = ErrDecided
			}
			return err
		}
		if err == nil && d.Confirm {
			err = c.cfg.Effects.Effect(ctx, tx, about, a)
		}
		if err != nil {
			return err
		}
		// The words stay in the discussion, which can be forgotten.
		data, err := json.Marshal(map[string]string{"discussionId": discussion.String(), "kind": a.Kind})
		if err != nil {
			return err
		}
		return c.cfg.Store.AddAuditTx(ctx, tx, calls.Audit{Actor: d.By, Action: "council." + verb, PersonID: about.ID, Subject: action.String(), Data: data})
	})
	if err != nil {
		return discussions.Action{}, err
	}
	return a, nil
}

// about returns the person that a discussion is about.
func (c *Council) about(ctx context.Context, discussion uuid.UUID) (people.Person, error) {
	d, err := c.cfg.Store.Discussion(ctx, discussion)
	if err != nil {
		return people.Person{}, err
	}
	return c.cfg.Store.Person(ctx, d.PersonID)
}

package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
)

type pauseOut struct {
	ID       string     `json:"id"`
	StartsAt time.Time  `json:"startsAt"`
	EndsAt   *time.Time `json:"endsAt,omitempty" doc:"Absent: until it is lifted"`
	Reason   string     `json:"reason,omitempty"`
}

type pauseIn struct {
	StartsAt *time.Time `json:"startsAt,omitempty" doc:"Default: now"`
	EndsAt   *time.Time `json:"endsAt,omitempty" doc:"Until when; or indefinite"`
	Reason   string     `json:"reason,omitempty" maxLength:"500"`
	// Indefinite must be given explicitly, since nobody would notice a person who is never phoned
	// again.
	Indefinite bool `json:"indefinite,omitempty" doc:"true: until it is lifted, in place of endsAt"`
}

func (a *api) pauses(h huma.API) {
	op := under("pauses", personBase+"/pauses")
	handle(a, h, op("list-pauses", http.MethodGet, "", "Pauses that hold or are to come", http.StatusOK), about(a.find, a.listPauses))
	handle(a, h, op("add-pause", http.MethodPost, "", "Pause calls: a holiday, a stay in hospital", http.StatusCreated), about(a.find, a.addPause))
	handleEmpty(a, h, op("lift-pause", http.MethodDelete, "/{pauseId}", "End a pause", http.StatusNoContent), about(a.find, a.liftPause))
}

func (a *api) listPauses(ctx context.Context, p people.Person, _ *PersonPath) (items[pauseOut], error) {
	pauses, err := a.Store.Pauses(ctx, p.ID)
	return items[pauseOut]{each(pauses, pauseBody)}, err
}

type addPauseIn struct {
	PersonPath

	Body pauseIn
}

func (a *api) addPause(ctx context.Context, p people.Person, in *addPauseIn) (pauseOut, error) {
	pause := people.Pause{EndsAt: in.Body.EndsAt, Reason: in.Body.Reason, CreatedBy: "api", StartsAt: time.Now()}
	if in.Body.StartsAt != nil {
		pause.StartsAt = *in.Body.StartsAt
	}
	if (pause.EndsAt == nil) != in.Body.Indefinite {
		return pauseOut{}, invalid("body.endsAt", "say until when, or \"indefinite\": true for a pause until it is lifted, and not both")
	}
	if pause.EndsAt != nil && !pause.EndsAt.After(pause.StartsAt) {
		return pauseOut{}, invalid("body.endsAt", "must be after startsAt")
	}
	kept, err := a.Store.AddPause(ctx, p.ID, pause)
	if err == nil {
		a.audit(ctx, "pause.add", p.ID)
	}
	return pauseBody(kept), err
}

type liftPauseIn struct {
	PersonPath

	PauseID string `path:"pauseId"`
}

func (a *api) liftPause(ctx context.Context, p people.Person, in *liftPauseIn) (none, error) {
	err := a.remove(ctx, "pause.lift", p.ID, in.PauseID, a.Store.LiftPause)
	if errors.Is(err, store.ErrNotFound) {
		err = huma.Error404NotFound("There is no such pause, or it has been lifted.")
	}
	return none{}, err
}

// remove removes a record of a person by its id and audits that.
func (a *api) remove(ctx context.Context, action string, p store.PersonID, id string, remove func(context.Context, store.PersonID, uuid.UUID) error) error {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return store.ErrNotFound
	}
	if err := remove(ctx, p, parsed); err != nil {
		return err
	}
	a.audit(ctx, action, p)
	return nil
}

func pauseBody(p people.Pause) pauseOut {
	return pauseOut{ID: p.ID.String(), StartsAt: p.StartsAt.UTC(), EndsAt: utc(p.EndsAt), Reason: p.Reason}
}

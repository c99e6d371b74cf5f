package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
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
	// Indefinite is said and not assumed: nobody notices a person who is never phoned again.
	Indefinite bool `json:"indefinite,omitempty" doc:"true: until it is lifted, in place of endsAt"`
}

func (a *api) pauses(h huma.API) {
	op := func(id, method, path, summary string, success int) huma.Operation {
		return operation("pauses", id, method, "/api/v1/people/{id}/pauses"+path, summary, success)
	}
	huma.Register(h, op("list-pauses", http.MethodGet, "", "Pauses that hold or are to come", http.StatusOK), a.listPauses)
	huma.Register(h, op("add-pause", http.MethodPost, "", "Pause calls: a holiday, a stay in hospital", http.StatusCreated), a.addPause)
	huma.Register(h, op("lift-pause", http.MethodDelete, "/{pauseId}", "End a pause", http.StatusNoContent), a.liftPause)
}

func (a *api) listPauses(ctx context.Context, in *personPath) (*one[items[pauseOut]], error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	pauses, err := a.Store.Pauses(ctx, p.ID)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return whole(pauses, pauseBody), nil
}

type addPauseIn struct {
	ID string `path:"id" doc:"userId"`

	Body pauseIn
}

func (a *api) addPause(ctx context.Context, in *addPauseIn) (*one[pauseOut], error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	pause := store.Pause{EndsAt: in.Body.EndsAt, Reason: in.Body.Reason, CreatedBy: "api", StartsAt: time.Now()}
	if in.Body.StartsAt != nil {
		pause.StartsAt = *in.Body.StartsAt
	}
	if (pause.EndsAt == nil) != in.Body.Indefinite {
		return nil, invalid("body.endsAt", "say until when, or \"indefinite\": true for a pause until it is lifted, and not both")
	}
	if pause.EndsAt != nil && !pause.EndsAt.After(pause.StartsAt) {
		return nil, invalid("body.endsAt", "must be after startsAt")
	}
	kept, err := a.Store.AddPause(ctx, p.ID, pause)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	a.audit(ctx, "pause.add", p.ID)
	return answer(pauseBody(kept)), nil
}

type liftPauseIn struct {
	ID string `path:"id" doc:"userId"`

	PauseID string `path:"pauseId"`
}

func (a *api) liftPause(ctx context.Context, in *liftPauseIn) (*struct{}, error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	id, err := uuid.Parse(in.PauseID)
	if err == nil {
		err = a.Store.LiftPause(ctx, p.ID, id)
	} else {
		err = store.ErrNotFound
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil, huma.Error404NotFound("There is no such pause, or it has been lifted.")
	}
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	a.audit(ctx, "pause.lift", p.ID)
	return nil, nil
}

func pauseBody(p store.Pause) pauseOut {
	return pauseOut{ID: p.ID.String(), StartsAt: p.StartsAt.UTC(), EndsAt: utc(p.EndsAt), Reason: p.Reason}
}

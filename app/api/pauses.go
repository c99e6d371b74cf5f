package api

import (
	"context"
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
	EndsAt   *time.Time `json:"endsAt,omitempty" doc:"Default: until it is lifted"`
	Reason   string     `json:"reason,omitempty" maxLength:"500"`
}

func (a *api) pauses(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-pauses", Method: http.MethodGet, Path: "/api/v1/people/{id}/pauses", Tags: []string{"pauses"},
		Summary: "Pauses that hold or are to come",
	}, func(ctx context.Context, in *personPath) (*one[items[pauseOut]], error) {
		p, err := a.find(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		pauses, err := a.Store.Pauses(ctx, p.ID)
		if err != nil {
			return nil, a.problem(err)
		}
		out := &one[items[pauseOut]]{Body: items[pauseOut]{Items: make([]pauseOut, len(pauses))}}
		for i, p := range pauses {
			out.Body.Items[i] = pauseBody(p)
		}
		return out, nil
	})
	huma.Register(h, huma.Operation{
		OperationID: "add-pause", Method: http.MethodPost, Path: "/api/v1/people/{id}/pauses", Tags: []string{"pauses"},
		Summary: "Pause calls: a holiday, a stay in hospital", DefaultStatus: http.StatusCreated,
	}, func(ctx context.Context, in *struct {
		personPath

		Body pauseIn
	},
	) (*one[pauseOut], error) {
		p, err := a.find(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		pause := store.Pause{EndsAt: in.Body.EndsAt, Reason: in.Body.Reason, CreatedBy: "api", StartsAt: time.Now()}
		if in.Body.StartsAt != nil {
			pause.StartsAt = *in.Body.StartsAt
		}
		if pause.EndsAt != nil && !pause.EndsAt.After(pause.StartsAt) {
			return nil, invalid("body.endsAt", "must be after startsAt")
		}
		kept, err := a.Store.AddPause(ctx, p.ID, pause)
		if err != nil {
			return nil, a.problem(err)
		}
		a.audit(ctx, "pause.add", p.ID)
		return &one[pauseOut]{Body: pauseBody(kept)}, nil
	})
	huma.Register(h, huma.Operation{
		OperationID: "lift-pause", Method: http.MethodDelete, Path: "/api/v1/people/{id}/pauses/{pauseId}", Tags: []string{"pauses"},
		Summary: "End a pause", DefaultStatus: http.StatusNoContent,
	}, func(ctx context.Context, in *struct {
		personPath

		PauseID string `path:"pauseId" format:"uuid"`
	},
	) (*struct{}, error) {
		p, err := a.find(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		id, err := uuid.Parse(in.PauseID)
		if err != nil {
			return nil, huma.Error404NotFound("No such pause.")
		}
		if err := a.Store.LiftPause(ctx, p.ID, id); err != nil {
			return nil, a.problem(err)
		}
		a.audit(ctx, "pause.lift", p.ID)
		return nil, nil
	})
}

func pauseBody(p store.Pause) pauseOut {
	return pauseOut{ID: p.ID.String(), StartsAt: p.StartsAt.UTC(), EndsAt: p.EndsAt, Reason: p.Reason}
}

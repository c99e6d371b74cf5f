package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
)

func (a *api) limits(h huma.API, op describe) {
	huma.Register(h, op("list-limits", http.MethodGet, personBase+"/limits", "What is not to be kept of a person, or not to be brought up", http.StatusOK), a.listLimits)
	set := op("set-limit", http.MethodPost, personBase+"/limits", "Set a limit; it takes the place of one with the same topic and rule", http.StatusCreated)
	set.Description = "never_store: neither kept nor brought up. never_raise: kept, but never brought up. cool_down: not brought up before its end, unless the person does."
	huma.Register(h, set, a.setLimit)
	huma.Register(h, op("lift-limit", http.MethodDelete, personBase+"/limits/{limitId}", "Take a limit back", http.StatusNoContent), a.deleteLimit)
}

type limitOut struct {
	ID        string     `json:"id"`
	Topic     string     `json:"topic"`
	Rule      string     `json:"rule" enum:"never_store,never_raise,cool_down"`
	Until     *time.Time `json:"until,omitempty"`
	By        string     `json:"by"`
	How       string     `json:"how,omitempty"`
	CreatedAt time.Time  `json:"createdAt"`
}

type limitIn struct {
	Topic string     `json:"topic" minLength:"1" maxLength:"100" doc:"One or a few words, such as: brother, the war"`
	Rule  string     `json:"rule" enum:"never_store,never_raise,cool_down"`
	Until *time.Time `json:"until,omitempty" doc:"When it ends; a cool_down needs one"`
	By    string     `json:"by" minLength:"1" maxLength:"200" doc:"Who wishes it"`
	How   string     `json:"how,omitempty" maxLength:"500" doc:"On paper, by telephone, ..."`
}

func (a *api) listLimits(ctx context.Context, in *personPath) (*one[items[limitOut]], error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	rows, err := a.Store.ShownLimits(ctx, nil, p.ID, time.Now())
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return whole(rows, limitOf), nil
}

type setLimitIn struct {
	ID string `path:"id" doc:"userId"`

	Body limitIn
}

func (a *api) setLimit(ctx context.Context, in *setLimitIn) (*one[limitOut], error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	b := in.Body
	kept, err := a.Memory.SetLimit(ctx, store.MemoryLimit{
		PersonID: p.ID, Topic: b.Topic, Rule: store.LimitRule(b.Rule), Until: b.Until, By: b.By, How: b.How,
	})
	if err != nil {
		return nil, a.memoryProblem(ctx, err)
	}
	a.audit(ctx, "memory.limit.set", p.ID)
	return answer(limitOf(kept)), nil
}

type limitPathIn struct {
	ID      string `path:"id" doc:"userId"`
	LimitID string `path:"limitId"`
}

func (a *api) deleteLimit(ctx context.Context, in *limitPathIn) (*struct{}, error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	id, err := uuid.Parse(in.LimitID)
	if err != nil {
		return nil, huma.Error404NotFound("Not found.")
	}
	if err := a.Store.DeleteMemoryLimit(ctx, p.ID, id); err != nil {
		return nil, a.problem(ctx, err)
	}
	a.audit(ctx, "memory.limit.lift", p.ID)
	return nil, nil
}

func limitOf(l store.ShownLimit) limitOut {
	return limitOut{
		ID: l.ID.String(), Topic: l.Topic, Rule: string(l.Rule), Until: utc(l.Until), By: l.By, How: l.How, CreatedAt: l.CreatedAt.UTC(),
	}
}

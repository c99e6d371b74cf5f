package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

func (a *api) limits(h huma.API, op describe) {
	handle(a, h, op("list-limits", http.MethodGet, "/limits", "What is not to be kept of a person, or not to be brought up", http.StatusOK), about(a.find, a.listLimits))
	set := op("set-limit", http.MethodPost, "/limits", "Set a limit; it takes the place of one with the same topic and rule", http.StatusCreated)
	set.Description = "never_store: neither kept nor brought up. never_raise: kept, but never brought up. cool_down: not brought up before its end, unless the person does."
	handle(a, h, set, about(a.find, a.setLimit))
	handleEmpty(a, h, op("lift-limit", http.MethodDelete, "/limits/{limitId}", "Take a limit back", http.StatusNoContent), about(a.find, a.deleteLimit))
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

func (a *api) listLimits(ctx context.Context, p people.Person, _ *PersonPath) (items[limitOut], error) {
	rows, err := a.Store.ListLimits(ctx, nil, p.ID, time.Now())
	return items[limitOut]{each(rows, limitOf)}, err
}

type setLimitIn struct {
	PersonPath

	Body limitIn
}

func (a *api) setLimit(ctx context.Context, p people.Person, in *setLimitIn) (limitOut, error) {
	b := in.Body
	kept, err := a.Memory.SetLimit(ctx, memories.Limit{
		PersonID: p.ID, Topic: b.Topic, Rule: memories.LimitRule(b.Rule), Until: b.Until, By: b.By, How: b.How,
	})
	if err == nil {
		a.audit(ctx, "memory.limit.set", p.ID)
	}
	return limitOf(kept), err
}

type limitPathIn struct {
	PersonPath

	LimitID string `path:"limitId"`
}

func (a *api) deleteLimit(ctx context.Context, p people.Person, in *limitPathIn) (none, error) {
	return none{}, a.remove(ctx, "memory.limit.lift", p.ID, in.LimitID, a.Store.DeleteMemoryLimit)
}

func limitOf(l memories.Limit) limitOut {
	return limitOut{
		ID: l.ID.String(), Topic: l.Topic, Rule: string(l.Rule), Until: utc(l.Until), By: l.By, How: l.How, CreatedAt: l.CreatedAt.UTC(),
	}
}

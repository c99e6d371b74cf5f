package api

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

type promisesQuery struct {
	PersonPath

	Status string `query:"status" enum:"open,used,kept,dropped" doc:"All where nobody says"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type promiseOut struct {
	ID         string     `json:"id"`
	Text       string     `json:"text"`
	Kind       string     `json:"kind" enum:"follow_up,birthday,anniversary,appointment,other"`
	Status     string     `json:"status" enum:"open,used,kept,dropped" doc:"used: a call has begun with it, and it is not known yet whether it came up"`
	DueOn      string     `json:"dueOn,omitempty" doc:"A day where the person lives, as YYYY-MM-DD"`
	DueAt      *time.Time `json:"dueAt,omitempty" doc:"Or a moment; neither: the next call"`
	Recurrence string     `json:"recurrence,omitempty" doc:"RFC 5545 RRULE"`
	CallID     string     `json:"callId,omitempty" doc:"In which it was made"`
	Source     []string   `json:"source" doc:"The id of the turn that it stems from"`
	CreatedAt  time.Time  `json:"createdAt"`
}

func (a *api) listPromises(ctx context.Context, p people.Person, in *promisesQuery) (items[promiseOut], error) {
	rows, err := a.Store.ListPromises(ctx, nil, p.ID, in.Status, in.Limit)
	return items[promiseOut]{each(rows, promiseOf)}, err
}

func promiseOf(p memories.Promise) promiseOut {
	out := promiseOut{
		ID: p.ID.String(), Text: p.Text, Kind: p.Kind, Status: p.Status, DueAt: utc(p.DueAt), Recurrence: p.Recurrence,
		CallID: known(p.CallID.UUID), Source: []string{}, CreatedAt: p.CreatedAt.UTC(),
	}
	if p.DueOn != nil {
		out.DueOn = p.DueOn.Format(time.DateOnly)
	}
	if p.TurnID != uuid.Nil {
		out.Source = []string{p.TurnID.String()}
	}
	return out
}

type promisePathIn struct {
	PersonPath

	PromiseID string `path:"promiseId"`
}

func (a *api) deletePromise(ctx context.Context, p people.Person, in *promisePathIn) (none, error) {
	return none{}, a.remove(ctx, "memory.promise.drop", p.ID, in.PromiseID, a.Store.DeleteMemoryPromise)
}

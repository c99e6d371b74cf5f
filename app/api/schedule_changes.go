package api

import (
	"context"
	"time"

	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

// ScheduleState holds what a person may change of a schedule in a call.
type ScheduleState struct {
	ScheduleID string `json:"scheduleId"`
	CallType   string `json:"callType"`
	RRule      string `json:"rrule"`
	Window     window `json:"window"`
	StartsOn   string `json:"startsOn"`
	Paused     bool   `json:"paused"`
}

// ScheduleChange is a change that a person made to their calls in a call, after confirming it.
type ScheduleChange struct {
	ID        string          `json:"id"`
	UserID    string          `json:"userId"`
	CallID    string          `json:"callId"`
	Turn      int             `json:"turn" doc:"The turn that confirmed it"`
	Said      string          `json:"said,omitempty" doc:"What they had asked for; absent where it may not be kept or was forgotten"`
	Confirmed string          `json:"confirmed" doc:"What was read back to them"`
	Before    []ScheduleState `json:"before" doc:"The schedules that it changed, as they were"`
	After     []ScheduleState `json:"after" doc:"As they became; a schedule that is only here was added"`
	PauseFrom *time.Time      `json:"pauseFrom,omitempty" doc:"When the pause begins that they asked for"`
	PauseTo   *time.Time      `json:"pauseTo,omitempty"`
	CreatedAt time.Time       `json:"createdAt"`
}

// ScheduleChangeShape returns a change as the API and the command line show it.
func ScheduleChangeShape(c schedules.Change) ScheduleChange {
	state := func(s schedules.State) ScheduleState {
		return ScheduleState{s.ScheduleID.String(), s.CallType, s.RRule, window{s.From, s.To}, s.StartsOn, s.Paused}
	}
	return ScheduleChange{
		ID: c.ID.String(), UserID: c.PersonID.String(), CallID: c.CallID.String(), Turn: c.Turn, Said: c.Said, Confirmed: c.Confirmed,
		Before: each(c.Before, state), After: each(c.After, state), PauseFrom: utc(c.PauseFrom), PauseTo: utc(c.PauseTo), CreatedAt: c.CreatedAt.UTC(),
	}
}

type scheduleChangesQuery struct {
	PersonPath

	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

func (a *api) listScheduleChanges(ctx context.Context, p people.Person, in *scheduleChangesQuery) (out page[ScheduleChange], err error) {
	before, err := readIDCursor(in.Cursor)
	if err != nil {
		return out, err
	}
	list, err := a.Store.CallChanges(ctx, p.ID, before, in.Limit+1)
	return paged(list, in.Limit, func(c schedules.Change) string { return c.ID.String() }, ScheduleChangeShape), err
}

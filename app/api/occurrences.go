package api

import (
	"context"
	"slices"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/schedules"
)

// Occurrence is a planned call on a day, with its outcome.
type Occurrence struct {
	ID         string    `json:"id"`
	ScheduleID string    `json:"scheduleId"`
	UserID     string    `json:"userId"`
	CallType   string    `json:"callType"`
	Essential  bool      `json:"essential"`
	Date       string    `json:"date" doc:"The day where the person lived when it was planned" example:"2027-01-04"`
	Due        time.Time `json:"due" doc:"When the first try begins"`
	WindowEnd  time.Time `json:"windowEnd"`
	Deadline   time.Time `json:"deadline" doc:"No try begins later: the window's end, and the grace where it is essential"`
	Status     string    `json:"status" enum:"due,calling,done,missed,escalated,skipped"`
	Why        string    `json:"why,omitempty" doc:"What kept it from being made so far"`
	Attempts   int       `json:"attempts" doc:"Tries that were begun"`
	CallIDs    []string  `json:"callIds" doc:"Their calls, oldest first"`
}

// Coming is an upcoming call.
type Coming struct {
	Person     string    `json:"person" doc:"Their name"`
	UserID     string    `json:"userId"`
	Timezone   string    `json:"timezone"`
	ScheduleID string    `json:"scheduleId"`
	Due        time.Time `json:"due" doc:"When the first try begins"`
	CallType   string    `json:"callType"`
	Essential  bool      `json:"essential" doc:"Whether it must not be missed"`
	LeftOut    string    `json:"leftOut,omitempty" doc:"Why the call is not made; absent: it is"`
}

type comingQuery struct {
	Days   int    `query:"days" doc:"How many days ahead" minimum:"1" maximum:"31" default:"7"`
	UserID string `query:"userId" doc:"Only of this person"`
}

func (a *api) listComing(ctx context.Context, in *comingQuery) (out items[Coming], err error) {
	var person store.PersonID
	if in.UserID != "" {
		if person, err = store.ParsePersonID(in.UserID); err != nil || !person.Known() {
			return out, invalid("query.userId", "is not an id")
		}
	}
	out.Items, err = ComingCalls(ctx, a.Store, a.Scheduler, person, time.Now().AddDate(0, 0, in.Days))
	return out, err
}

// ComingCalls returns the upcoming calls that are due before a time, ordered by when they are
// due. A known person id limits them to that person.
func ComingCalls(ctx context.Context, st *store.Store, plan Scheduler, of store.PersonID, before time.Time) ([]Coming, error) {
	all, err := EverySchedule(ctx, st, of)
	if err != nil {
		return nil, err
	}
	calls := []Coming{}
	for _, s := range all {
		planned, err := plan.Coming(ctx, s.Schedule, s.Who, before)
		if err != nil {
			return nil, err
		}
		for _, o := range planned {
			calls = append(calls, Coming{s.Who.Name, s.Who.ID.String(), s.Who.Timezone, s.ID.String(), o.Due.UTC(), string(s.CallType), s.Essential, o.Skip})
		}
	}
	slices.SortStableFunc(calls, func(a, b Coming) int { return a.Due.Compare(b.Due) })
	return calls, nil
}

type occurrencesQuery struct {
	From   time.Time `query:"from" doc:"Those that are due then or later"`
	To     time.Time `query:"to" doc:"Those that are due before"`
	UserID string    `query:"userId" doc:"Only of this person"`
	Status string    `query:"status" enum:"due,calling,done,missed,escalated,skipped"`
	Limit  int       `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string    `query:"cursor" doc:"nextCursor of the page before"`
}

func (a *api) listOccurrences(ctx context.Context, in *occurrencesQuery) (out page[Occurrence], err error) {
	f := schedules.Filter{Status: schedules.Status(in.Status), From: in.From, To: in.To, Limit: in.Limit + 1}
	if in.UserID != "" {
		if f.PersonID, err = store.ParsePersonID(in.UserID); err != nil || !f.PersonID.Known() {
			return out, invalid("query.userId", "is not an id")
		}
	}
	if f.AfterAt, f.AfterID, err = readCursor(in.Cursor); err != nil {
		return out, err
	}
	list, err := a.Store.Occurrences(ctx, f)
	return paged(list, in.Limit, func(o schedules.Occurrence) string { return cursor(o.Due, o.ID) }, OccurrenceShape), err
}

// OccurrenceShape returns an occurrence as the API and the command line show it.
func OccurrenceShape(o schedules.Occurrence) Occurrence {
	return Occurrence{
		ID: o.ID.String(), ScheduleID: o.ScheduleID.String(), UserID: o.PersonID.String(), CallType: string(o.CallType), Essential: o.Essential,
		Date: o.Day.Format(time.DateOnly), Due: o.Due.UTC(), WindowEnd: o.WindowEnd.UTC(), Deadline: o.Deadline.UTC(), Status: string(o.Status), Why: o.Why,
		Attempts: o.Attempts, CallIDs: each(o.Calls, store.CallID.String),
	}
}

package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

// Scheduler plans schedules; [schedule.Scheduler] is one.
type Scheduler interface {
	Plan(ctx context.Context, id uuid.UUID) error
	Next(ctx context.Context, s schedules.Schedule, p people.Person, n int) ([]time.Time, error)
	Coming(ctx context.Context, s schedules.Schedule, p people.Person, before time.Time) ([]schedules.Planned, error)
}

const (
	// nextCalls is how many upcoming calls are shown of a schedule.
	nextCalls = 3
	// maxSchedules is how many schedules a person may have.
	maxSchedules = 50
	// schedulesPage is how many schedules are read at a time.
	schedulesPage = 200
)

type window struct {
	From string `json:"from" example:"09:00" doc:"Local time of day"`
	To   string `json:"to" example:"10:30" doc:"Local time of day, later on the same day"`
}

type scheduleIn struct {
	CallType      string `json:"callType" enum:"general,health_check,cognitive,appliance_help"`
	RRule         string `json:"rrule" minLength:"1" maxLength:"320" example:"FREQ=WEEKLY;BYDAY=MO,TH" doc:"RFC 5545, of whole days; the window says when on the day"`
	Window        window `json:"window"`
	JitterMinutes *int   `json:"jitterMinutes,omitempty" doc:"How long after the window's start the first try may be; default: a quarter of the window, at most 15"`
	Essential     *bool  `json:"essential,omitempty" doc:"Whether it must not be missed; default: health checks are"`
	GraceMinutes  *int   `json:"graceMinutes,omitempty" doc:"How long after the window an essential call may still be made; default 60"`
	StartsOn      string `json:"startsOn,omitempty" example:"2027-01-04" doc:"First day, what intervals count from; default: today where they live"`
	EndsOn        string `json:"endsOn,omitempty" example:"2027-12-31" doc:"Last day; absent: it does not end"`
	Note          string `json:"note,omitempty" maxLength:"1000"`
}

type schedulePatch struct {
	CallType      change[string] `json:"callType,omitzero" enum:"general,health_check,cognitive,appliance_help"`
	RRule         change[string] `json:"rrule,omitzero" maxLength:"320"`
	Window        change[window] `json:"window,omitzero"`
	JitterMinutes change[*int]   `json:"jitterMinutes,omitzero" doc:"null: the default"`
	Essential     change[*bool]  `json:"essential,omitzero" doc:"null: the default"`
	GraceMinutes  change[*int]   `json:"graceMinutes,omitzero" doc:"null: the default"`
	StartsOn      change[string] `json:"startsOn,omitzero" doc:"null: today where they live"`
	EndsOn        change[string] `json:"endsOn,omitzero" doc:"null: it does not end"`
	Note          change[string] `json:"note,omitzero" maxLength:"1000"`
}

// Schedule is a rule for regular calls to a person.
type Schedule struct {
	ID            string      `json:"id"`
	UserID        string      `json:"userId"`
	CallType      string      `json:"callType"`
	RRule         string      `json:"rrule" doc:"RFC 5545, of whole days"`
	Words         string      `json:"words" doc:"The rule in English" example:"every Monday and Thursday"`
	Window        window      `json:"window" doc:"The part of the day, where they live, in which the call begins"`
	JitterMinutes int         `json:"jitterMinutes" doc:"How long after the window's start the first try may be"`
	Essential     bool        `json:"essential" doc:"Whether it must not be missed: it is made up, and a human is told"`
	GraceMinutes  int         `json:"graceMinutes" doc:"How long after the window an essential call may still be made"`
	StartsOn      string      `json:"startsOn"`
	EndsOn        string      `json:"endsOn,omitempty"`
	Note          string      `json:"note,omitempty"`
	Paused        bool        `json:"paused"`
	Next          []time.Time `json:"next" doc:"When the next calls begin, at most three"`
	CreatedAt     time.Time   `json:"createdAt"`
	UpdatedAt     time.Time   `json:"updatedAt"`
}

// SchedulePath names a schedule.
type SchedulePath struct {
	ID string `path:"id" doc:"The schedule's id"`
}

func (p SchedulePath) named() string { return p.ID }

type scheduleAnswer struct {
	ETag string `header:"ETag" doc:"What is on record now; send it back as If-Match to change nothing else"`
	Body Schedule
}

func (a *api) schedules(h huma.API) {
	of := under("schedules", personBase+"/schedules")
	route(a, h, of("add-schedule", http.MethodPost, "", "Call somebody regularly", http.StatusCreated, http.StatusConflict), about(a.find, a.addSchedule))
	handle(a, h, of("list-schedules", http.MethodGet, "", "When somebody is called regularly", http.StatusOK), about(a.find, a.listSchedules))
	all := under("schedules", "/api/v1/schedules")
	handle(a, h, all("list-all-schedules", http.MethodGet, "", "When people are called regularly", http.StatusOK), a.listAllSchedules)
	handle(a, h, all("list-coming-calls", http.MethodGet, "/coming", "Whom nAIber calls in the next days, and when", http.StatusOK), a.listComing)
	op := under("schedules", "/api/v1/schedules/{id}")
	route(a, h, op("get-schedule", http.MethodGet, "", "One schedule", http.StatusOK), about(a.findSchedule, func(ctx context.Context, s schedules.Schedule, _ *SchedulePath) (*scheduleAnswer, error) {
		return a.scheduleAnswer(ctx, s)
	}))
	patch := op("update-schedule", http.MethodPatch, "", "Change a schedule", http.StatusOK, http.StatusPreconditionFailed)
	patch.Description = "What is absent stays as it is; null takes away what was kept. Calls that were planned and are still to come follow the change; one that is due already does not."
	route(a, h, patch, about(a.findSchedule, a.patchSchedule))
	handleEmpty(a, h, op("remove-schedule", http.MethodDelete, "", "End a schedule", http.StatusNoContent), about(a.findSchedule, a.removeSchedule))
	for path, paused := range map[string]bool{"pause": true, "resume": false} {
		summary := map[bool]string{true: "Leave out the calls of a schedule until it is resumed", false: "Go on with a schedule"}[paused]
		route(a, h, op(path+"-schedule", http.MethodPost, "/"+path, summary, http.StatusOK), about(a.findSchedule, func(ctx context.Context, s schedules.Schedule, _ *SchedulePath) (*scheduleAnswer, error) {
			return a.changeSchedule(ctx, "schedule."+path, s, func(s *schedules.Schedule) error { s.Paused = paused; return nil })
		}))
	}
	handle(a, h, of("list-schedule-changes", http.MethodGet, "/changes", "What somebody has changed about their calls in a call", http.StatusOK), about(a.find, a.listScheduleChanges))
	handle(a, h, under("schedules", "/api/v1")("list-occurrences", http.MethodGet, "/occurrences", "What is to be called, and what became of it", http.StatusOK), a.listOccurrences)
}

type addScheduleIn struct {
	PersonPath

	Body scheduleIn
}

func (a *api) addSchedule(ctx context.Context, p people.Person, in *addScheduleIn) (*scheduleAnswer, error) {
	s := schedules.Schedule{
		PersonID: p.ID, CallType: calls.CallType(in.Body.CallType), RRule: in.Body.RRule, Window: schedules.Window(in.Body.Window),
		StartsOn: today(p), Note: strings.TrimSpace(in.Body.Note), CreatedBy: "api",
	}
	usual(&s, in.Body.Essential, in.Body.GraceMinutes, in.Body.JitterMinutes)
	if err := setDays(&s, p, &in.Body.StartsOn, &in.Body.EndsOn); err != nil {
		return nil, err
	}
	s, err := checked(s)
	if err != nil {
		return nil, err
	}
	if there, err := a.Store.Schedules(ctx, p.ID, uuid.Nil, maxSchedules); err != nil {
		return nil, err
	} else if len(there) >= maxSchedules {
		return nil, huma.Error409Conflict("They have as many schedules as one may have; remove one first.")
	}
	kept, err := a.Store.CreateSchedule(ctx, s, time.Now())
	if err != nil {
		return nil, err
	}
	a.audit(ctx, "schedule.add", p.ID)
	return a.planned(ctx, kept)
}

// planned plans a schedule and answers with it. A failure to plan is only logged: the schedule is
// stored, and is planned later.
func (a *api) planned(ctx context.Context, s schedules.Schedule) (*scheduleAnswer, error) {
	if err := a.Scheduler.Plan(ctx, s.ID); err != nil {
		a.Log.WarnContext(ctx, "schedule is planned later", "person_id", s.PersonID, "err", err)
	}
	return a.scheduleAnswer(ctx, s)
}

func (a *api) listSchedules(ctx context.Context, p people.Person, _ *PersonPath) (out items[Schedule], err error) {
	list, err := a.Store.Schedules(ctx, p.ID, uuid.Nil, maxSchedules)
	if err != nil {
		return out, err
	}
	out.Items = make([]Schedule, len(list))
	for i, s := range list {
		if out.Items[i], err = ScheduleShape(ctx, a.Scheduler, s, p); err != nil {
			return out, err
		}
	}
	return out, nil
}

type allSchedulesQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

func (a *api) listAllSchedules(ctx context.Context, in *allSchedulesQuery) (out page[Schedule], err error) {
	after, err := readIDCursor(in.Cursor)
	if err != nil {
		return out, err
	}
	list, err := a.Store.Schedules(ctx, store.PersonID{}, after, in.Limit+1)
	if err != nil {
		return out, err
	}
	if len(list) > in.Limit {
		list = list[:in.Limit]
		out.NextCursor = list[in.Limit-1].ID.String()
	}
	out.Items = []Schedule{}
	for _, s := range list {
		p, err := a.Store.Person(ctx, s.PersonID)
		if errors.Is(err, store.ErrNotFound) {
			continue // deleted a moment ago
		}
		if err != nil {
			return out, err
		}
		shape, err := ScheduleShape(ctx, a.Scheduler, s, p)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, shape)
	}
	return out, nil
}

// Scheduled is a schedule with its person.
type Scheduled struct {
	schedules.Schedule

	Who people.Person
}

// EverySchedule returns all schedules, or those of one person if of is known.
func EverySchedule(ctx context.Context, st *store.Store, of store.PersonID) ([]Scheduled, error) {
	var all []Scheduled
	who := map[store.PersonID]people.Person{}
	for after := uuid.Nil; ; {
		list, err := st.Schedules(ctx, of, after, schedulesPage)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			after = s.ID
			p, known := who[s.PersonID]
			if !known {
				if p, err = st.Person(ctx, s.PersonID); errors.Is(err, store.ErrNotFound) {
					continue // deleted a moment ago
				} else if err != nil {
					return nil, err
				}
				who[s.PersonID] = p
			}
			all = append(all, Scheduled{s, p})
		}
		if len(list) < schedulesPage {
			return all, nil
		}
	}
}

type patchScheduleIn struct {
	SchedulePath

	IfMatch []string `header:"If-Match" doc:"ETags; the schedule is changed only while one of them is its own"`

	Body schedulePatch
}

func (a *api) patchSchedule(ctx context.Context, s schedules.Schedule, in *patchScheduleIn) (*scheduleAnswer, error) {
	p, err := a.Store.Person(ctx, s.PersonID)
	if err != nil {
		return nil, err
	}
	return a.changeSchedule(ctx, "schedule.update", s, func(s *schedules.Schedule) error {
		if len(in.IfMatch) > 0 && !slices.ContainsFunc(in.IfMatch, func(tag string) bool {
			tag = strings.TrimSpace(tag)
			return tag == "*" || tag == scheduleTag(*s)
		}) {
			return huma.Error412PreconditionFailed("The schedule was changed meanwhile; read it again.")
		}
		return in.Body.apply(s, p)
	})
}

func (in schedulePatch) apply(s *schedules.Schedule, p people.Person) error {
	kept := *s
	in.CallType.apply((*string)(&s.CallType))
	in.RRule.apply(&s.RRule)
	in.Window.apply((*window)(&s.Window))
	in.Note.apply(&s.Note)
	s.Note = strings.TrimSpace(s.Note)
	or := func(c change[*int], now int) *int {
		if c.sent {
			return c.value
		}
		return &now
	}
	essential := &kept.Essential
	if in.Essential.sent {
		essential = in.Essential.value
	}
	usual(s, essential, or(in.GraceMinutes, kept.GraceMinutes), or(in.JitterMinutes, kept.JitterMinutes))
	var starts, ends *string
	if in.StartsOn.sent {
		starts = &in.StartsOn.value
	}
	if in.EndsOn.sent {
		ends = &in.EndsOn.value
	}
	if err := setDays(s, p, starts, ends); err != nil {
		return err
	}
	var err error
	*s, err = checked(*s)
	return err
}

func (a *api) changeSchedule(ctx context.Context, action string, s schedules.Schedule, change func(*schedules.Schedule) error) (*scheduleAnswer, error) {
	kept, err := a.Store.ChangeSchedule(ctx, s.ID, time.Now(), change)
	if err != nil {
		return nil, err
	}
	a.audit(ctx, action, s.PersonID)
	return a.planned(ctx, kept)
}

func (a *api) removeSchedule(ctx context.Context, s schedules.Schedule, _ *SchedulePath) (none, error) {
	err := a.Store.RemoveSchedule(ctx, s.ID, time.Now())
	if err == nil {
		a.audit(ctx, "schedule.remove", s.PersonID)
	}
	return none{}, err
}

func (a *api) findSchedule(ctx context.Context, id string) (schedules.Schedule, error) {
	sid, err := uuid.Parse(id)
	if err != nil {
		return schedules.Schedule{}, huma.Error404NotFound("No such schedule.")
	}
	s, err := a.Store.Schedule(ctx, sid)
	if errors.Is(err, store.ErrNotFound) {
		err = huma.Error404NotFound("No such schedule.")
	}
	return s, err
}

func (a *api) scheduleAnswer(ctx context.Context, s schedules.Schedule) (*scheduleAnswer, error) {
	p, err := a.Store.Person(ctx, s.PersonID)
	if err != nil {
		return nil, err
	}
	body, err := ScheduleShape(ctx, a.Scheduler, s, p)
	return &scheduleAnswer{ETag: scheduleTag(s), Body: body}, err
}

// scheduleTag returns the ETag of a schedule, made from the time of its last change.
func scheduleTag(s schedules.Schedule) string {
	return strconv.Quote(strconv.FormatInt(s.UpdatedAt.UnixMicro(), 36))
}

// usual sets the given fields, and the others to their usual values.
func usual(s *schedules.Schedule, essential *bool, grace, jitter *int) {
	s.Essential, s.GraceMinutes, s.JitterMinutes = schedule.Usual(s.CallType, s.Window)
	if essential != nil {
		s.Essential = *essential
	}
	if grace != nil {
		s.GraceMinutes = *grace
	}
	if jitter != nil {
		s.JitterMinutes = *jitter
	}
}

func today(p people.Person) time.Time {
	y, m, d := time.Now().In(p.Location()).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// setDays sets the given days; nil leaves one as it is. Empty text removes the end, and sets the
// start to today.
func setDays(s *schedules.Schedule, p people.Person, starts, ends *string) error {
	read := func(field, text string) (time.Time, error) {
		d, err := time.Parse(time.DateOnly, text)
		if err != nil || d.Year() < 2000 || d.Year() > 2200 {
			return d, invalid("body."+field, "is not a day such as 2027-01-04")
		}
		return d, nil
	}
	var err error
	if starts != nil {
		if s.StartsOn = today(p); *starts != "" {
			if s.StartsOn, err = read("startsOn", *starts); err != nil {
				return err
			}
		}
	}
	if ends == nil {
		return nil
	}
	if s.EndsOn = nil; *ends != "" {
		d, err := read("endsOn", *ends)
		if err != nil {
			return err
		}
		s.EndsOn = &d
	}
	return nil
}

// checked returns a schedule as it may be stored, or what is wrong with the request.
func checked(s schedules.Schedule) (schedules.Schedule, error) {
	s, err := schedule.Check(s)
	if f, ok := errors.AsType[*schedule.FieldError](err); ok {
		err = invalid("body."+f.Field, f.Problem)
	}
	return s, err
}

// ScheduleShape returns a schedule as the API and the command line show it.
func ScheduleShape(ctx context.Context, plan Scheduler, s schedules.Schedule, p people.Person) (Schedule, error) {
	next, err := plan.Next(ctx, s, p, nextCalls)
	out := Schedule{
		ID: s.ID.String(), UserID: s.PersonID.String(), CallType: string(s.CallType), RRule: s.RRule, Words: schedule.Words(s.RRule, s.StartsOn), Window: window(s.Window), JitterMinutes: s.JitterMinutes,
		Essential: s.Essential, GraceMinutes: s.GraceMinutes, StartsOn: s.StartsOn.Format(time.DateOnly), Note: s.Note, Paused: s.Paused,
		Next: each(next, time.Time.UTC), CreatedAt: s.CreatedAt.UTC(), UpdatedAt: s.UpdatedAt.UTC(),
	}
	if s.EndsOn != nil {
		out.EndsOn = s.EndsOn.Format(time.DateOnly)
	}
	return out, err
}

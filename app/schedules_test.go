package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/telephony"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// noPostCall schedules nothing.
type noPostCall struct{}

func (noPostCall) Schedule(context.Context, store.Tx, calls.Call) error { return nil }

// A check that falls outside of the hours of the law waits for them, and is told of where
// they begin too late: as with quiet hours.
func TestScheduledCallOutsideOfHours(t *testing.T) {
	t.Parallel()
	byLaw := func(c *Config, _ *people.Person) { c.Calls.LegalHours = true }
	for _, tt := range []struct {
		name, rule string
		zone       string
		day        time.Time
		set        func(*Config, *people.Person)
	}{
		{"by law", telephony.RuleCallingHours, "America/New_York", time.Date(2044, 1, 4, 0, 0, 0, 0, time.UTC), byLaw},
		{"by law, on the day on which the clocks go forward", telephony.RuleCallingHours, "America/New_York", time.Date(2044, 3, 13, 0, 0, 0, 0, time.UTC), byLaw},
		{"by law, where they have moved to", telephony.RuleCallingHours, "America/Los_Angeles", time.Date(2044, 1, 4, 0, 0, 0, 0, time.UTC), func(c *Config, p *people.Person) {
			c.Calls.LegalHours, p.Region = true, "WA"
		}},
		{"quiet hours", telephony.RuleQuietHours, "America/New_York", time.Date(2044, 1, 4, 0, 0, 0, 0, time.UTC), func(c *Config, p *people.Person) {
			c.Calls.LegalHours, p.QuietHours = false, &people.QuietHours{Start: "20:00", End: "08:00"}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := complete()
			p := people.Person{
				Name: "Ada King", Phone: "+13055551234", Timezone: tt.zone, Region: "FL", QuietHours: &people.QuietHours{Start: "00:00", End: "00:00"},
			}
			tt.set(&cfg, &p)
			d := newDispatcher(t, cfg, p)
			d.add(schedules.Window{From: "07:30", To: "08:30"}, tt.day)
			missed := d.add(schedules.Window{From: "06:30", To: "07:15"}, tt.day)
			at := func(h, m int) time.Time {
				return time.Date(tt.day.Year(), tt.day.Month(), tt.day.Day(), h, m, 0, 0, d.person.Location())
			}

			d.dispatch(at(6, 30))
			d.dispatch(at(6, 31)) // what was missed is told of
			if o := d.occurrence(missed); o.Status != schedules.Escalated || !strings.Contains(o.Why, tt.rule) {
				t.Errorf("too late: %s, %q; want it escalated for %s", o.Status, o.Why, tt.rule)
			}
			list, err := d.st.Alerts(t.Context(), alerts.Filter{PersonID: d.person.ID, Limit: 10})
			if err != nil || len(list) != 1 || list[0].Kind != schedule.KindNoAnswer || list[0].Tier != alerts.Urgent || !strings.Contains(list[0].Why, tt.rule) {
				t.Errorf("alerts %+v, %v; want one for %s", list, err, tt.rule)
			}
			d.dispatch(at(7, 30))
			d.dispatch(at(8, 0).Add(-time.Second))
			if n := d.calls(); n != 0 {
				t.Fatalf("%d calls before eight", n)
			}
			d.dispatch(at(8, 0))
			if n := d.calls(); n != 1 {
				t.Errorf("%d calls at eight, want one", n)
			}
		})
	}
}

// Who told of danger, or has just phoned, is called back whatever hours the law has; who was
// only cut off is when they begin.
func TestCallBackOutsideOfLegalHours(t *testing.T) {
	t.Parallel()
	ended := time.Now()
	for name, c := range map[string]struct {
		call   calls.Call
		placed bool
	}{
		"danger":    {calls.Call{Danger: &calls.Danger{Kind: "fall"}}, true},
		"cut off":   {calls.Call{}, false},
		"phoned in": {calls.Call{BelievedID: store.PersonID{UUID: uuid.New()}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDispatcher(t, complete(), people.Person{
				Name: "Ada King", Phone: "+13055551234", Timezone: "America/New_York", QuietHours: &people.QuietHours{Start: "00:00", End: "00:00"},
			})
			d.now = time.Date(2044, 1, 4, 3, 0, 0, 0, d.person.Location())
			before := c.call
			before.ID, before.Type, before.EndedAt = store.CallID{UUID: uuid.New()}, calls.CallHealthCheck, &ended
			if before.BelievedID.Known() {
				before.BelievedID = d.person.ID
			} else {
				before.PersonID = d.person.ID
			}
			again, err := d.app.callBack(t.Context(), before)
			if err != nil {
				t.Fatal(err)
			}
			if n := d.calls(); n == 1 != c.placed || again > 0 == c.placed {
				t.Errorf("%d calls, again in %s; want it placed: %v", n, again, c.placed)
			}
		})
	}
}

// dispatcher is a scheduler on a real store and a real gate, at a time that the test sets.
type dispatcher struct {
	t      *testing.T
	app    *App
	st     *store.Store
	person people.Person
	sched  *schedule.Scheduler
	now    time.Time
	queue  []func() error
}

func newDispatcher(t *testing.T, cfg Config, p people.Person) *dispatcher {
	t.Helper()
	d := &dispatcher{t: t, st: storetest.New(t)}
	carrier := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"sid":"CA1","status":"queued"}`)
	}))
	t.Cleanup(carrier.Close)
	cfg.Twilio.BaseURL = carrier.URL
	client, err := twilio.New(cfg.twilioConfig())
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	texts, err := prompts.Load("", log)
	if err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return d.now }
	line := cfg.callsConfig()
	line.Now, line.Types = clock, []calls.CallType{calls.CallHealthCheck, calls.CallGeneral}
	a := &App{cfg: cfg, store: d.st, log: log}
	d.app = a
	a.calls, err = telephony.New(line, telephony.Deps{
		Store: d.st, Twilio: client, Prompts: texts, PostCall: noPostCall{}, Log: log, CallToken: func(id store.CallID) string { return id.String() },
	})
	if err != nil {
		t.Fatal(err)
	}
	plans, err := cfg.scheduleConfig()
	if err != nil {
		t.Fatal(err)
	}
	plans.Now = clock
	d.sched = schedule.New(plans, schedule.Deps{Store: d.st, Place: a.placeScheduled, Raise: a.raiseAlarm, Log: log, Queue: d.enqueue})
	if d.person, err = d.st.CreatePerson(t.Context(), p, nil, []people.Consent{{Scope: people.ScopeCalls, GivenBy: p.Name, How: "on paper"}}); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *dispatcher) enqueue(ctx context.Context, _ store.Tx, id uuid.UUID, try int) error {
	d.queue = append(d.queue, func() error { return d.sched.Place(ctx, id, try) })
	return nil
}

// add adds an essential schedule for one day.
func (d *dispatcher) add(w schedules.Window, day time.Time) uuid.UUID {
	d.t.Helper()
	d.now = day.AddDate(0, 0, -1)
	s, err := schedule.Check(schedules.Schedule{
		PersonID: d.person.ID, CallType: calls.CallHealthCheck, RRule: "FREQ=DAILY", Window: w, Essential: true, GraceMinutes: 15, StartsOn: day, EndsOn: &day,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	if s, err = d.st.CreateSchedule(d.t.Context(), s, d.now); err != nil {
		d.t.Fatal(err)
	}
	if err := d.sched.Plan(d.t.Context(), s.ID); err != nil {
		d.t.Fatal(err)
	}
	return s.ID
}

// dispatch does what is to be done at a moment.
func (d *dispatcher) dispatch(now time.Time) {
	d.t.Helper()
	d.now = now
	if _, err := d.sched.Dispatch(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	list := d.queue
	d.queue = nil
	for _, place := range list {
		if err := place(); err != nil {
			d.t.Fatal(err)
		}
	}
}

func (d *dispatcher) occurrence(of uuid.UUID) schedules.Occurrence {
	d.t.Helper()
	list, err := d.st.Occurrences(d.t.Context(), schedules.Filter{PersonID: d.person.ID, Limit: 10})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, o := range list {
		if o.ScheduleID == of {
			return o
		}
	}
	d.t.Fatalf("no occurrence of %s in %+v", of, list)
	return schedules.Occurrence{}
}

func (d *dispatcher) calls() int {
	d.t.Helper()
	list, err := d.st.Calls(d.t.Context(), calls.CallFilter{PersonID: d.person.ID, Limit: 10})
	if err != nil {
		d.t.Fatal(err)
	}
	return len(list)
}

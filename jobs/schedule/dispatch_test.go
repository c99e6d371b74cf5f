package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// world is people who are called at a time that the test sets: the store is real, the
// job queue and the telephone are played.
type world struct {
	t     testing.TB
	st    *store.Store
	now   time.Time
	sched *schedule.Scheduler

	clock  func() time.Time // nil: now
	queued *jobs.Jobs       // the real queue; nil: it is played

	mu     sync.Mutex // guards what follows
	queue  []try
	dials  map[string]int // calls placed, by key
	alarms map[string]schedule.Alarm
	deaf   bool                                      // no alarm can be raised
	deafTo store.PersonID                            // nor one of this person
	lose   func() bool                               // whether a process dies before the call is placed
	gate   func(schedule.Wish) *schedule.Refusal     // nil: it agrees
	ring   func(schedule.Wish) (calls.Ending, error) // how the call ends
}

type try struct {
	occurrence uuid.UUID
	n          int
}

// monday is a Monday far ahead: what the database stamps by its own clock is before it.
var monday = time.Date(2044, 1, 4, 0, 0, 0, 0, time.UTC)

var spoken = calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "goodbye", By: "person"}

func newWorld(tb testing.TB, st *store.Store) *world {
	tb.Helper()
	w := &world{
		t: tb, st: st, now: monday, dials: map[string]int{}, alarms: map[string]schedule.Alarm{},
		ring: func(schedule.Wish) (calls.Ending, error) { return spoken, nil },
	}
	w.sched = w.scheduler(schedules.Limits{AtOnce: 50, Every: time.Millisecond})
	return w
}

// scheduler is one on the world's store.
func (w *world) scheduler(limits schedules.Limits) *schedule.Scheduler {
	w.t.Helper()
	ladder, err := schedule.ReadLadder([]string{"busy=5m*3", "no_answer=15m*3", "machine=30m*2", "dropped=2m*2", "failed=10m*3"}, 6)
	if err != nil {
		w.t.Fatal(err)
	}
	return schedule.New(schedule.Config{
		Ahead: 3, Holidays: schedule.Holidays{"12-25"}, Ladder: ladder, Keep: 400 * 24 * time.Hour,
		Limits:          limits,
		BreakerFailures: 5, BreakerPause: 10 * time.Minute, Now: w.time,
	}, schedule.Deps{Store: w.st, Place: w.place, Queue: w.enqueue, Raise: w.raise, Log: slog.New(slog.DiscardHandler)})
}

func (w *world) time() time.Time {
	if w.clock != nil {
		return w.clock()
	}
	return w.now
}

func (w *world) enqueue(ctx context.Context, tx store.Tx, id uuid.UUID, n int) error {
	if w.queued != nil {
		return w.queued.Dial(ctx, tx, id, n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = append(w.queue, try{id, n})
	return nil
}

func (w *world) raise(_ context.Context, a schedule.Alarm) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.deaf || w.deafTo.Known() && a.PersonID == w.deafTo {
		return errors.New("the database does not answer")
	}
	w.alarms[a.Key] = a
	return nil
}

// place records a call as telephony does, and ends it as the test says.
func (w *world) place(ctx context.Context, wish schedule.Wish) (schedule.Answer, error) {
	if w.gate != nil {
		if no := w.gate(wish); no != nil {
			return schedule.Answer{Refused: no}, nil
		}
	}
	if c, _, err := w.st.CallByIdempotencyKey(ctx, wish.Key); err == nil {
		return schedule.Answer{Call: c.ID}, nil
	}
	c, err := w.st.Dial(ctx, w.now, calls.NewCall{PersonID: wish.PersonID, Type: wish.Type, Direction: calls.Outbound, IdempotencyKey: wish.Key}, func(calls.DialFacts) error { return nil })
	if err != nil {
		return schedule.Answer{}, err
	}
	w.mu.Lock()
	w.dials[wish.Key]++
	w.mu.Unlock()
	end, failure := w.ring(wish)
	if end.Outcome == "" { // it goes on
		return schedule.Answer{Call: c.ID}, nil
	}
	return schedule.Answer{Call: c.ID, CarrierFailed: failure != nil}, w.end(ctx, c.ID, end)
}

func (w *world) end(ctx context.Context, id store.CallID, end calls.Ending) error {
	_, _, err := w.st.FinishCall(ctx, id, end, func(tx store.Tx, c calls.Call) error { return w.sched.Ended(ctx, tx, c) })
	return err
}

// person adds somebody with a schedule.
func (w *world) person(zone string, change func(*schedules.Schedule)) (people.Person, schedules.Schedule) {
	w.t.Helper()
	p, err := w.st.CreatePerson(w.t.Context(), people.Person{Name: "Ada King", Phone: "+15550100123", Timezone: zone}, nil,
		[]people.Consent{{Scope: people.ScopeCalls, GivenBy: "Ada", How: "on paper"}})
	if err != nil {
		w.t.Fatal(err)
	}
	s := schedules.Schedule{
		PersonID: p.ID, CallType: calls.CallHealthCheck, RRule: "FREQ=DAILY", Window: schedules.Window{From: "09:00", To: "10:30"},
		Essential: true, GraceMinutes: 60, StartsOn: monday,
	}
	if change != nil {
		change(&s)
	}
	if s, err = schedule.Check(s); err != nil {
		w.t.Fatal(err)
	}
	if s, err = w.st.CreateSchedule(w.t.Context(), s, w.now); err != nil {
		w.t.Fatal(err)
	}
	w.plan()
	return p, s
}

func (w *world) plan() {
	w.t.Helper()
	if err := w.sched.PlanAll(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// at sets the clock, dispatches, and works the queue.
func (w *world) at(clock string) {
	w.t.Helper()
	c, err := time.Parse("15:04", clock)
	if err != nil {
		w.t.Fatal(err)
	}
	w.step(time.Date(w.now.Year(), w.now.Month(), w.now.Day(), c.Hour(), c.Minute(), 0, 0, time.UTC))
}

func (w *world) step(now time.Time) {
	w.t.Helper()
	w.now = now
	for {
		again, err := w.sched.Dispatch(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		w.work()
		if again >= 5*time.Second { // nothing more is due
			return
		}
		w.now = w.now.Add(again)
	}
}

// work does the jobs, but for those that are lost.
func (w *world) work() {
	w.t.Helper()
	list := w.queue
	w.queue = nil
	for _, j := range list {
		if w.lose != nil && w.lose() {
			continue
		}
		if err := w.sched.Place(w.t.Context(), j.occurrence, j.n); err != nil {
			w.t.Fatal(err)
		}
	}
}

// on returns the occurrences of a day, by when they are due.
func (w *world) on(day time.Time) []schedules.Occurrence {
	w.t.Helper()
	list, err := w.st.Occurrences(w.t.Context(), schedules.Filter{From: day, To: day.AddDate(0, 0, 1), Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

// wants checks the first day's occurrence.
func (w *world) wants(status schedules.Status, tries int) schedules.Occurrence {
	w.t.Helper()
	list := w.on(monday)
	if len(list) != 1 || list[0].Status != status || list[0].Attempts != tries {
		w.t.Fatalf("at %s: occurrences %+v, want one %s after %d tries", w.now.Format("15:04"), list, status, tries)
	}
	return list[0]
}

func TestOccurrenceIsCalledOnceWithinItsWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.person("UTC", nil)
	w.at("08:59")
	w.wants(schedules.Due, 0)
	w.at("09:00")
	o := w.wants(schedules.Done, 1)
	if len(o.Calls) != 1 {
		t.Errorf("calls = %v", o.Calls)
	}
	w.at("09:30")
	w.plan()
	w.at("10:00")
	w.wants(schedules.Done, 1)
	if len(w.dials) != 1 || len(w.alarms) != 0 {
		t.Errorf("dials %v, alarms %v", w.dials, w.alarms)
	}
}

func TestRetriesByHowTheTryEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p, _ := w.person("UTC", nil)
	endings := []calls.Ending{{Outcome: calls.OutcomeBusy, Cause: "busy"}, {Outcome: calls.OutcomeVoicemail, Cause: "voicemail"}, spoken}
	w.ring = func(schedule.Wish) (calls.Ending, error) { return endings[len(w.dials)-1], nil }
	w.at("09:00")
	w.wants(schedules.Due, 1)
	w.at("09:04")
	w.wants(schedules.Due, 1)
	w.at("09:05")
	w.wants(schedules.Due, 2)
	w.at("09:34")
	w.wants(schedules.Due, 2)
	w.at("09:35")
	o := w.wants(schedules.Done, 3)
	tries, err := w.st.Attempts(t.Context(), o.ID)
	if err != nil || len(tries) != 3 || tries[0].Result != schedules.Busy || tries[1].Result != schedules.Machine || tries[2].Result != schedules.Reached {
		t.Errorf("tries = %+v, %v", tries, err)
	}
	if last, err := w.st.Call(t.Context(), tries[2].CallID); err != nil || last.PersonID != p.ID {
		t.Errorf("call of the last try = %+v, %v", last, err)
	}
}

func TestMissedEssentialCallIsToldToAHuman(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p, _ := w.person("UTC", nil)
	w.ring = func(schedule.Wish) (calls.Ending, error) {
		return calls.Ending{Outcome: calls.OutcomeNoAnswer, Cause: "no_answer"}, nil
	}
	for _, clock := range []string{"09:00", "09:15", "09:30", "09:45", "09:46", "10:00", "11:00"} {
		w.at(clock)
	}
	o := w.wants(schedules.Escalated, 4)
	a, raised := w.alarms["occurrence:"+o.ID.String()]
	if len(w.alarms) != 1 || !raised || a.PersonID != p.ID || a.Kind != schedule.KindNoAnswer || a.CallID != o.Calls[3] || !strings.Contains(a.Why, "4 calls") {
		t.Errorf("alarms = %+v", w.alarms)
	}
}

func TestMissedChatIsNobodysAlarm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.person("UTC", func(s *schedules.Schedule) { s.CallType, s.Essential = calls.CallGeneral, false })
	w.ring = func(schedule.Wish) (calls.Ending, error) {
		return calls.Ending{Outcome: calls.OutcomeNoAnswer, Cause: "no_answer"}, nil
	}
	for _, clock := range []string{"09:00", "09:15", "09:30", "09:45", "10:45"} {
		w.at(clock)
	}
	w.wants(schedules.Missed, 4)
	if len(w.alarms) != 0 {
		t.Errorf("alarms = %+v", w.alarms)
	}
}

func TestAfterDowntime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		essential bool
		back      string
		want      schedules.Status
		tries     int
	}{
		{"a check within its window", true, "10:29", schedules.Done, 1},
		{"a check within its grace", true, "11:30", schedules.Done, 1},
		{"a check after its grace", true, "11:31", schedules.Escalated, 0},
		{"a chat within its window", false, "10:29", schedules.Done, 1},
		{"a chat after its window", false, "10:31", schedules.Missed, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t))
			w.person("UTC", func(s *schedules.Schedule) { s.Essential = tt.essential })
			w.at(tt.back)
			w.wants(tt.want, tt.tries)
			if (len(w.alarms) == 1) != (tt.want == schedules.Escalated) {
				t.Errorf("alarms = %+v", w.alarms)
			}
		})
	}
}

func TestDowntimeBeyondWhatWasPlanned(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.person("UTC", nil)
	w.now = monday.AddDate(0, 0, 10)
	w.plan()
	w.at("12:00")
	for d := range 11 {
		list := w.on(monday.AddDate(0, 0, d))
		if len(list) != 1 || list[0].Status != schedules.Escalated {
			t.Errorf("day %d: %+v, want one that was escalated", d, list)
		}
	}
	if len(w.alarms) != 12 { // of each day, and the operator's
		t.Errorf("%d alarms, want 12", len(w.alarms))
	}
}

func TestGateRefuses(t *testing.T) {
	t.Parallel()
	at := func(clock string) *time.Time {
		c, err := time.Parse("15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		m := monday.Add(time.Duration(c.Hour())*time.Hour + time.Duration(c.Minute())*time.Minute)
		return &m
	}
	for _, tt := range []struct {
		name  string
		no    schedule.Refusal
		want  schedules.Status
		later string // when it is called after all
	}{
		{"until later in the window", schedule.Refusal{Rule: "quiet_hours", Until: at("10:00")}, schedules.Due, "10:00"},
		{"until after the grace", schedule.Refusal{Rule: "daily_cap", Until: at("23:00")}, schedules.Escalated, ""},
		{"opted out", schedule.Refusal{Rule: "opted_out", Off: true}, schedules.Skipped, ""},
		{"a pause that ends in time", schedule.Refusal{Rule: "paused", Off: true, Until: at("11:00")}, schedules.Due, "11:00"},
		{"a pause that does not", schedule.Refusal{Rule: "paused", Off: true, Until: at("12:00")}, schedules.Skipped, ""},
		{"on the telephone", schedule.Refusal{Rule: "live_call", Taken: true}, schedules.Due, "09:01"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t))
			w.person("UTC", nil)
			w.gate = func(schedule.Wish) *schedule.Refusal { return &tt.no }
			w.at("09:00")
			if o := w.wants(tt.want, 0); !strings.Contains(o.Why, tt.no.Rule) {
				t.Errorf("why = %q", o.Why)
			}
			if tt.later == "" {
				return
			}
			w.gate = nil
			m := *at(tt.later)
			w.step(m.Add(-time.Second))
			w.wants(schedules.Due, 0)
			w.step(m)
			w.wants(schedules.Done, 1)
		})
	}
}

// A pause counts at the moment of the call: one that is lifted leaves nothing out.
func TestPauseOfThePerson(t *testing.T) {
	t.Parallel()
	for _, lifted := range []bool{false, true} {
		w := newWorld(t, storetest.New(t))
		p, _ := w.person("UTC", nil)
		end := monday.AddDate(0, 0, 1)
		pause, err := w.st.AddPause(t.Context(), p.ID, people.Pause{StartsAt: monday.Add(-time.Hour), EndsAt: &end, Reason: "hospital"})
		if err != nil {
			t.Fatal(err)
		}
		w.plan()
		w.wants(schedules.Due, 0)
		if !lifted { // and nothing runs until it is too late
			w.at("13:00")
			if o := w.wants(schedules.Skipped, 0); o.Why != "calls are paused" || len(w.alarms) != 0 {
				t.Errorf("%+v, alarms %v", o, w.alarms)
			}
			continue
		}
		if err := w.st.LiftPause(t.Context(), p.ID, pause.ID); err != nil {
			t.Fatal(err)
		}
		w.at("09:00")
		w.wants(schedules.Done, 1)
	}
}

// What is due is called though humans cannot be told of what was missed; they are told later.
func TestAlarmThatCannotBeRaisedHoldsNoCallBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.person("UTC", func(s *schedules.Schedule) {
		s.Window, s.GraceMinutes = schedules.Window{From: "07:00", To: "07:30"}, 0
	})
	w.person("UTC", nil)
	w.now = monday.Add(9 * time.Hour)
	w.deaf = true
	if _, err := w.sched.Dispatch(t.Context()); err == nil {
		t.Error("nobody hears that the alarm was not raised")
	}
	w.work()
	if list := w.on(monday); list[0].Status != schedules.Missed || list[1].Status != schedules.Done {
		t.Errorf("%+v", list)
	}
	w.deaf = false
	w.at("09:01")
	if list := w.on(monday); list[0].Status != schedules.Escalated || len(w.alarms) != 1 {
		t.Errorf("%+v, alarms %v", list, w.alarms)
	}
}

func TestOtherCallMakesIt(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	w := newWorld(t, st)
	w.now = time.Now().UTC().Truncate(24 * time.Hour) // the database stamps calls by its own clock
	p, _ := w.person("UTC", func(s *schedules.Schedule) {
		s.StartsOn, s.Window, s.JitterMinutes = w.now, schedules.Window{From: "00:00", To: "23:59"}, 0
	})
	c, err := st.CreateCall(t.Context(), calls.NewCall{PersonID: p.ID, Type: calls.CallHealthCheck, Direction: calls.Inbound, Phone: p.Phone})
	if err != nil {
		t.Fatal(err)
	}
	day := w.now
	w.step(day.Add(time.Hour))
	if list := w.on(day); list[0].Status != schedules.Due || len(w.dials) != 0 {
		t.Fatalf("while they are on the telephone: %+v", list)
	}
	if _, _, err := st.FinishCall(t.Context(), c.ID, spoken, nil); err != nil {
		t.Fatal(err)
	}
	w.step(day.Add(2 * time.Hour))
	if list := w.on(day); list[0].Status != schedules.Done || len(w.dials) != 0 || len(list[0].Calls) != 1 || list[0].Calls[0] != c.ID {
		t.Errorf("after they phoned in: %+v, %d dials", list, len(w.dials))
	}
}

func TestCrashBetweenClaimAndPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.person("UTC", nil)
	w.lose = func() bool { return true } // the job is gone with its process
	w.at("09:00")
	w.wants(schedules.Calling, 1)
	w.lose = nil
	w.at("09:01")
	w.wants(schedules.Calling, 1)
	w.at("09:03") // it is looked after
	w.wants(schedules.Done, 1)
	if len(w.dials) != 1 {
		t.Errorf("dials = %v", w.dials)
	}
}

func TestCrashForAllOfTheTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.person("UTC", nil)
	w.lose = func() bool { return true }
	w.at("09:00")
	w.wants(schedules.Calling, 1)
	w.lose = nil
	w.at("14:00") // the job is inserted again, and is too late
	w.at("14:01")
	w.wants(schedules.Escalated, 0)
	if len(w.dials) != 0 || len(w.alarms) != 1 {
		t.Errorf("dials %v, alarms %v", w.dials, w.alarms)
	}
}

func TestCallsEndIsFoundBySweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.person("UTC", nil)
	w.ring = func(schedule.Wish) (calls.Ending, error) { return calls.Ending{}, nil }
	w.at("09:00")
	o := w.wants(schedules.Calling, 1)
	if _, _, err := w.st.FinishCall(t.Context(), o.Calls[0], spoken, nil); err != nil { // nobody is told
		t.Fatal(err)
	}
	w.at("09:01")
	w.wants(schedules.Calling, 1)
	w.at("09:03")
	w.wants(schedules.Done, 1)
}

func TestChangedSchedule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p, s := w.person("UTC", nil)
	change := func(do func(*schedules.Schedule)) {
		t.Helper()
		if _, err := w.st.ChangeSchedule(t.Context(), s.ID, w.now, func(s *schedules.Schedule) error { do(s); return nil }); err != nil {
			t.Fatal(err)
		}
		w.plan()
	}
	dues := func(days int) string {
		t.Helper()
		var out []string
		for d := range days {
			for _, o := range w.on(monday.AddDate(0, 0, d)) {
				out = append(out, o.Due.Format("2 15:04 ")+string(o.Status))
			}
		}
		return strings.Join(out, ", ")
	}
	change(func(s *schedules.Schedule) { s.Window = schedules.Window{From: "15:00", To: "16:00"} })
	if got := dues(3); got != "4 15:00 due, 5 15:00 due, 6 15:00 due" {
		t.Errorf("with another window: %s", got)
	}
	change(func(s *schedules.Schedule) { s.Paused = true })
	if got := dues(2); got != "4 15:00 skipped, 5 15:00 skipped" {
		t.Errorf("paused: %s", got)
	}
	change(func(s *schedules.Schedule) { s.Paused = false })
	w.at("15:00")
	if got := dues(2); got != "4 15:00 done, 5 15:00 due" {
		t.Errorf("resumed: %s", got)
	}
	// They move to where it is ten hours later: the day that was made is not made again.
	p.Timezone = "Australia/Brisbane"
	if _, err := w.st.UpdatePerson(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	w.plan()
	if got := dues(3); got != "4 15:00 done, 5 05:00 due, 6 05:00 due" {
		t.Errorf("in another zone: %s", got)
	}
	if err := w.st.RemoveSchedule(t.Context(), s.ID, w.now); err != nil {
		t.Fatal(err)
	}
	w.plan()
	if got := dues(5); got != "4 15:00 done" {
		t.Errorf("removed: %s", got)
	}
	if err := w.st.RemoveSchedule(t.Context(), s.ID, w.now); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if err := w.st.DeletePerson(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	if got := dues(1); got != "" {
		t.Errorf("of somebody who was deleted: %s", got)
	}
}

func TestEssentialCallsGoFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.person("UTC", func(s *schedules.Schedule) { s.CallType, s.Essential = calls.CallGeneral, false })
	p, _ := w.person("UTC", func(s *schedules.Schedule) { s.Window.From = "09:30" })
	var order []store.PersonID
	w.ring = func(wish schedule.Wish) (calls.Ending, error) {
		order = append(order, wish.PersonID)
		return spoken, nil
	}
	w.at("09:45")
	if len(order) != 2 || order[0] != p.ID {
		t.Errorf("called %v, want %s first", order, p.ID)
	}
}

func TestCarrierFailuresPauseDialling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for range 20 {
		w.person("UTC", nil)
	}
	w.ring = func(schedule.Wish) (calls.Ending, error) {
		return calls.Ending{Outcome: calls.OutcomeFailed, Cause: "failed", By: "twilio"}, errors.New("the carrier fails")
	}
	w.at("09:00") // all begin before one has failed
	begun := len(w.dials)
	for _, clock := range []string{"09:02", "09:05", "09:09"} {
		w.at(clock)
	}
	if len(w.dials) != begun || len(w.alarms) != 1 {
		t.Fatalf("%d calls after %d failures, alarms %v", len(w.dials), begun, w.alarms)
	}
	for _, a := range w.alarms {
		if a.Kind != schedule.KindCarrier || a.PersonID.Known() {
			t.Errorf("alarm %+v", a)
		}
	}
	w.ring = func(schedule.Wish) (calls.Ending, error) { return spoken, nil }
	w.at("09:15")
	w.at("09:20")
	for _, o := range w.on(monday) {
		if o.Status != schedules.Done {
			t.Errorf("after the carrier works again: %+v", o)
		}
	}
	if len(w.alarms) != 1 {
		t.Errorf("alarms %v", w.alarms)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for range 60 {
		w.person("UTC", nil)
	}
	w.ring = func(schedule.Wish) (calls.Ending, error) { return calls.Ending{}, nil } // they talk and talk
	w.at("09:00")
	if len(w.dials) != 50 {
		t.Errorf("%d calls at once, want 50", len(w.dials))
	}
	claimed, wait, err := w.st.ClaimOccurrence(t.Context(), w.now, schedules.Limits{AtOnce: 100, Every: time.Second}, func(store.Tx, schedules.Occurrence) error { return nil })
	if claimed || wait <= 0 || wait > time.Second || err != nil {
		t.Errorf("within the same second: %t, %s, %v", claimed, wait, err)
	}
}

// A try that began by a clock which has been set back since holds no call back.
func TestClockThatWasSetBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.person("UTC", nil)
	w.step(monday.Add(33 * time.Hour))
	w.now = monday.Add(8 * time.Hour)
	w.person("UTC", nil)
	claimed, wait, err := w.st.ClaimOccurrence(t.Context(), monday.Add(9*time.Hour), schedules.Limits{AtOnce: 1, Every: time.Second}, func(store.Tx, schedules.Occurrence) error { return nil })
	if !claimed || err != nil {
		t.Errorf("a day after the clock was set back: %t, %s, %v", claimed, wait, err)
	}
}

// Who is in the very call when its time is over is not told of as not reached.
func TestCallThatLastsBeyondItsTime(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	w := newWorld(t, st)
	day := time.Now().UTC().Truncate(24 * time.Hour) // the database stamps calls by its own clock
	w.now = day
	p, _ := w.person("UTC", func(s *schedules.Schedule) {
		s.StartsOn, s.Window, s.GraceMinutes = day, schedules.Window{From: "00:00", To: "00:30"}, 0
	})
	c, err := st.CreateCall(t.Context(), calls.NewCall{PersonID: p.ID, Type: calls.CallHealthCheck, Direction: calls.Inbound, Phone: p.Phone})
	if err != nil {
		t.Fatal(err)
	}
	w.step(day.Add(31 * time.Minute))
	if list := w.on(day); list[0].Status != schedules.Due || len(w.alarms) != 0 {
		t.Errorf("while they have the call: %+v, alarms %v", list, w.alarms)
	}
	if _, _, err := st.FinishCall(t.Context(), c.ID, spoken, nil); err != nil {
		t.Fatal(err)
	}
	w.step(day.Add(40 * time.Minute))
	if list := w.on(day); list[0].Status != schedules.Done || len(w.alarms) != 0 {
		t.Errorf("after it: %+v, alarms %v", list, w.alarms)
	}
}

// An alarm that cannot be raised keeps no other from it.
func TestOneAlarmThatCannotBeRaised(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	first, _ := w.person("UTC", nil)
	w.person("UTC", nil)
	w.now, w.deafTo = monday.Add(12*time.Hour), first.ID
	if _, err := w.sched.Dispatch(t.Context()); err == nil {
		t.Error("nobody hears that the alarm was not raised")
	}
	for _, o := range w.on(monday) {
		if (o.Status == schedules.Missed) != (o.PersonID == first.ID) {
			t.Errorf("%+v", o)
		}
	}
	if len(w.alarms) != 1 {
		t.Errorf("alarms %v", w.alarms)
	}
}

// An operator who cannot be told that the carrier failed keeps nobody from being called
// after the pause.
func TestCarrierWorksAgainThoughNobodyCouldBeTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for range 9 {
		w.person("UTC", nil)
	}
	w.deaf = true
	w.ring = func(schedule.Wish) (calls.Ending, error) {
		return calls.Ending{Outcome: calls.OutcomeFailed, Cause: "failed", By: "twilio"}, errors.New("the carrier fails")
	}
	dispatch := func(now time.Time) (err error) {
		w.now = now
		_, err = w.sched.Dispatch(t.Context())
		w.work()
		return err
	}
	for n := range 9 {
		if err := dispatch(monday.Add(9*time.Hour + time.Duration(n)*time.Second)); (err != nil) != (n >= 5) {
			t.Fatalf("after %d failures: %v", n, err)
		}
	}
	w.ring = func(schedule.Wish) (calls.Ending, error) { return spoken, nil }
	if err := dispatch(monday.Add(9*time.Hour + 15*time.Minute)); err == nil || len(w.dials) != 6 {
		t.Errorf("after the pause: %d calls, %v", len(w.dials), err)
	}
}

// A change by which today's call would have begun already does not take it away.
func TestChangeThatComesTooLateForToday(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	_, s := w.person("UTC", nil)
	w.at("08:45")
	if _, err := w.st.ChangeSchedule(t.Context(), s.ID, w.now, func(s *schedules.Schedule) error { s.Window.From = "08:30"; return nil }); err != nil {
		t.Fatal(err)
	}
	w.plan()
	w.at("09:00")
	w.wants(schedules.Done, 1)
	if list := w.on(monday.AddDate(0, 0, 1)); list[0].Due.Format("15:04") != "08:30" {
		t.Errorf("the next day: %+v", list)
	}
}

// Who moves to where the day's time is over already is called when it was planned, and
// not told of as missed.
func TestMoveToWhereTheTimeIsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p, _ := w.person("America/New_York", nil)
	w.at("13:30")
	p.Timezone = "Europe/Berlin"
	if _, err := w.st.UpdatePerson(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	w.plan()
	w.at("13:59")
	w.wants(schedules.Due, 0)
	w.at("14:00")
	w.wants(schedules.Done, 1)
	if len(w.alarms) != 0 {
		t.Errorf("alarms %v", w.alarms)
	}
	if list := w.on(monday.AddDate(0, 0, 1)); len(list) != 1 || list[0].Due.UTC().Format("15:04") != "08:00" {
		t.Errorf("the next day: %+v", list)
	}
}

// A human is told how often somebody was called, though the gate refuses the last try.
func TestCapEndsTheTries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.person("UTC", nil)
	w.ring = func(schedule.Wish) (calls.Ending, error) {
		return calls.Ending{Outcome: calls.OutcomeNoAnswer, Cause: "no_answer"}, nil
	}
	for _, clock := range []string{"09:00", "09:15", "09:30"} {
		w.at(clock)
	}
	tomorrow := monday.AddDate(0, 0, 1)
	w.gate = func(schedule.Wish) *schedule.Refusal { return &schedule.Refusal{Rule: "daily_cap", Until: &tomorrow} }
	w.at("09:45")
	if o := w.wants(schedules.Escalated, 3); !strings.Contains(o.Why, "not reached in 3 calls") || !strings.Contains(o.Why, "daily_cap") {
		t.Errorf("why = %q", o.Why)
	}
}

// After a pause one call tells whether the carrier works again; the others wait for it.
func TestOneCallTriesTheCarrier(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for range 20 {
		w.person("UTC", nil)
	}
	fails := func(schedule.Wish) (calls.Ending, error) {
		return calls.Ending{Outcome: calls.OutcomeFailed, Cause: "failed", By: "twilio"}, errors.New("the carrier fails")
	}
	w.ring = fails
	w.at("09:00")
	for n := range 5 { // and the carrier takes its time
		w.now = monday.Add(9*time.Hour + 20*time.Minute + time.Duration(n)*time.Second)
		if _, err := w.sched.Dispatch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.queue) != 1 {
		t.Errorf("%d calls try the carrier, want 1", len(w.queue))
	}
	w.ring = func(schedule.Wish) (calls.Ending, error) { return spoken, nil }
	w.work()
	w.at("09:21")
	for _, o := range w.on(monday) {
		if o.Status != schedules.Done {
			t.Errorf("after the carrier works again: %+v", o)
		}
	}
}

// TestTwoProcessesDispatchEachOccurrenceOnce has two of them dispatch and work the same
// queue, which is real here.
func TestTwoProcessesDispatchEachOccurrenceOnce(t *testing.T) {
	t.Parallel()
	const persons = 40
	url := storetest.URL(t)
	began := time.Now()
	var worlds []*world
	for range 2 {
		w := newWorld(t, storetest.Open(t, url))
		w.clock = func() time.Time { return monday.Add(9*time.Hour + time.Since(began)) }
		if err := jobs.Migrate(t.Context(), w.st, nil); err != nil {
			t.Fatal(err)
		}
		j, err := jobs.New(jobs.Config{Dial: func(ctx context.Context, id uuid.UUID, n int) error {
			err := w.sched.Place(ctx, id, n)
			return errors.Join(err, w.sched.Place(ctx, id, n)) // delivered twice
		}}, w.st, nil, slog.New(slog.DiscardHandler), nil)
		if err != nil {
			t.Fatal(err)
		}
		w.queued = j
		if err := j.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := j.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
		worlds = append(worlds, w)
	}
	for range persons {
		worlds[0].person("UTC", nil)
	}
	made := func() string {
		return storetest.Column(t, worlds[0].st, "select count(*)::text from occurrences where status = 'done'")[0]
	}
	var wg sync.WaitGroup
	for _, w := range worlds {
		for range 2 {
			wg.Go(func() {
				for made() != strconv.Itoa(persons) && time.Since(began) < time.Minute {
					if err := errors.Join(w.sched.PlanAll(t.Context()), second(w.sched.Dispatch(t.Context()))); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	for _, o := range worlds[0].on(monday) {
		if o.Status != schedules.Done || len(o.Calls) != 1 || o.Attempts != 1 {
			t.Errorf("%+v", o)
		}
	}
	if n := storetest.Column(t, worlds[0].st, "select count(*)::text from calls")[0]; n != strconv.Itoa(persons) {
		t.Errorf("%s calls, want %d", n, persons)
	}
	if one, two := len(worlds[0].dials), len(worlds[1].dials); one+two != persons {
		t.Errorf("dialled %d and %d", one, two)
	}
}

func second[A any](_ A, err error) error { return err }

// TestWeeksOfManyPeople plays weeks with outages, lost jobs and people who do not answer,
// on the real store.
func TestWeeksOfManyPeople(t *testing.T) {
	t.Parallel()
	const persons, weeks = 12, 3
	w := newWorld(t, storetest.New(t))
	r := rand.New(rand.NewPCG(45, 2))
	begin := time.Date(2044, 3, 20, 0, 0, 0, 0, time.UTC)
	w.now = begin // summer time begins within
	zones := []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"}
	for i := range persons {
		w.person(zones[i%len(zones)], func(s *schedules.Schedule) {
			s.StartsOn, s.JitterMinutes = date(begin), 15
			if i%3 == 0 {
				s.CallType, s.Essential, s.RRule = calls.CallGeneral, false, "FREQ=WEEKLY;BYDAY=MO,WE,FR"
			}
		})
	}
	w.lose = func() bool { return r.IntN(10) == 0 }
	w.ring = func(schedule.Wish) (calls.Ending, error) {
		return []calls.Ending{
			spoken, spoken, spoken,
			{Outcome: calls.OutcomeNoAnswer, Cause: "no_answer"},
			{Outcome: calls.OutcomeBusy, Cause: "busy"},
			{Outcome: calls.OutcomeVoicemail, Cause: "voicemail"},
			{Outcome: calls.OutcomeReached, Cause: "stream_lost"},
			{Outcome: calls.OutcomeNoAnswer, Cause: "no_answer"},
		}[r.IntN(8)], nil
	}
	end := begin.AddDate(0, 0, 7*weeks)
	for now := begin; now.Before(end); now = now.Add(7 * time.Minute) {
		if now.Hour()%6 == 0 && now.Minute() < 7 {
			w.now = now
			w.plan()
		}
		if r.IntN(400) == 0 {
			now = now.Add(time.Duration(r.IntN(30)) * time.Hour) // nothing runs
		}
		if due(t, w.st, now) {
			w.step(now)
		}
	}
	w.step(end.Add(48 * time.Hour))
	w.step(end.Add(49 * time.Hour))
	statuses := w.wellSettled(end)
	t.Log(statuses, len(w.dials), "calls")
	if want := 8*7*weeks - 8; statuses[schedules.Done]+statuses[schedules.Escalated] < want { // at least those of the checks
		t.Errorf("%v, want %d checks", statuses, want)
	}
	if statuses[schedules.Escalated] == 0 || statuses[schedules.Missed] == 0 {
		t.Errorf("%v: nothing went wrong, so nothing is shown", statuses)
	}
}

// wellSettled counts what became of the days up to a time: each was made or missed, and told
// where it had to be; none was made twice, or at the wrong time.
func (w *world) wellSettled(end time.Time) map[schedules.Status]int {
	w.t.Helper()
	statuses := map[schedules.Status]int{}
	days := map[string]bool{}
	all, err := w.st.Occurrences(w.t.Context(), schedules.Filter{To: end, Limit: 10_000})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, o := range all {
		statuses[o.Status]++
		key := fmt.Sprint(o.ScheduleID, o.Day)
		if days[key] {
			w.t.Errorf("%s on %s twice", o.ScheduleID, o.Day)
		}
		days[key] = true
		if _, told := w.alarms["occurrence:"+o.ID.String()]; !o.Status.Settled() || o.Essential && o.Status == schedules.Missed || told != (o.Status == schedules.Escalated) {
			w.t.Errorf("%+v, told: %t", o, told)
		}
		tries, err := w.st.Attempts(w.t.Context(), o.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		reached := 0
		for _, try := range tries {
			if try.Result == schedules.Reached {
				reached++
			}
			if try.StartedAt.Before(o.Due) || try.StartedAt.After(o.Deadline) {
				w.t.Errorf("%+v was tried at %s", o, try.StartedAt)
			}
		}
		if reached > 1 || (reached == 1) != (o.Status == schedules.Done) {
			w.t.Errorf("%+v was made %d times", o, reached)
		}
	}
	for key, n := range w.dials {
		if n != 1 {
			w.t.Errorf("%s was dialled %d times", key, n)
		}
	}
	return statuses
}

// Whatever schedules people have, and whenever processes die, jobs are lost and schedules
// are changed, each due day is made or escalated, and none twice.
func TestRandomSchedulesAndCrashes(t *testing.T) {
	t.Parallel()
	total := map[schedules.Status]int{}
	var mu sync.Mutex // guards total
	t.Cleanup(func() {
		t.Log(total)
		if total[schedules.Done] == 0 || total[schedules.Escalated] == 0 || total[schedules.Missed] == 0 || total[schedules.Skipped] == 0 {
			t.Errorf("%v shows too little", total)
		}
	})
	for seed := range uint64(6) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 14))
			w := newWorld(t, storetest.New(t))
			begin := time.Date(2044, []time.Month{2, 3, 10}[seed%3], 20, 0, 0, 0, 0, time.UTC) // a leap day, or clocks that change
			end := begin.AddDate(0, 0, 14)
			w.now = begin
			w.lose = func() bool { return r.IntN(6) == 0 }
			w.ring = func(schedule.Wish) (calls.Ending, error) {
				return []calls.Ending{spoken, spoken, {Outcome: calls.OutcomeNoAnswer, Cause: "no_answer"}, {Outcome: calls.OutcomeBusy, Cause: "busy"}, {Outcome: calls.OutcomeReached, Cause: "stream_lost"}}[r.IntN(5)], nil
			}
			var all []schedules.Schedule
			for range 8 {
				_, s := w.person(randomZone(r), func(s *schedules.Schedule) { randomSchedule(r, s, begin) })
				all = append(all, s)
			}
			for now := begin; now.Before(end); now = now.Add(time.Duration(5+r.IntN(10)) * time.Minute) {
				switch r.IntN(600) {
				case 0:
					now = now.Add(time.Duration(r.IntN(40)) * time.Hour) // nothing runs
				case 1, 2:
					if _, err := w.st.ChangeSchedule(t.Context(), all[r.IntN(len(all))].ID, now, func(s *schedules.Schedule) (err error) {
						randomSchedule(r, s, begin)
						s.Paused = r.IntN(4) == 0
						*s, err = schedule.Check(*s)
						return err
					}); err != nil {
						t.Fatal(err)
					}
					w.now = now
					w.plan()
				}
				if now.Hour()%8 == 0 && now.Minute() < 10 {
					w.now = now
					w.plan()
				}
				if due(t, w.st, now) {
					w.step(now)
				}
			}
			w.lose = nil
			w.step(end.Add(72 * time.Hour))
			w.step(end.Add(73 * time.Hour))
			statuses := w.wellSettled(end)
			mu.Lock()
			defer mu.Unlock()
			for status, n := range statuses {
				total[status] += n
			}
		})
	}
}

func randomZone(r *rand.Rand) string {
	return []string{"Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Kiritimati", "UTC"}[r.IntN(6)]
}

// randomSchedule makes a schedule any that may be kept.
func randomSchedule(r *rand.Rand, s *schedules.Schedule, begin time.Time) {
	from := r.IntN(23 * 60)
	length := 1 + r.IntN(min(240, 24*60-1-from))
	clock := func(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }
	s.Window = schedules.Window{From: clock(from), To: clock(from + length)}
	s.JitterMinutes, s.GraceMinutes, s.Essential = r.IntN(length+1), r.IntN(12*60), r.IntN(3) > 0
	s.StartsOn = date(begin).AddDate(0, 0, -r.IntN(5))
	s.RRule = []string{"FREQ=DAILY", "FREQ=DAILY;INTERVAL=2", "FREQ=WEEKLY;BYDAY=MO,TH,SA", "FREQ=MONTHLY;BYMONTHDAY=-1,1,15", "FREQ=MONTHLY;BYDAY=2TU,-1FR", "FREQ=DAILY;COUNT=9"}[r.IntN(6)]
}

func date(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

// due reports whether anything is to be done, to pass over the nights.
func due(t *testing.T, st *store.Store, now time.Time) bool {
	t.Helper()
	return storetest.Column(t, st, "select count(*)::text from occurrences where (status = 'due' and next_at <= $1) or status = 'calling' or (status = 'missed' and essential)", now)[0] != "0"
}

// Where nothing ran, the operator hears of it once, and each family of theirs.
func TestManyCallsThatWereNeverDialled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for range 6 {
		w.person("UTC", nil)
	}
	w.plan()
	w.at("23:00")
	kinds := map[string]int{}
	for _, a := range w.alarms {
		kinds[a.Kind]++
	}
	if kinds[schedule.KindMissed] != 1 || kinds[schedule.KindNoAnswer] != 6 {
		t.Errorf("alarms %v", w.alarms)
	}
}

// Who does not answer by one number is called by the other one: the tries are one budget.
func TestSecondNumberIsTried(t *testing.T) {
	t.Parallel()
	ladder, err := schedule.ReadLadder([]string{"no_answer=15m*3"}, 6)
	if err != nil {
		t.Fatal(err)
	}
	ladder.SecondAfter = 2
	w := newWorld(t, storetest.New(t))
	w.sched = schedule.New(schedule.Config{
		Ahead: 3, Ladder: ladder, Keep: 400 * 24 * time.Hour, Limits: schedules.Limits{AtOnce: 50, Every: time.Millisecond},
		BreakerFailures: 5, BreakerPause: 10 * time.Minute, Now: w.time,
	}, schedule.Deps{Store: w.st, Place: w.place, Queue: w.enqueue, Raise: w.raise, Log: slog.New(slog.DiscardHandler)})
	var tries []string
	w.ring = func(wish schedule.Wish) (calls.Ending, error) {
		tries = append(tries, fmt.Sprintf("second %t essential %t", wish.Second, wish.Essential))
		return calls.Ending{Outcome: calls.OutcomeNoAnswer, Cause: "no_answer", By: "person"}, nil
	}
	w.person("UTC", nil)
	for _, clock := range []string{"09:00", "09:15", "09:30", "09:45", "10:00"} {
		w.at(clock)
	}
	want := "second false essential true, second false essential true, second true essential true, second true essential true"
	if got := strings.Join(tries, ", "); got != want || len(w.alarms) != 1 {
		t.Errorf("tries %s, want %s; alarms %v", got, want, w.alarms)
	}
}

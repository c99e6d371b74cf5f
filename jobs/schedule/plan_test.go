package schedule

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

func zone(tb testing.TB, name string) *time.Location {
	tb.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		tb.Fatal(err)
	}
	return loc
}

func TestAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, zone, date, clock, want string }{
		{"an ordinary day", "Europe/Berlin", "2027-01-15", "09:30", "2027-01-15T09:30:00+01:00"},
		{"in the skipped hour", "Europe/Berlin", "2027-03-28", "02:30", "2027-03-28T03:00:00+02:00"},
		{"at the skip", "Europe/Berlin", "2027-03-28", "02:00", "2027-03-28T03:00:00+02:00"},
		{"after the skip", "Europe/Berlin", "2027-03-28", "03:00", "2027-03-28T03:00:00+02:00"},
		{"in the hour that comes twice, the first", "Europe/Berlin", "2027-10-31", "02:30", "2027-10-31T02:30:00+02:00"},
		{"before that hour", "Europe/Berlin", "2027-10-31", "01:59", "2027-10-31T01:59:00+02:00"},
		{"after that hour", "Europe/Berlin", "2027-10-31", "03:00", "2027-10-31T03:00:00+01:00"},
		{"west of Greenwich, skipped", "America/New_York", "2027-03-14", "02:15", "2027-03-14T03:00:00-04:00"},
		{"west of Greenwich, twice", "America/New_York", "2027-11-07", "01:15", "2027-11-07T01:15:00-04:00"},
		{"half an hour, skipped", "Australia/Lord_Howe", "2027-10-03", "02:10", "2027-10-03T02:30:00+11:00"},
		{"half an hour, twice", "Australia/Lord_Howe", "2027-04-04", "01:40", "2027-04-04T01:40:00+11:00"},
		{"the day begins at one", "Africa/Cairo", "2027-04-30", "00:20", "2027-04-30T01:00:00+03:00"},
		{"the day has 25 hours, the last one twice", "Africa/Cairo", "2027-10-28", "23:30", "2027-10-28T23:30:00+03:00"},
		{"a zone without seasons", "Asia/Kolkata", "2027-03-28", "02:30", "2027-03-28T02:30:00+05:30"},
		{"a date that there was not", "Pacific/Apia", "2011-12-30", "09:00", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			clock, err := readClock(tt.clock)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := at(date(tt.date), clock, zone(t, tt.zone))
			if ok != (tt.want != "") || ok && got.Format(time.RFC3339) != tt.want {
				t.Errorf("at = %s, %t, want %q", got.Format(time.RFC3339), ok, tt.want)
			}
		})
	}
}

// everyDay is a health check each day between nine and half past ten.
func everyDay() schedules.Schedule {
	return schedules.Schedule{
		ID: uuid.MustParse("0190a7a2-0000-7000-8000-000000000001"), CallType: calls.CallHealthCheck, RRule: "FREQ=DAILY", Window: schedules.Window{From: "09:00", To: "10:30"},
		JitterMinutes: 15, Essential: true, GraceMinutes: 60, StartsOn: date("2027-01-01"),
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	before := date("2026-12-31")
	for _, tt := range []struct {
		name, field, problem string
		change               func(*schedules.Schedule)
	}{
		{"as it should be", "", "", func(*schedules.Schedule) {}},
		{"over midnight", "window.to", "does not run over midnight", func(s *schedules.Schedule) { s.Window = schedules.Window{From: "22:00", To: "01:00"} }},
		{"no window", "window.to", "must be later", func(s *schedules.Schedule) { s.Window = schedules.Window{From: "09:00", To: "09:00"} }},
		{"no clock", "window.from", "not a time of day", func(s *schedules.Schedule) { s.Window.From = "9:00" }},
		{"no such hour", "window.to", "not a time of day", func(s *schedules.Schedule) { s.Window.To = "24:00" }},
		{"jitter beyond the window", "jitterMinutes", "from 0 to 90", func(s *schedules.Schedule) { s.JitterMinutes = 91 }},
		{"a night of grace", "graceMinutes", "from 0 to 720", func(s *schedules.Schedule) { s.GraceMinutes = 721 }},
		{"ends before it starts", "endsOn", "before startsOn", func(s *schedules.Schedule) { s.EndsOn = &before }},
		{"hourly", "rrule", "finer than daily", func(s *schedules.Schedule) { s.RRule = "FREQ=HOURLY" }},
		{"never", "rrule", "has no day", func(s *schedules.Schedule) { s.RRule = "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := everyDay()
			tt.change(&s)
			_, err := Check(s)
			f, ok := errors.AsType[*FieldError](err)
			if ok != (tt.field != "") || ok && (f.Field != tt.field || !strings.Contains(f.Problem, tt.problem)) || !ok && err != nil {
				t.Errorf("Check = %v, want %s: %s", err, tt.field, tt.problem)
			}
		})
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	until := func(text string) *time.Time { d := date(text); return &d }
	moment := func(text string) time.Time {
		m, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, tt := range []struct {
		name, zone, from, to string
		change               func(*schedules.Schedule)
		pauses               []people.Pause
		holidays             Holidays
		want                 string // the day, the window and why it is left out
	}{
		{
			"across summer time", "Europe/Berlin", "2027-03-27", "2027-03-29", func(*schedules.Schedule) {}, nil, nil,
			"2027-03-27 08:00-09:30, 2027-03-28 07:00-08:30, 2027-03-29 07:00-08:30",
		},
		{
			"all of the window is skipped", "Europe/Berlin", "2027-03-28", "2027-03-28", func(s *schedules.Schedule) { s.Window = schedules.Window{From: "02:10", To: "02:50"} }, nil, nil,
			"2027-03-28 01:00-01:40",
		},
		{
			"its end is skipped", "Europe/Berlin", "2027-03-28", "2027-03-28", func(s *schedules.Schedule) { s.Window = schedules.Window{From: "01:30", To: "02:30"} }, nil, nil,
			"2027-03-28 00:30-01:00",
		},
		{
			"in an hour that comes twice", "Europe/Berlin", "2027-10-31", "2027-10-31", func(s *schedules.Schedule) { s.Window = schedules.Window{From: "02:10", To: "02:50"} }, nil, nil,
			"2027-10-31 00:10-00:50",
		},
		{
			"it ends", "UTC", "2027-01-01", "2027-01-09", func(s *schedules.Schedule) { s.EndsOn = until("2027-01-02") }, nil, nil,
			"2027-01-01 09:00-10:30, 2027-01-02 09:00-10:30",
		},
		{
			"nothing that was due before it was made", "UTC", "2027-01-01", "2027-01-02", func(s *schedules.Schedule) { s.Since = moment("2027-01-01T10:00:00Z") }, nil, nil,
			"2027-01-02 09:00-10:30",
		},
		{
			"paused days", "UTC", "2027-01-01", "2027-01-03", func(*schedules.Schedule) {},
			[]people.Pause{{StartsAt: moment("2027-01-01T00:00:00Z"), EndsAt: until("2027-01-03"), Reason: "hospital"}},
			nil,
			"2027-01-01 09:00-10:30 calls are paused: hospital, 2027-01-02 09:00-10:30 calls are paused: hospital, 2027-01-03 09:00-10:30",
		},
		{
			"a pause that ends within the grace", "UTC", "2027-01-01", "2027-01-01", func(*schedules.Schedule) {},
			[]people.Pause{{StartsAt: moment("2027-01-01T00:00:00Z"), EndsAt: &[]time.Time{moment("2027-01-01T11:00:00Z")}[0]}},
			nil,
			"2027-01-01 09:00-10:30",
		},
		{
			"a paused schedule", "UTC", "2027-01-01", "2027-01-01", func(s *schedules.Schedule) { s.Paused = true }, nil, nil,
			"2027-01-01 09:00-10:30 the schedule is paused",
		},
		{
			"a check on a holiday", "UTC", "2027-12-25", "2027-12-25", func(*schedules.Schedule) {}, nil,
			Holidays{"12-25"},
			"2027-12-25 09:00-10:30",
		},
		{
			"a chat on a holiday", "UTC", "2027-12-25", "2027-12-26", func(s *schedules.Schedule) { s.Essential = false }, nil,
			Holidays{"12-25"},
			"2027-12-25 09:00-10:30 a holiday, 2027-12-26 09:00-10:30",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := everyDay()
			tt.change(&s)
			list, err := Plan(s, people.Person{Timezone: tt.zone}, tt.pauses, tt.holidays, date(tt.from), date(tt.to))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range list {
				text := o.Day.Format(time.DateOnly) + " " + o.WindowStart.UTC().Format("15:04") + "-" + o.WindowEnd.UTC().Format("15:04") + " " + o.Skip
				got = append(got, strings.TrimSpace(text))
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("planned %s\nwant    %s", strings.Join(got, ", "), tt.want)
			}
		})
	}
}

// zones are where seasons, half hours and midnights make days odd.
var zones = []string{
	"UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/St_Johns", "America/Santiago", "Asia/Kolkata", "Asia/Kathmandu",
	"Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Africa/Cairo", "Asia/Beirut", "Africa/Casablanca", "America/Havana",
}

var rules = []string{
	"FREQ=DAILY", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;WKST=SU", "FREQ=MONTHLY;BYMONTHDAY=31",
	"FREQ=MONTHLY;BYDAY=-1FR", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "FREQ=YEARLY;BYWEEKNO=1,53;BYDAY=MO", "FREQ=DAILY;COUNT=50", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1",
}

// TestEachDayIsPlannedOnceWhereverAndWhenever holds what must be true of any plan.
func TestEachDayIsPlannedOnceWhereverAndWhenever(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(45, 1))
	clock := func(minutes int) string { return time.Unix(int64(minutes)*60, 0).UTC().Format("15:04") }
	for range 1000 {
		from := r.IntN(24*60 - 1)
		length := 1 + r.IntN(min(24*60-1-from, 300))
		s := schedules.Schedule{
			ID: uuid.UUID{byte(r.Uint32()), byte(r.Uint32())}, CallType: calls.CallGeneral, RRule: rules[r.IntN(len(rules))], Window: schedules.Window{From: clock(from), To: clock(from + length)},
			JitterMinutes: r.IntN(length + 1), Essential: r.IntN(2) == 0, GraceMinutes: r.IntN(maxGrace), StartsOn: date("2026-01-01").AddDate(0, 0, r.IntN(900)),
		}
		p := people.Person{Timezone: zones[r.IntN(len(zones))]}
		if _, err := Check(s); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		loc := p.Location()
		begin := s.StartsOn.AddDate(0, 0, r.IntN(400)-20)
		whole, err := Plan(s, p, nil, nil, begin, begin.AddDate(1, 0, 0))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[time.Time]schedules.Planned{}
		for i, o := range whole {
			if _, twice := seen[o.Day]; twice || i > 0 && !o.Day.After(whole[i-1].Day) {
				t.Fatalf("%+v in %s: %s is planned twice, or late", s, loc, o.Day)
			}
			seen[o.Day] = o
			if o.Due.Before(o.WindowStart) || o.Due.After(o.WindowEnd) || !o.WindowEnd.After(o.WindowStart) || o.Deadline.Before(o.WindowEnd) {
				t.Fatalf("%+v in %s: moments out of order: %+v", s, loc, o)
			}
			if !day(o.WindowStart, loc).Equal(o.Day) {
				t.Fatalf("%+v in %s: the window of %s begins on %s", s, loc, o.Day, o.WindowStart.In(loc))
			}
			if long := o.WindowEnd.Sub(o.WindowStart); long > time.Duration(length)*time.Minute+time.Hour {
				t.Fatalf("%+v in %s: a window of %s", s, loc, long)
			}
			if shown := onWall(o.WindowStart.In(loc)).Sub(o.Day); shown < time.Duration(from)*time.Minute {
				t.Fatalf("%+v in %s: the window begins at %s", s, loc, o.WindowStart.In(loc))
			}
		}
		// Planned bit by bit, each bit with days of the one before, it comes to the same.
		for at, end := begin, begin.AddDate(1, 0, 0); !at.After(end); {
			to := at.AddDate(0, 0, r.IntN(20))
			if to.After(end) {
				to = end
			}
			part, err := Plan(s, p, nil, nil, at, to)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range part {
				if seen[o.Day] != o {
					t.Fatalf("%+v in %s: planned as %+v, and as %+v", s, loc, o, seen[o.Day])
				}
			}
			at = to.AddDate(0, 0, 1)
		}
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	s := everyDay()
	s.JitterMinutes = 0
	now := time.Date(2027, 3, 27, 12, 0, 0, 0, time.UTC)
	pause := people.Pause{StartsAt: now, EndsAt: &[]time.Time{now.AddDate(0, 0, 1)}[0]}
	for _, tt := range []struct {
		name, rule string
		pauses     []people.Pause
		want       string
	}{
		{"tomorrow and on", "FREQ=DAILY", nil, "2027-03-28T09:00:00+02:00 2027-03-29T09:00:00+02:00"},
		{"after a pause", "FREQ=DAILY", []people.Pause{pause}, "2027-03-29T09:00:00+02:00 2027-03-30T09:00:00+02:00"},
		{"years away", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", nil, "2028-02-29T09:00:00+01:00 2032-02-29T09:00:00+01:00"},
		{"one is left", "FREQ=DAILY;UNTIL=20270328", nil, "2027-03-28T09:00:00+02:00"},
		{"none is left", "FREQ=DAILY;COUNT=3", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := s
			s.RRule = tt.rule
			list, err := Next(s, people.Person{Timezone: "Europe/Berlin"}, tt.pauses, nil, now, 2)
			var got []string
			for _, m := range list {
				got = append(got, m.Format(time.RFC3339))
			}
			if strings.Join(got, " ") != tt.want || err != nil {
				t.Errorf("Next = %v, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestLadder(t *testing.T) {
	t.Parallel()
	l, err := ReadLadder([]string{"busy=5m*3", "no_answer=15m*3", "machine=30m*2", "dropped=2m*2", "failed=10m*3"}, 6)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2027, 1, 1, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name     string
		tries    string
		deadline time.Duration
		want     schedules.Status
		after    time.Duration
	}{
		{"spoken with", "reached", time.Hour, schedules.Done, 0},
		{"spoken with at last", "busy no_answer reached", time.Hour, schedules.Done, 0},
		{"busy", "busy", time.Hour, schedules.Due, 5 * time.Minute},
		{"busy for the fourth time", "busy busy busy busy", time.Hour, schedules.Missed, 0},
		{"an answering machine is not an OK", "machine", time.Hour, schedules.Due, 30 * time.Minute},
		{"each has a ladder of its own", "busy busy busy no_answer", time.Hour, schedules.Due, 15 * time.Minute},
		{"one budget for all", "busy busy no_answer no_answer machine busy", time.Hour, schedules.Missed, 0},
		{"no time is left", "no_answer", 14 * time.Minute, schedules.Missed, 0},
		{"just enough time is left", "no_answer", 15 * time.Minute, schedules.Due, 15 * time.Minute},
		{"somebody ended it", "canceled", time.Hour, schedules.Skipped, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var tries []schedules.Attempt
			for i, r := range strings.Fields(tt.tries) {
				tries = append(tries, schedules.Attempt{N: i + 1, Result: schedules.Result(r)})
			}
			v := l.after(schedules.Occurrence{Deadline: now.Add(tt.deadline)}, tries, now)
			if v.Status != tt.want || v.Status == schedules.Due && !v.At.Equal(now.Add(tt.after)) {
				t.Errorf("verdict %+v, want %s after %s", v, tt.want, tt.after)
			}
		})
	}
	for _, wrong := range []string{"busy", "busy=5m", "sleeping=5m*3", "busy=0s*1", "busy=5x*1", "busy=5m*1000"} {
		if _, err := ReadLadder([]string{wrong}, 6); err == nil {
			t.Errorf("ReadLadder takes %q", wrong)
		}
	}
	if _, err := ReadLadder([]string{"busy=5m*3", "busy=6m*3"}, 6); err == nil {
		t.Error("ReadLadder takes a kind twice")
	}
}

func TestResultOf(t *testing.T) {
	t.Parallel()
	answered := time.Now()
	for _, tt := range []struct {
		name   string
		ending calls.Ending
		picked bool
		want   schedules.Result
	}{
		{"a goodbye", calls.Ending{Outcome: calls.OutcomeReached, Cause: "goodbye"}, true, schedules.Reached},
		{"they hung up", calls.Ending{Outcome: calls.OutcomeReached, Cause: "hung_up"}, true, schedules.Reached},
		{"they fell silent", calls.Ending{Outcome: calls.OutcomeReached, Cause: "silence"}, true, schedules.Dropped},
		{"the line broke", calls.Ending{Outcome: calls.OutcomeReached, Cause: "stream_lost"}, true, schedules.Dropped},
		{"we had no answer left", calls.Ending{Outcome: calls.OutcomeReached, Cause: calls.CauseTrouble}, true, schedules.Dropped},
		{"a machine", calls.Ending{Outcome: calls.OutcomeVoicemail, Cause: "voicemail"}, true, schedules.Machine},
		{"nobody spoke", calls.Ending{Outcome: calls.OutcomeSilent, Cause: "hung_up"}, true, schedules.NoAnswer},
		{"it rang", calls.Ending{Outcome: calls.OutcomeNoAnswer, Cause: "no_answer"}, false, schedules.NoAnswer},
		{"busy", calls.Ending{Outcome: calls.OutcomeBusy, Cause: "busy"}, false, schedules.Busy},
		{"the carrier failed", calls.Ending{Outcome: calls.OutcomeFailed, Cause: "failed"}, false, schedules.Failed},
		{"we failed in mid-call", calls.Ending{Outcome: calls.OutcomeFailed, Cause: "internal"}, true, schedules.Dropped},
		{"an operator ended it before a word", calls.Ending{Outcome: calls.OutcomeCanceled, Cause: "operator", By: "operator"}, false, schedules.Canceled},
		{"cancelled by ourselves", calls.Ending{Outcome: calls.OutcomeCanceled, Cause: "canceled", By: "naiber"}, false, schedules.Failed},
	} {
		c := calls.Call{Ending: &tt.ending}
		if tt.picked {
			c.AnsweredAt = &answered
		}
		if got := ResultOf(c); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

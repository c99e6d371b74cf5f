package schedule

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

const (
	maxGrace = 12 * 60 // minutes
	// usualGrace is the default time after its window in which an essential call may be
	// placed, in minutes.
	usualGrace = 60
	// usualJitter is the default maximum delay of the first try after the window's start,
	// in minutes: enough to keep a ward from being called in one second, and to leave most
	// of the window for further tries.
	usualJitter = 15
)

// FieldError says what is wrong with a field of a schedule, for people. Field is its name
// in the API.
type FieldError struct{ Field, Problem string }

func (e *FieldError) Error() string { return e.Field + " " + e.Problem }

// Usual returns the defaults of a schedule of a call type: whether it is essential, and the
// minutes of grace and jitter.
func Usual(t calls.CallType, w schedules.Window) (essential bool, grace, jitter int) {
	from, _ := readClock(w.From)
	to, _ := readClock(w.To)
	return t == calls.CallHealthCheck, usualGrace, max(min(usualJitter, int((to-from)/(4*time.Minute))), 0)
}

// Check validates a schedule and returns it in the form in which it is stored. Its error is
// a [*FieldError].
func Check(s schedules.Schedule) (schedules.Schedule, error) {
	if s.CallType == "" {
		return s, &FieldError{"callType", "must not be taken away"}
	}
	from, err := readClock(s.Window.From)
	if err != nil {
		return s, &FieldError{"window.from", err.Error()}
	}
	to, err := readClock(s.Window.To)
	if err != nil {
		return s, &FieldError{"window.to", err.Error()}
	}
	if to <= from {
		return s, &FieldError{"window.to", "must be later than window.from on the same day: a window does not run over midnight"}
	}
	if most := int((to - from) / time.Minute); s.JitterMinutes < 0 || s.JitterMinutes > most {
		return s, &FieldError{"jitterMinutes", fmt.Sprintf("must be from 0 to %d, the length of the window", most)}
	}
	if s.GraceMinutes < 0 || s.GraceMinutes > maxGrace {
		return s, &FieldError{"graceMinutes", fmt.Sprintf("must be from 0 to %d", maxGrace)}
	}
	if s.EndsOn != nil && s.EndsOn.Before(s.StartsOn) {
		return s, &FieldError{"endsOn", "must not be before startsOn"}
	}
	if s.RRule, err = ParseRule(s.RRule); err == nil {
		_, err = first(s.RRule, s.StartsOn, s.EndsOn)
	}
	if err != nil {
		return s, &FieldError{"rrule", err.Error()}
	}
	return s, nil
}

// Holidays are days on which no chats are placed, as "12-25" for every year or
// "2027-04-05".
type Holidays []string

func (h Holidays) on(day time.Time) bool {
	return slices.Contains(h, day.Format("01-02")) || slices.Contains(h, day.Format(time.DateOnly))
}

// Plan returns the planned days of a schedule from one day to another, inclusive, in the
// person's time zone. It leaves out days that would have been due before s.Since.
func Plan(s schedules.Schedule, p people.Person, pauses []people.Pause, holidays Holidays, from, to time.Time) ([]schedules.Planned, error) {
	if s.EndsOn != nil && s.EndsOn.Before(to) {
		to = *s.EndsOn
	}
	list, err := days(s.RRule, s.StartsOn, from, to)
	if err != nil {
		return nil, err
	}
	opens, err1 := readClock(s.Window.From)
	closes, err2 := readClock(s.Window.To)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	var out []schedules.Planned
	for _, d := range list {
		o, ok := moments(s, d, opens, closes, p.Location())
		if !ok || o.Due.Before(s.Since) {
			continue
		}
		o.Skip = skip(s, o, pauses, holidays)
		out = append(out, o)
	}
	return out, nil
}

// moments returns a day's window, and the time of its first try. If the clock skips the
// whole window, the window starts at the skip with its usual length. ok is false if the
// zone skips the day.
func moments(s schedules.Schedule, day time.Time, opens, closes time.Duration, loc *time.Location) (o schedules.Planned, ok bool) {
	start, ok := at(day, opens, loc)
	if !ok {
		return o, false
	}
	end, ok := at(day, closes, loc)
	if !ok || !end.After(start) {
		end = start.Add(closes - opens)
	}
	due := start.Add(jitter(s.ID, day, time.Duration(s.JitterMinutes)*time.Minute))
	o = schedules.Planned{Day: day, WindowStart: start, Due: due, WindowEnd: end, Deadline: end}
	if o.Due.After(end) {
		o.Due = end
	}
	if s.Essential {
		o.Deadline = end.Add(time.Duration(s.GraceMinutes) * time.Minute)
	}
	return o, true
}

// jitter returns the delay of a day's first try after the window's start, at most most. It
// is the same in every process for the same day of the same schedule.
func jitter(id uuid.UUID, day time.Time, most time.Duration) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write(id[:])                                                    // never fails, see hash.Hash
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(day.Unix())))   //nolint:gosec // any bits will do
	return time.Duration(h.Sum64()%uint64(most/time.Second+1)) * time.Second //nolint:gosec // less than most
}

// skip returns why a planned day is skipped, or "" if it is not. A pause that ends while
// the person may still be called skips nothing.
func skip(s schedules.Schedule, o schedules.Planned, pauses []people.Pause, holidays Holidays) string {
	if s.Paused {
		return "the schedule is paused"
	}
	if !s.Essential && holidays.on(o.Day) {
		return "a holiday"
	}
	for _, p := range pauses {
		if !p.StartsAt.After(o.Due) && (p.EndsAt == nil || p.EndsAt.After(o.Deadline)) {
			return "calls are paused" + reason(p.Reason)
		}
	}
	return ""
}

func reason(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// Next returns the times of the next n calls of a schedule after now, in the person's time
// zone, without skipped days.
func Next(s schedules.Schedule, p people.Person, pauses []people.Pause, holidays Holidays, now time.Time, n int) ([]time.Time, error) {
	var out []time.Time
	if s.Paused || slices.ContainsFunc(pauses, func(u people.Pause) bool { return u.EndsAt == nil && !u.StartsAt.After(now) }) {
		return out, nil
	}
	today := day(now, p.Location())
	// Search far ahead for yearly rules; others have enough days sooner.
	for from, span := today, 31; len(out) < n && from.Before(today.AddDate(horizon, 0, 0)); span *= 4 {
		to := from.AddDate(0, 0, span)
		planned, err := Plan(s, p, pauses, holidays, from, to)
		if err != nil {
			return nil, err
		}
		for _, o := range planned {
			if o.Skip == "" && o.Due.After(now) && len(out) < n {
				out = append(out, o.Due.In(p.Location()))
			}
		}
		from = to.AddDate(0, 0, 1)
	}
	return out, nil
}

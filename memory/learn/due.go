package learn

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// DuePromise is a promise that is due.
type DuePromise struct {
	memories.Promise

	// Day is the day that the promise is about, at midnight where the person lives; zero if
	// no day was said.
	Day time.Time
}

// Line returns the text of the promise with its day, for a prompt; now is the current time.
func (p DuePromise) Line(now time.Time) string {
	if p.Day.IsZero() {
		return p.Text
	}
	days := int(english.Midnight(p.Day).Sub(english.Midnight(now.In(p.Day.Location()))).Round(24*time.Hour) / (24 * time.Hour))
	when, near := map[int]string{-1: "yesterday", 0: "today", 1: "tomorrow"}[days]
	if !near {
		when = p.Day.Format("on Monday 2 January")
		if days < 0 {
			when = "it was " + when
		}
	}
	return p.Text + " (" + when + ")"
}

// offered holds for each kind of promise how many days before and after its day it is worth
// an opening.
var offered = map[string]struct{ before, after int }{
	"follow_up": {0, 30}, "appointment": {1, 7}, "birthday": {1, 6}, "anniversary": {1, 6}, "other": {0, 30},
}

// maxDue is the maximum number of promises in one opening.
const maxDue = 3

// Recollection holds what the opening of a call may use of what was learned.
type Recollection struct {
	Summary  string // of all calls, with the day of the last; empty if there is none yet
	Facts    []memories.Fact
	Promises []DuePromise // at most three, today's first
}

// Recollect returns what the opening of a call at a time may use: the summary of the
// person, at most so many facts that hold, and the promises that are due. It leaves out
// everything that the person does not want raised, and is empty if the person does not
// consent.
func (l *Learner) Recollect(ctx context.Context, who people.Person, now time.Time, facts int) (Recollection, error) {
	var r Recollection
	if !who.ID.Known() {
		return r, nil
	}
	barred, frame, err := l.cfg.Store.BarredTopics(ctx, who.ID, "", now)
	if err != nil || !frame.Consented {
		return r, err
	}
	topics := barred.All()
	if r.Facts, err = l.cfg.Store.KnownMemoryFacts(ctx, who.ID, now, facts, frame.Config, topics); err != nil {
		return r, err
	}
	r.Facts = slices.DeleteFunc(r.Facts, func(f memories.Fact) bool { return f.Stale })
	sum, _, err := l.cfg.Store.PersonSummary(ctx, nil, who.ID)
	if err != nil {
		return r, err
	}
	open, err := l.cfg.Store.OpenMemoryPromises(ctx, who.ID)
	if err != nil {
		return r, err
	}
	texts := []string{sum.Text}
	for _, p := range open {
		texts = append(texts, p.Text)
	}
	met, err := l.cfg.Store.MatchTopics(ctx, nil, frame.Config, texts, topics)
	if err != nil {
		return r, err
	}
	if sum.Text != "" && !met[0] {
		r.Summary = sum.Text + " (as of " + sum.ToAt.In(who.Location()).Format("Monday 2 January 2006") + ")"
	}
	for i, p := range open {
		day, due, err := dueNow(p, now.In(who.Location()))
		if err != nil { // an unreadable rule must not hide the other promises
			l.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "promise not read", slog.String("promise_id", p.ID.String()), slog.Any("err", err))
		} else if due && !met[i+1] {
			r.Promises = append(r.Promises, DuePromise{Promise: p, Day: day})
		}
	}
	slices.SortStableFunc(r.Promises, func(a, b DuePromise) int { return cmp.Compare(weight(a, now), weight(b, now)) })
	r.Promises = r.Promises[:min(len(r.Promises), maxDue)]
	return r, nil
}

// weight orders promises: today's first, then the nearest days, then those without a day.
func weight(p DuePromise, now time.Time) int64 {
	if p.Day.IsZero() {
		return int64(365 * 24 * time.Hour)
	}
	return int64(max(now.Sub(p.Day), p.Day.Sub(now)).Truncate(24 * time.Hour))
}

// dueNow reports whether a promise is worth an opening now, and returns its day. now must
// be in the person's time zone.
func dueNow(p memories.Promise, now time.Time) (day time.Time, due bool, err error) {
	near, ok := offered[p.Kind]
	if !ok {
		near = offered["other"]
	}
	today := asDay(now)
	local := func(d time.Time) time.Time {
		return time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, now.Location())
	}
	within := func(d time.Time) bool {
		return !d.After(today.AddDate(0, 0, near.before)) && !d.Before(today.AddDate(0, 0, -near.after))
	}
	switch {
	case p.Recurrence != "" && p.DueOn != nil:
		d, ok, err := occurrence(p, today, near.before, near.after)
		if err != nil || !ok {
			return time.Time{}, false, err
		}
		if p.UsedAt != nil && !asDay(p.UsedAt.In(now.Location())).Before(d.AddDate(0, 0, -near.before)) {
			return time.Time{}, false, nil // this occurrence was already raised
		}
		return local(d), true, nil
	case p.DueOn != nil:
		return local(*p.DueOn), within(*p.DueOn), nil
	case p.DueAt != nil:
		at := p.DueAt.In(now.Location())
		return english.Midnight(at), !at.After(now) && within(asDay(at)), nil
	default:
		return time.Time{}, true, nil
	}
}

// occurrence returns the occurrence of a recurring promise near today; ok is false if there
// is none.
func occurrence(p memories.Promise, today time.Time, before, after int) (time.Time, bool, error) {
	opt, err := rrule.StrToROption(p.Recurrence)
	var rule *rrule.RRule
	if err == nil {
		opt.Dtstart = *p.DueOn
		rule, err = rrule.NewRRule(*opt)
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("recurrence %q: %w", p.Recurrence, err)
	}
	days := rule.Between(today.AddDate(0, 0, -after), today.AddDate(0, 0, before), true)
	if len(days) == 0 {
		return time.Time{}, false, nil
	}
	return asDay(days[len(days)-1]), true, nil
}

// recurrence returns an RRULE for how often a kind of promise recurs, or "" if it does not.
// Birthdays and anniversaries recur every year, whatever a model says; a person born on 29
// February has a birthday in every year.
func recurrence(kind, repeat string, day time.Time) string {
	if kind == "birthday" || kind == "anniversary" {
		repeat = "yearly"
	}
	on := day.Day()
	if on > 28 && (repeat == "monthly" || day.Month() == time.February) {
		on = -1 // the last day
	}
	switch repeat {
	case "daily", "weekly":
		return "FREQ=" + strings.ToUpper(repeat)
	case "monthly":
		return fmt.Sprintf("FREQ=MONTHLY;BYMONTHDAY=%d", on)
	case "yearly":
		return fmt.Sprintf("FREQ=YEARLY;BYMONTH=%d;BYMONTHDAY=%d", day.Month(), on)
	default:
		return ""
	}
}

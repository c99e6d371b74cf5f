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

// DuePromise is a promise whose time has come.
type DuePromise struct {
	memories.Promise

	// Day is the one that it is about, at midnight where the person lives; zero
	// where no day was said.
	Day time.Time
}

// Line says what to come back to, for a prompt on the day of now.
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

// offered is how many days before and after its day a kind of promise is worth
// an opening.
var offered = map[string]struct{ before, after int }{
	"follow_up": {0, 30}, "appointment": {1, 7}, "birthday": {1, 6}, "anniversary": {1, 6}, "other": {0, 30},
}

// maxDue is how many promises one opening gets.
const maxDue = 3

// Recollection is what the opening of a call may use of what was learned.
type Recollection struct {
	Summary  string // of all calls, with the day of the last; empty: none yet
	Facts    []memories.Fact
	Promises []DuePromise // at most three, those of today first
}

// Recollect returns what the opening of a call at a time may use: the summary of
// the person, at most so many facts that hold, and what is due. Nothing that the
// person does not want raised is in it, and nothing at all of somebody who does
// not consent.
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
		if err != nil { // a rule that nobody can read must not silence the others
			l.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "promise not read", slog.String("promise_id", p.ID.String()), slog.Any("err", err))
		} else if due && !met[i+1] {
			r.Promises = append(r.Promises, DuePromise{Promise: p, Day: day})
		}
	}
	slices.SortStableFunc(r.Promises, func(a, b DuePromise) int { return cmp.Compare(weight(a, now), weight(b, now)) })
	r.Promises = r.Promises[:min(len(r.Promises), maxDue)]
	return r, nil
}

// weight puts what is of today first, then the nearest days, then what has none.
func weight(p DuePromise, now time.Time) int64 {
	if p.Day.IsZero() {
		return int64(365 * 24 * time.Hour)
	}
	return int64(max(now.Sub(p.Day), p.Day.Sub(now)).Truncate(24 * time.Hour))
}

// dueNow reports whether a promise is worth an opening now, and its day. now is
// where the person lives.
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
			return time.Time{}, false, nil // this time it was thought of
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

// occurrence is the one of a recurring promise that lies around today.
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

// recurrence writes how often a kind of promise comes again as an RRULE; empty: once.
// Birthdays and anniversaries come every year, whatever a model says; who was born
// on 29 February has a birthday in every year.
func recurrence(kind, repeat string, day time.Time) string {
	if kind == "birthday" || kind == "anniversary" {
		repeat = "yearly"
	}
	on := day.Day()
	if on > 28 && (repeat == "monthly" || day.Month() == time.February) {
		on = -1 // the last
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

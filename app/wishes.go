package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/personas/wishes"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

// makeWishes makes the middleware that hears on a call when people want to be
// called.
func (a *App) makeWishes() error {
	parts, err := dayParts(a.cfg.Schedules.DayParts)
	if err != nil {
		return err
	}
	a.wishes, err = wishes.New(wishes.Config{
		Store: a.store, Check: schedule.Check, Parts: parts, Log: a.log,
		Quiet: people.QuietHours{Start: a.cfg.Calls.QuietStart, End: a.cfg.Calls.QuietEnd}, LegalHours: a.cfg.Calls.LegalHours,
		Refused: func(ctx context.Context, c calls.Call, at time.Time) (until time.Time, refused bool, err error) {
			no, err := a.calls.Another(ctx, c, at)
			if no != nil && no.Until != nil {
				until = *no.Until
			}
			return until, no != nil, err
		},
		Planned: func(ctx context.Context, id uuid.UUID) {
			if err := a.schedules.Plan(ctx, id); err != nil { // the chore plans it within planEvery
				a.log.WarnContext(ctx, "changed schedule is planned later", "err", err)
			}
		},
	})
	return err
}

// dayParts parses parts of the day such as after:lunch=13:30-15:30.
func dayParts(list []string) (map[string]schedules.Window, error) {
	all := make(map[string]schedules.Window, len(list))
	for _, text := range list {
		name, hours, ok := strings.Cut(text, "=")
		from, to, ok2 := strings.Cut(hours, "-")
		if kind, of, ok3 := strings.Cut(name, ":"); !ok || !ok2 || !ok3 || kind == "" || of == "" {
			return nil, fmt.Errorf("%q has no name or no window", text)
		}
		w := schedules.Window{From: from, To: to}
		if _, err := schedule.Check(schedules.Schedule{CallType: calls.CallGeneral, RRule: "FREQ=DAILY", Window: w, StartsOn: time.Unix(0, 0).UTC()}); err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		all[name] = w
	}
	return all, nil
}

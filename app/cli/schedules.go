package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

func schedulesCmd(p Program) *cobra.Command {
	return group("schedules", "When people are called regularly", schedulesList(p), schedulesShow(p), schedulesAdd(p), schedulesNext(p),
		schedulesPause(p, "pause", "Leave out the calls of a schedule until it is resumed", true), schedulesPause(p, "resume", "Go on with a schedule", false), schedulesRemove(p), schedulesChanges(p))
}

func schedulesList(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "list [NAME|ID|PHONE]", Short: "List schedules, of one person or of everybody", Args: cobra.MaximumNArgs(1)}
	asJSON := jsonFlag(cmd)
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, args []string, t *Tools) error {
		var of store.PersonID
		if len(args) == 1 {
			who, err := findPerson(ctx, t.Store, args[0])
			if err != nil {
				return err
			}
			of = who.ID
		}
		all, err := api.EverySchedule(ctx, t.Store, of)
		if err != nil {
			return err
		}
		shapes := make([]api.Schedule, len(all))
		for i, s := range all {
			if shapes[i], err = api.ScheduleShape(ctx, t.Schedules, s.Schedule, s.Who); err != nil {
				return err
			}
		}
		next := map[uuid.UUID]string{}
		for i, s := range all {
			if len(shapes[i].Next) > 0 {
				next[s.ID] = shapes[i].Next[0].In(s.Who.Location()).Format("Mon 2006-01-02 15:04")
			}
		}
		return list(cmd, *asJSON, shapes, []string{"PERSON", "TYPE", "RULE", "WINDOW (THEIRS)", "ESSENTIAL", "NEXT", "ID"}, all, func(s api.Scheduled) []string {
			coming := cmp.Or(next[s.ID], "none")
			if s.Paused {
				coming = "paused"
			}
			return []string{s.Who.Name, string(s.CallType), s.RRule, s.Window.From + "-" + s.Window.To, yesNo(s.Essential), coming, s.ID.String()}
		})
	})
	return cmd
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// aboutSchedule returns a command function that calls do with the schedule that the first
// argument names.
func aboutSchedule(p Program, do func(ctx context.Context, cmd *cobra.Command, s api.Scheduled, t *Tools) error) func(*cobra.Command, []string) error {
	return opened(p, func(ctx context.Context, cmd *cobra.Command, args []string, t *Tools) error {
		id, err := uuid.Parse(args[0])
		if err != nil {
			return misuse("a schedule is named by its id, which `naiber schedules list` shows")
		}
		s, err := t.Store.Schedule(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("there is no schedule with the id %s", id)
		}
		if err != nil {
			return err
		}
		who, err := t.Store.Person(ctx, s.PersonID)
		if err != nil {
			return err
		}
		return do(ctx, cmd, api.Scheduled{Schedule: s, Who: who}, t)
	})
}

// lastOccurrences is how many of the person's occurrences are searched for those of a schedule.
const lastOccurrences = 1000

func schedulesShow(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "show SCHEDULE", Short: "Show a schedule, and what became of its last 30 days, as JSON", Args: cobra.ExactArgs(1)}
	cmd.RunE = aboutSchedule(p, func(ctx context.Context, cmd *cobra.Command, s api.Scheduled, t *Tools) error {
		shape, err := api.ScheduleShape(ctx, t.Schedules, s.Schedule, s.Who)
		if err != nil {
			return err
		}
		past, err := t.Store.Occurrences(ctx, schedules.Filter{PersonID: s.PersonID, From: time.Now().AddDate(0, 0, -30), Limit: lastOccurrences})
		if err != nil {
			return err
		}
		occurrences := []api.Occurrence{}
		for _, o := range past {
			if o.ScheduleID == s.ID {
				occurrences = append(occurrences, api.OccurrenceShape(o))
			}
		}
		return printJSON(cmd.OutOrStdout(), map[string]any{"schedule": shape, "occurrences": occurrences})
	})
	return cmd
}

func schedulesAdd(p Program) *cobra.Command {
	var s schedules.Schedule
	var callType, starts, ends string
	var essential bool
	cmd := &cobra.Command{
		Use: "add NAME|ID|PHONE", Short: "Call somebody regularly", Args: cobra.ExactArgs(1),
		Long: "Has somebody called on the days of a rule (RFC 5545), within a window on the clock where they live. The gate decides on\n" +
			"each call as on any other. An essential call is made up after a failure, and a human is told where it was missed;\n" +
			"health checks are essential unless it is said otherwise.",
		Example: "  naiber schedules add 'Ada King' --type health_check --rule FREQ=DAILY --from 09:00 --to 10:30\n" +
			"  naiber schedules add ada --type general --rule 'FREQ=WEEKLY;BYDAY=MO,TH' --from 15:00 --to 17:00",
	}
	cmd.RunE = about(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, _ []string, t *Tools) error {
		s.PersonID, s.CallType, s.CreatedBy = who.ID, calls.CallType(callType), "cli"
		if !slices.Contains([]calls.CallType{calls.CallGeneral, calls.CallHealthCheck, calls.CallCognitive, calls.CallApplianceHelp}, s.CallType) {
			return misuse("--type is general, health_check, cognitive or appliance_help")
		}
		usually, grace, jitter := schedule.Usual(s.CallType, s.Window)
		said := cmd.Flags().Changed
		s.Essential = said("essential") && essential || !said("essential") && usually
		if !said("grace") {
			s.GraceMinutes = grace
		}
		if !said("jitter") {
			s.JitterMinutes = jitter
		}
		first, err := time.Parse(time.DateOnly, cmp.Or(starts, time.Now().In(who.Location()).Format(time.DateOnly)))
		if err != nil {
			return misuse("--starts is a day, as YYYY-MM-DD: %w", err)
		}
		s.StartsOn = first
		if ends != "" {
			last, err := time.Parse(time.DateOnly, ends)
			if err != nil {
				return misuse("--ends is a day, as YYYY-MM-DD: %w", err)
			}
			s.EndsOn = &last
		}
		checked, err := schedule.Check(s)
		if err != nil {
			return misuse("%w", err)
		}
		kept, err := t.Store.CreateSchedule(ctx, checked, time.Now())
		if err != nil {
			return err
		}
		cmd.Println(kept.ID)
		return errors.Join(t.Schedules.Plan(ctx, kept.ID), t.audit(ctx, "schedule.add", who))
	})
	f := cmd.Flags()
	f.StringVar(&callType, "type", string(calls.CallHealthCheck), "general, health_check, cognitive or appliance_help")
	f.StringVar(&s.RRule, "rule", "", "on which days, as RFC 5545 has it: FREQ=WEEKLY;BYDAY=MO,TH")
	f.StringVar(&s.Window.From, "from", "", "from when on, where they live: 09:00")
	f.StringVar(&s.Window.To, "to", "", "until when, on the same day: 10:30")
	f.BoolVar(&essential, "essential", false, "it must not be missed; --essential=false: it may (default: health checks must not)")
	f.IntVar(&s.GraceMinutes, "grace", 0, "minutes after the window in which an essential call may still be made (default 60)")
	f.IntVar(&s.JitterMinutes, "jitter", 0, "minutes after --from by which the first try may be later (default: a quarter of the window, at most 15)")
	f.StringVar(&starts, "starts", "", "first day, as YYYY-MM-DD (default: today)")
	f.StringVar(&ends, "ends", "", "last day, as YYYY-MM-DD (default: it does not end)")
	f.StringVar(&s.Note, "note", "", "for humans; nAIber is not told")
	for _, needed := range []string{"rule", "from", "to"} {
		_ = cmd.MarkFlagRequired(needed) // the flags exist: they were added above
	}
	return cmd
}

func schedulesPause(p Program, name, short string, paused bool) *cobra.Command {
	cmd := &cobra.Command{Use: name + " SCHEDULE", Short: short, Args: cobra.ExactArgs(1)}
	cmd.RunE = aboutSchedule(p, func(ctx context.Context, cmd *cobra.Command, s api.Scheduled, t *Tools) error {
		if _, err := t.Store.ChangeSchedule(ctx, s.ID, time.Now(), func(s *schedules.Schedule) error { s.Paused = paused; return nil }); err != nil {
			return err
		}
		cmd.Printf("%s: the schedule is %sd.\n", s.Who.Name, name)
		return errors.Join(t.Schedules.Plan(ctx, s.ID), t.audit(ctx, "schedule."+name, s.Who))
	})
	return cmd
}

func schedulesRemove(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "remove SCHEDULE", Short: "End a schedule; what became of its calls stays on record", Args: cobra.ExactArgs(1)}
	cmd.RunE = aboutSchedule(p, func(ctx context.Context, cmd *cobra.Command, s api.Scheduled, t *Tools) error {
		if err := t.Store.RemoveSchedule(ctx, s.ID, time.Now()); err != nil {
			return err
		}
		cmd.Printf("%s: the schedule is removed.\n", s.Who.Name)
		return t.audit(ctx, "schedule.remove", s.Who)
	})
	return cmd
}

// lastChanges is how many changes are shown.
const lastChanges = 100

func schedulesChanges(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "changes NAME|ID|PHONE", Short: "Show what somebody has changed about their calls in a call, the latest first", Args: cobra.ExactArgs(1)}
	asJSON := jsonFlag(cmd)
	cmd.RunE = about(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, _ []string, t *Tools) error {
		changes, err := t.Store.CallChanges(ctx, who.ID, uuid.Nil, lastChanges)
		if err != nil {
			return err
		}
		shapes := make([]api.ScheduleChange, len(changes))
		for i, c := range changes {
			shapes[i] = api.ScheduleChangeShape(c)
		}
		return list(cmd, *asJSON, shapes, []string{"WHEN (THEIRS)", "CHANGED TO", "CALL ID"}, changes, func(c schedules.Change) []string {
			return []string{c.CreatedAt.In(who.Location()).Format("Mon 2006-01-02 15:04"), c.Confirmed, c.CallID.String()}
		})
	})
	return cmd
}

func schedulesNext(p Program) *cobra.Command {
	var days int
	cmd := &cobra.Command{
		Use: "next", Short: "Show whom nAIber calls in the next days, and when", Args: cobra.NoArgs,
		Long: "Shows the calls to come by their first try, on the clock where each person lives. What the gate will say is not known yet;\n" +
			"calls that are left out because of a pause or a holiday say so.",
	}
	asJSON := jsonFlag(cmd)
	cmd.Flags().IntVar(&days, "days", 7, "how many days")
	show := opened(p, func(ctx context.Context, cmd *cobra.Command, _ []string, t *Tools) error {
		calls, err := api.ComingCalls(ctx, t.Store, t.Schedules, store.PersonID{}, time.Now().AddDate(0, 0, days))
		if err != nil {
			return err
		}
		return list(cmd, *asJSON, calls, []string{"PERSON", "LOCAL TIME", "TYPE", "ESSENTIAL", "LEFT OUT"}, calls, func(c api.Coming) []string {
			due := c.Due.In(people.Person{Timezone: c.Timezone}.Location())
			return []string{c.Person, due.Format("Mon 2006-01-02 15:04 MST"), c.CallType, yesNo(c.Essential), c.LeftOut}
		})
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if days < 1 || days > 366 {
			return misuse("--days is a number from 1 to 366")
		}
		return show(cmd, args)
	}
	return cmd
}

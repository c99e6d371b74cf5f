package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

func memoryLimits(p Program) *cobra.Command {
	return group("limits", "What is not to be kept of people, or not to be brought up", limitsList(p), limitsAdd(p), limitsRemove(p))
}

func limitsList(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "list NAME|ID|PHONE", Short: "List somebody's limits that hold, the oldest first", Args: cobra.ExactArgs(1)}
	asJSON := jsonFlag(cmd)
	cmd.RunE = remembering(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, _ []string, t *Tools) error {
		limits, err := t.Store.ListLimits(ctx, nil, who.ID, time.Now())
		if err != nil {
			return err
		}
		return list(cmd, *asJSON, api.LimitShapes(limits), []string{"TOPIC", "RULE", "UNTIL", "BY", "HOW", "ID"}, limits, func(l memories.Limit) []string {
			until := "for good"
			if l.Until != nil {
				until = l.Until.In(who.Location()).Format("2006-01-02 15:04")
			}
			return []string{l.Topic, string(l.Rule), until, l.By, l.How, l.ID.String()}
		})
	})
	return cmd
}

func limitsAdd(p Program) *cobra.Command {
	var rule, until, by, how string
	cmd := &cobra.Command{
		Use: "add NAME|ID|PHONE TOPIC", Short: "Set a limit; it takes the place of one with the same topic and rule", Args: cobra.ExactArgs(2),
		Long: "Sets a limit on a topic of one or a few words. never_raise: kept, but never brought up. never_store: neither kept nor\n" +
			"brought up. cool_down: not brought up before a day, unless the person does. What was kept before stays; see\n" +
			"`naiber memory forget`.",
		Example: "  naiber memory limits add 'Ada King' brother --by 'Ada King'\n" +
			"  naiber memory limits add 'Ada King' arthritis --rule cool_down --until 2027-01-31 --by 'Susan King'",
	}
	cmd.RunE = remembering(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, args []string, t *Tools) error {
		limit := memories.Limit{PersonID: who.ID, Topic: args[0], Rule: memories.LimitRule(rule), By: by, How: how}
		if until != "" {
			day, err := time.ParseInLocation(time.DateOnly, until, who.Location())
			if err != nil {
				return misuse("--until is a day, as YYYY-MM-DD: %w", err)
			}
			limit.Until = &day
		}
		kept, err := t.Memory.SetLimit(ctx, limit)
		if errors.Is(err, memory.ErrInvalid) {
			return fmt.Errorf("not set: %w", err)
		}
		if err != nil {
			return err
		}
		cmd.Println(kept.ID)
		return t.audit(ctx, "memory.limit.set", who)
	})
	f := cmd.Flags()
	f.StringVar(&rule, "rule", string(memories.NeverRaise), "never_raise, never_store or cool_down")
	f.StringVar(&until, "until", "", "the day on which it ends where the person lives, as YYYY-MM-DD (default: it does not)")
	f.StringVar(&by, "by", "", "who wishes it")
	f.StringVar(&how, "how", "cli", "how it was wished")
	_ = cmd.MarkFlagRequired("by") // the flag exists: it was added above
	return cmd
}

func limitsRemove(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "remove NAME|ID|PHONE LIMIT", Short: "Take a limit back, by its id", Args: cobra.ExactArgs(2)}
	cmd.RunE = remembering(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, args []string, t *Tools) error {
		id, err := uuid.Parse(args[0])
		if err != nil {
			return misuse("a limit is named by its id, which `naiber memory limits list` shows: %w", err)
		}
		err = t.Store.DeleteMemoryLimit(ctx, who.ID, id)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("%s has no limit with the id %s", who.Name, id)
		}
		if err != nil {
			return err
		}
		cmd.Printf("%s: the limit is taken back.\n", who.Name)
		return t.audit(ctx, "memory.limit.lift", who)
	})
	return cmd
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
)

func alertsCmd(p Program) *cobra.Command {
	return group("alerts", "What a human being must hear of: who was told, who sees to it, what came of it",
		alertsList(p), alertsShow(p), alertsAcknowledge(p), alertsClose(p))
}

var alertStatuses = []string{string(alerts.Open), string(alerts.Notified), string(alerts.Acknowledged), string(alerts.Closed)}

func alertsList(p Program) *cobra.Command {
	var who, status string
	var tier, limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List alerts, newest first", Args: cobra.NoArgs,
		Example: "  naiber alerts list --status notified --tier 4",
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, _ []string, t *Tools) error {
		if status != "" && !slices.Contains(alertStatuses, status) {
			return misuse("--status is %s", strings.Join(alertStatuses, ", "))
		}
		if tier < 0 || tier > int(alerts.Now) {
			return misuse("--tier is a number from 1 to %d", alerts.Now)
		}
		f := alerts.Filter{Status: alerts.Status(status), Tier: alerts.Tier(tier), Limit: max(limit, 1)}
		if who != "" {
			person, err := findPerson(ctx, t.Store, who)
			if err != nil {
				return err
			}
			f.PersonID = person.ID
		}
		found, err := t.Store.Alerts(ctx, f)
		if err != nil {
			return err
		}
		who := map[store.PersonID]people.Person{}
		for _, a := range found {
			if who[a.PersonID], err = t.subject(ctx, a); err != nil {
				return err
			}
		}
		return list(cmd, *asJSON, api.AlertShapes(found), []string{"ID", "RAISED", "TIER", "KIND", "PERSON", "STATUS", "BY"}, found, func(a alerts.Alert) []string {
			return []string{a.ID.String(), clockOf(who[a.PersonID], a.CreatedAt), strconv.Itoa(int(a.Tier)), a.Kind, cmp.Or(who[a.PersonID].Name, "-"), string(a.Status), cmp.Or(a.ClosedBy, a.AcknowledgedBy)}
		})
	})
	cmd.Flags().StringVar(&who, "person", "", "only those of this NAME, ID or PHONE")
	cmd.Flags().StringVar(&status, "status", "", "only those that are "+strings.Join(alertStatuses, ", "))
	cmd.Flags().IntVar(&tier, "tier", 0, "only those of this tier: 4 now, 3 urgent, 2 same day, 1 digest")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many at most")
	return cmd
}

// subject returns the person whom an alert is about, or the zero person for an operator's alert.
func (t *Tools) subject(ctx context.Context, a alerts.Alert) (people.Person, error) {
	if !a.PersonID.Known() {
		return people.Person{}, nil
	}
	return t.Store.Person(ctx, a.PersonID)
}

// clockOf formats a time in the person's time zone, or in the local one for the zero person, with
// the zone.
func clockOf(p people.Person, at time.Time) string {
	zone := time.Local
	if p.ID.Known() {
		zone = p.Location()
	}
	return at.In(zone).Format("2006-01-02 15:04:05 MST")
}

func alertsShow(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "show ID", Short: "Show an alert, and all that happened to it", Args: cobra.ExactArgs(1)}
	asJSON := jsonFlag(cmd)
	cmd.RunE = aboutAlert(p, func(ctx context.Context, cmd *cobra.Command, a alerts.Alert, t *Tools) error {
		return t.printAlert(ctx, cmd, a, *asJSON)
	})
	return cmd
}

func alertsAcknowledge(p Program) *cobra.Command {
	var by, note string
	cmd := &cobra.Command{
		Use: "acknowledge ID", Short: "Say that somebody sees to it: nobody else is told", Args: cobra.ExactArgs(1),
		Example: "  naiber alerts acknowledge 0190c3f0-0000-7000-8000-000000000001 --by 'Ruth Lamb' --note 'driving there'",
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = aboutAlert(p, func(ctx context.Context, cmd *cobra.Command, a alerts.Alert, t *Tools) error {
		_, err := t.Store.AcknowledgeAlert(ctx, a.ID, alerts.Answer{By: by, How: "cli", Note: note})
		return t.printAnswered(ctx, cmd, a.ID, err, *asJSON)
	})
	cmd.Flags().StringVar(&by, "by", whoami(), "the name of the human being who sees to it")
	cmd.Flags().StringVar(&note, "note", "", "what there is to say about it")
	return cmd
}

func alertsClose(p Program) *cobra.Command {
	var by, outcome string
	cmd := &cobra.Command{
		Use: "close ID", Short: "Say what came of it", Args: cobra.ExactArgs(1),
		Example: "  naiber alerts close 0190c3f0-0000-7000-8000-000000000001 --by 'Ruth Lamb' --outcome 'Spoke with her, she is fine.'",
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = aboutAlert(p, func(ctx context.Context, cmd *cobra.Command, a alerts.Alert, t *Tools) error {
		_, err := t.Store.CloseAlert(ctx, a.ID, alerts.Answer{By: by, How: "cli"}, outcome)
		return t.printAnswered(ctx, cmd, a.ID, err, *asJSON)
	})
	cmd.Flags().StringVar(&by, "by", whoami(), "who closes it")
	cmd.Flags().StringVar(&outcome, "outcome", "", "what came of it")
	if err := cmd.MarkFlagRequired("outcome"); err != nil {
		panic(err) // the flag is made above
	}
	return cmd
}

// aboutAlert returns a command function that calls do with the alert that the first argument
// names.
func aboutAlert(p Program, do func(ctx context.Context, cmd *cobra.Command, a alerts.Alert, t *Tools) error) func(*cobra.Command, []string) error {
	return opened(p, func(ctx context.Context, cmd *cobra.Command, args []string, t *Tools) error {
		id, err := uuid.Parse(args[0])
		if err != nil {
			return misuse("%q is no id of an alert; `naiber alerts list` shows them", args[0])
		}
		a, err := t.Store.Alert(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("no alert has the id %s", id)
		}
		if err != nil {
			return err
		}
		return do(ctx, cmd, a, t)
	})
}

// printAnswered prints an alert after it was answered, or returns why the answer was refused.
func (t *Tools) printAnswered(ctx context.Context, cmd *cobra.Command, id uuid.UUID, answered error, asJSON bool) error {
	a, err := t.Store.Alert(ctx, id)
	switch {
	case errors.Is(answered, alerts.ErrTaken):
		who, err := t.subject(ctx, a)
		return cmp.Or(err, fmt.Errorf("%s sees to it since %s", a.AcknowledgedBy, clockOf(who, *a.AcknowledgedAt)))
	case errors.Is(answered, alerts.ErrClosed):
		return fmt.Errorf("%s has closed it: %s", a.ClosedBy, a.Outcome)
	case errors.Is(answered, alerts.ErrUnsaid):
		return misuse("say who it is (--by), and to close it, what came of it (--outcome)")
	case answered != nil || err != nil:
		return cmp.Or(answered, err)
	}
	return t.printAlert(ctx, cmd, a, asJSON)
}

func (t *Tools) printAlert(ctx context.Context, cmd *cobra.Command, a alerts.Alert, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		return printJSON(out, api.AlertShape(a))
	}
	who, err := t.subject(ctx, a)
	if err != nil {
		return err
	}
	line := func(label, text string) {
		if text != "" {
			_, _ = fmt.Fprintf(out, "%-9s %s\n", label, english.OneLine(text)) // a closed pipe ends the program
		}
	}
	line("Alert", a.ID.String())
	line("Person", cmp.Or(who.Name, "-"))
	line("What", fmt.Sprintf("%s, tier %d", a.Kind, a.Tier))
	line("Said", a.Quote)
	line("Why", a.Why)
	line("Status", string(a.Status))
	if a.Awaited() && a.DueAt != nil {
		line("Next", "others are told at "+clockOf(who, *a.DueAt))
	}
	if len(a.Notices) > 0 {
		rows := make([][]string, len(a.Notices))
		for i, n := range a.Notices {
			at := func(t *time.Time) string {
				if t == nil {
					return ""
				}
				return clockOf(who, *t)
			}
			rows[i] = []string{n.Name, n.Channel, n.Address, n.Status, at(n.SentAt), at(n.DeliveredAt), n.Detail}
		}
		_, _ = io.WriteString(out, "\n")
		table(out, []string{"TOLD", "CHANNEL", "ADDRESS", "STATUS", "SENT", "DELIVERED", "DETAIL"}, rows)
	}
	rows := make([][]string, len(a.Events))
	for i, e := range a.Events {
		rows[i] = []string{clockOf(who, e.At), e.Kind, e.ByWhom, english.OneLine(e.Detail)}
	}
	_, _ = io.WriteString(out, "\n")
	table(out, []string{"AT", "WHAT", "BY", "DETAIL"}, rows)
	return nil
}

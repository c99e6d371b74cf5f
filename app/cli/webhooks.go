package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/webhooks"
)

func webhooksCmd(p Program) *cobra.Command {
	return group("webhooks", "URLs that are told of events: an alert, a call, a consent", webhooksAdd(p), webhooksList(p), webhooksDelete(p), webhooksDeliveries(p), webhooksReplay(p))
}

func webhooksAdd(p Program) *cobra.Command {
	var events []string
	cmd := &cobra.Command{
		Use: "add URL", Short: "Have a URL told of events by the running server, and print the secret that signs them", Args: cobra.ExactArgs(1),
		Example: "  naiber webhooks add https://example.org/naiber --events alert.raised,alert.closed",
	}
	asJSON := jsonFlag(cmd)
	cmd.Flags().StringSliceVar(&events, "events", webhooks.Events, "what it is told of")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, e := range events {
			if !slices.Contains(webhooks.Events, e) {
				return misuse("--events are %s", strings.Join(webhooks.Events, ", "))
			}
		}
		remote, err := p.Remote(cmd.Context())
		if err != nil {
			return err
		}
		w, err := remote.AddWebhook(cmd.Context(), args[0], events)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(cmd.OutOrStdout(), w)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\nThe secret is shown this once: %s\n", w.ID, w.Secret)
		return err
	}
	return cmd
}

func webhooksList(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the URLs that are told of events", Args: cobra.NoArgs}
	asJSON := jsonFlag(cmd)
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, _ []string, t *Tools) error {
		all, err := t.Store.Webhooks(ctx)
		if err != nil {
			return err
		}
		return list(cmd, *asJSON, api.WebhookShapes(all), []string{"ID", "URL", "EVENTS", "FAILING SINCE"}, all, func(w webhooks.Webhook) []string {
			since := "-"
			if w.FailingSince != nil {
				since = clock(*w.FailingSince)
			}
			return []string{w.ID.String(), w.Url, strings.Join(w.Events, ","), since}
		})
	})
	return cmd
}

// aboutWebhook returns a command function that parses the arguments as ids and
// calls do with them.
func aboutWebhook(p Program, do func(ctx context.Context, cmd *cobra.Command, ids []uuid.UUID, t *Tools) error) func(*cobra.Command, []string) error {
	return opened(p, func(ctx context.Context, cmd *cobra.Command, args []string, t *Tools) error {
		ids := make([]uuid.UUID, len(args))
		for i, arg := range args {
			var err error
			if ids[i], err = uuid.Parse(arg); err != nil {
				return misuse("%q is no id; `naiber webhooks list` and `naiber webhooks deliveries` show them", arg)
			}
		}
		err := do(ctx, cmd, ids, t)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("there is no such webhook or delivery: %s", strings.Join(args, " "))
		}
		return err
	})
}

func (t *Tools) auditWebhook(ctx context.Context, action string, id uuid.UUID) error {
	return t.Store.AddAudit(ctx, calls.Audit{Actor: "cli", Action: action, Subject: id.String()})
}

func webhooksDelete(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "delete ID", Short: "Tell a URL nothing any more", Args: cobra.ExactArgs(1)}
	cmd.RunE = aboutWebhook(p, func(ctx context.Context, _ *cobra.Command, ids []uuid.UUID, t *Tools) error {
		if err := t.Store.RemoveWebhook(ctx, ids[0]); err != nil {
			return err
		}
		return t.auditWebhook(ctx, "webhook.remove", ids[0])
	})
	return cmd
}

func webhooksDeliveries(p Program) *cobra.Command {
	var status string
	var limit int
	cmd := &cobra.Command{Use: "deliveries ID", Short: "List what a webhook was told, newest first, and what it answered", Args: cobra.ExactArgs(1)}
	asJSON := jsonFlag(cmd)
	statuses := []string{string(webhooks.Pending), string(webhooks.Delivered), string(webhooks.Failed)}
	cmd.RunE = aboutWebhook(p, func(ctx context.Context, cmd *cobra.Command, ids []uuid.UUID, t *Tools) error {
		if status != "" && !slices.Contains(statuses, status) {
			return misuse("--status is %s", strings.Join(statuses, ", "))
		}
		if _, err := t.Store.Webhook(ctx, ids[0]); err != nil {
			return err
		}
		all, err := t.Store.Deliveries(ctx, ids[0], webhooks.Filter{Status: webhooks.Status(status), Limit: max(limit, 1)})
		if err != nil {
			return err
		}
		return list(cmd, *asJSON, api.DeliveryShapes(all), []string{"ID", "AT", "TYPE", "STATUS", "TRIES", "LAST"}, all, func(d webhooks.Delivery) []string {
			last := "-"
			if n := len(d.Attempts); n > 0 {
				a := d.Attempts[n-1]
				last = strings.TrimSpace(strconv.Itoa(a.Status) + " " + english.OneLine(a.Error))
			}
			return []string{d.ID.String(), clock(d.Event.At), d.Event.Type, string(d.Status), strconv.Itoa(len(d.Attempts)), last}
		})
	})
	cmd.Flags().StringVar(&status, "status", "", "only those that are "+strings.Join(statuses, ", "))
	cmd.Flags().IntVar(&limit, "limit", 50, "how many at most")
	return cmd
}

func webhooksReplay(p Program) *cobra.Command {
	cmd := &cobra.Command{Use: "replay ID DELIVERY", Short: "Tell a webhook of an event once more", Args: cobra.ExactArgs(2)}
	cmd.RunE = aboutWebhook(p, func(ctx context.Context, cmd *cobra.Command, ids []uuid.UUID, t *Tools) error {
		id, err := t.Store.Replay(ctx, ids[0], ids[1])
		if err != nil {
			return err
		}
		if err := t.auditWebhook(ctx, "webhook.replay", ids[0]); err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), id)
		return err
	})
	return cmd
}

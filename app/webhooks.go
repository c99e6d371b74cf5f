package app

import (
	"context"
	"time"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/jobs/webhook"
)

// pruneWebhooksEvery is how often old events of webhooks and their deliveries
// are deleted.
const pruneWebhooksEvery = 6 * time.Hour

func (a *App) makeWebhooks(context.Context) error {
	a.webhooks = webhook.New(webhook.Config{
		Store: a.store, Key: a.cfg.Webhooks.Key.Reveal(), Keep: time.Duration(a.cfg.Webhooks.KeepDays) * 24 * time.Hour, Log: a.log,
	})
	return nil
}

func (a *App) webhookChore() jobs.Chore {
	return jobs.Chore{Name: "prune_webhooks", Every: pruneWebhooksEvery, Do: a.webhooks.Prune}
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/jobs/escalation"
	"github.com/naiber/naiber/jobs/webhook"
	"github.com/naiber/naiber/personas/safety"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony"
)

// makeAlerts makes the escalation, which notifies people of every alert that is raised. The jobs
// are made after it, and none runs until every part is made.
func (a *App) makeAlerts(ctx context.Context) error {
	ladders, err := a.cfg.ladders()
	if err != nil {
		return err
	}
	c := a.cfg.Alerts
	a.escalation = escalation.New(escalation.Config{
		Store: a.store, Ladders: ladders, Confidential: c.Confidential, Repeat: c.Repeat, RepeatFor: c.RepeatFor, LinkTTL: c.LinkTTL,
		WelfareNumber: func(phone string) string { return byCountry(c.WelfareNumbers)[safety.CountryOf(phone)] },
		OnCall:        escalation.OnCall{Name: c.OnCallName, Phone: c.OnCallPhone, Email: c.OnCallEmail, Webhook: c.OnCallWebhook, Language: c.OnCallLanguage},
		PublicURL:     cmp.Or(a.cfg.Server.PublicURL, localURL(a.Addr())), Channels: a.channels(), Log: a.log, Metrics: a.metrics,
		ScheduleStep: func(ctx context.Context, tx store.Tx, d alerts.Due, at time.Time) error {
			return a.jobs.ScheduleEscalation(ctx, tx, d, at)
		},
		ScheduleNotice: func(ctx context.Context, tx store.Tx, id uuid.UUID, at time.Time) error {
			return a.jobs.ScheduleNotice(ctx, tx, id, at)
		},
	})
	a.store.OnAlert(a.escalation.Raised)
	if c.OnCallPhone == "" && c.OnCallEmail == "" && c.OnCallWebhook == "" && a.opts.Sandbox == nil {
		a.log.WarnContext(ctx, "nobody is on call: alerts that no contact sees to reach nobody; set alerts.on_call_phone, on_call_email or on_call_webhook")
	}
	return nil
}

// ladders returns the ladder of each tier.
func (c Config) ladders() (map[alerts.Tier]escalation.Ladder, error) {
	all := make(map[alerts.Tier]escalation.Ladder)
	for tier, lines := range map[alerts.Tier][]string{
		alerts.Now: c.Alerts.Now, alerts.Urgent: c.Alerts.Urgent, alerts.SameDay: c.Alerts.SameDay, alerts.Digest: c.Alerts.Digest,
	} {
		var err error
		if all[tier], err = escalation.ParseLadder(lines); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// channels returns the configured channels for notices. Without a mail server, the sandbox marks
// mails as sent, so that the console can show them.
func (a *App) channels() map[string]escalation.Channel {
	all := map[string]escalation.Channel{
		// No notice is sent until every part is made.
		alerts.SMS:  telephoned(func(ctx context.Context, n telephony.Notice) (string, error) { return a.calls.TextNotice(ctx, n) }),
		alerts.Call: telephoned(func(ctx context.Context, n telephony.Notice) (string, error) { return a.calls.CallNotice(ctx, n) }),
	}
	switch {
	case a.mails != nil:
		all[alerts.Email] = escalation.Email{Store: a.store, Sender: a.mails}
	case a.opts.Sandbox != nil:
		all[alerts.Email] = escalation.Email{Store: a.store}
	}
	if secret := a.cfg.Alerts.WebhookSecret; !secret.Empty() {
		all[alerts.Webhook] = escalation.Webhook{Secret: secret.Reveal(), HTTP: webhook.Client()}
	}
	return all
}

// telephoned is a channel over the telephone network.
type telephoned func(ctx context.Context, n telephony.Notice) (sid string, err error)

// Send implements [escalation.Channel].
func (send telephoned) Send(ctx context.Context, n escalation.Notice) (string, error) {
	sid, err := send(ctx, telephony.Notice{ID: n.ID, To: n.Address, Language: n.Language, Text: n.Text, Link: n.Link})
	if errors.Is(err, telephony.ErrNoticeRefused) {
		err = fmt.Errorf("%w: %w", escalation.ErrRefused, err)
	}
	return sid, err
}

// textsKept is how long the record of answered text messages is kept. That is longer than a
// carrier redelivers one.
const textsKept = 30 * 24 * time.Hour

func (a *App) textChore() jobs.Chore {
	return jobs.Chore{Name: "prune_texts", Every: 24 * time.Hour, Do: func(ctx context.Context) error {
		return a.store.PruneTexts(ctx, time.Now().Add(-textsKept))
	}}
}

// alertHead returns the words for what an alert is about.
func alertHead(language string, p people.Person, kind string) string {
	return escalation.WordsIn(language).Head(p, kind)
}

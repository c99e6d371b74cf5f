package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/jobs/mail"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/personas/appliance"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/repairs"
)

// makeAppliance makes the appliance helper, and adds it to general calls. Its sessions are stored
// in PostgreSQL alone, as the council's rounds are.
func (a *App) makeAppliance(context.Context) error {
	threads, err := checkpoint.New(a.store, checkpoint.Config{Keep: a.cfg.Checkpoints.Keep, TTL: a.cfg.Checkpoints.TTL, Log: a.log})
	if err != nil {
		return err
	}
	a.onStopDo(threads.Close)
	if a.cfg.Email.Host != "" {
		if a.mails, err = mail.New(a.cfg.mailConfig(), a.store, a.log); err != nil {
			return err
		}
	}
	a.appliance, err = appliance.New(appliance.Config{
		Model: a.model, SmallModel: a.cfg.Appliance.SmallModel, Catalogue: a.store, Mailer: mailer{a}, Contacts: addresses{a.store},
		Checkpoints: threads, Emergency: a.safety.Number, Log: a.log, Metrics: a.metrics,
	})
	if err != nil {
		return err
	}
	help := orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		defer a.snapshotRepair(ctx, t.Line)
		return a.appliance.Reply(ctx, t, s)
	})
	a.register(calls.CallApplianceHelp, help, a.learner.Learn, a.coolDown)
	a.replies[calls.CallGeneral] = a.withAppliance(a.replies[calls.CallGeneral])
	return nil
}

// withAppliance returns a persona in which the appliance helper takes its own turns and next the
// others.
func (a *App) withAppliance(next orchestration.Persona) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		passed := false
		err := a.appliance.Within(orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
			passed = true
			return next.Reply(ctx, t, s)
		})).Reply(ctx, t, s)
		if !passed {
			a.snapshotRepair(ctx, t.Line)
		}
		return err
	})
}

// snapshotWithin bounds the snapshot after a turn, when everything has been said.
const snapshotWithin = 2 * time.Second

// snapshotRepair stores a snapshot of what a call has established about an appliance, for people
// to look at.
func (a *App) snapshotRepair(ctx context.Context, line calls.Line) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), snapshotWithin)
	defer cancel()
	st, found, err := a.appliance.Peek(ctx, line.Person.ID, line.Call.ID.String())
	if err == nil && found {
		var raw []byte
		if raw, err = json.Marshal(st); err == nil {
			err = a.store.SnapshotRepair(ctx, line.Call.ID, raw)
		}
	}
	if err != nil {
		a.log.WarnContext(ctx, "what is known of an appliance is not kept to be looked at", "call_id", line.Call.ID, "err", err)
	}
}

// repairsEvery is how often expired sessions are looked for.
const repairsEvery = time.Hour

// archiveChore returns the chore that ends sessions about appliances that nobody continues.
func (a *App) archiveChore() jobs.Chore {
	return jobs.Chore{Name: "archive_repairs", Every: min(repairsEvery, a.cfg.Appliance.SessionTTL), Do: func(ctx context.Context) error {
		n, err := a.store.ArchiveRepairs(ctx, a.cfg.Appliance.SessionTTL)
		if n > 0 {
			a.log.InfoContext(ctx, "sessions about appliances archived", "count", n)
		}
		return err
	}}
}

// repairLease bounds a written answer: the helper waits less long for models. After a crash, a
// session takes no message until the lease ends.
const repairLease = 45 * time.Second

func (c Config) repairLimits() repairs.Limits {
	return repairs.Limits{TTL: c.Appliance.SessionTTL, MaxMessages: c.Appliance.MaxMessages, Lease: min(c.Chat.Deadline, repairLease)}
}

// sendMail sends the mail that a job names.
func (a *App) sendMail(ctx context.Context, id uuid.UUID, last bool) error {
	if a.mails == nil {
		return errors.New("email.host is not set")
	}
	return a.mails.Send(ctx, id, last)
}

// mailer stores the appliance helper's mails, each with the job that sends it.
type mailer struct{ a *App }

var _ appliance.Mailer = mailer{}

// Send stores a mail, once for each key. Without a mail server, the sandbox marks it as sent, so
// that the console can show it; elsewhere Send returns [appliance.ErrNoMail].
func (m mailer) Send(ctx context.Context, s appliance.Summary) error {
	sandbox := m.a.opts.Sandbox != nil
	if m.a.mails == nil && !sandbox {
		return appliance.ErrNoMail
	}
	r, err := m.render(ctx, s)
	if err != nil {
		return err
	}
	kept := mails.Mail{Key: s.Key, PersonID: s.Person, To: s.To, Subject: r.Subject, HTML: r.HTML, Text: r.Text, CreatedAt: time.Now()}
	if m.a.mails == nil {
		kept.SentAt = &kept.CreatedAt
	}
	return m.a.store.InTx(ctx, func(tx store.Tx) error {
		added, err := m.a.store.AddMail(ctx, tx, kept)
		if err != nil || !added {
			return err
		}
		if err := m.a.store.AddAuditTx(ctx, tx, calls.Audit{Actor: "appliance", Action: "mail.send", PersonID: s.Person, Subject: s.Key}); err != nil || kept.SentAt != nil {
			return err
		}
		return m.a.jobs.ScheduleMail(ctx, tx, mails.ID(s.Key))
	})
}

// render returns the mail of a summary, in the person's language. The mail may link only to hosts
// of the catalogue's pictures and videos.
func (m mailer) render(ctx context.Context, s appliance.Summary) (mail.Rendered, error) {
	out := mail.Summary{Title: s.Title, Body: s.Body, HelpURL: m.a.cfg.Appliance.HelpURL}
	if s.Person.Known() {
		p, err := m.a.store.Person(ctx, s.Person)
		if err != nil {
			return mail.Rendered{}, err
		}
		out.Language = p.Language
	}
	hosts := map[string]bool{}
	links := func(from []appliance.Link) (to []mail.Link, err error) {
		for _, l := range from {
			if u, bad := url.Parse(l.URL); bad == nil {
				host := strings.ToLower(u.Hostname())
				if hosts[host], err = m.a.store.CatalogueHost(ctx, host); err != nil {
					return nil, err
				}
			}
			to = append(to, mail.Link(l))
		}
		return to, nil
	}
	var err error
	if out.Videos, err = links(s.Videos); err != nil {
		return mail.Rendered{}, err
	}
	if out.Images, err = links(s.Images); err != nil {
		return mail.Rendered{}, err
	}
	return mail.Render(out, func(host string) bool { return hosts[host] })
}

// addresses looks up the e-mail addresses on record.
type addresses struct{ store *store.Store }

// Addresses returns a person's own address, and those of their contacts.
func (d addresses) Addresses(ctx context.Context, id store.PersonID) ([]appliance.Address, error) {
	if !id.Known() {
		return nil, nil
	}
	p, err := d.store.Person(ctx, id)
	if err != nil {
		return nil, err
	}
	contacts, err := d.store.Contacts(ctx, id)
	var out []appliance.Address
	if p.Email != "" {
		out = append(out, appliance.Address{Email: p.Email})
	}
	for _, c := range contacts {
		if c.Email != "" {
			out = append(out, appliance.Address{Name: c.Name, Email: c.Email})
		}
	}
	return out, err
}

// askMail returns how many mails gave up. It does not connect to the server: whether a mail
// leaves is seen in its job.
func (a *App) askMail(ctx context.Context) (string, error) {
	st, err := a.jobs.Stats(ctx)
	if err != nil {
		return "", err
	}
	sent := st.Counts[jobs.SendMailArgs{}.Kind()]
	return gaveUp(sent["discarded"] + sent["cancelled"]), nil
}

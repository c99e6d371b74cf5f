package escalation

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
)

// Notice is a message for a channel to send.
type Notice struct {
	ID       uuid.UUID // the same for each try
	Alert    alerts.Alert
	Person   people.Person // without a name if the alert concerns no person
	Channel  string
	Name     string // of the receiver
	Address  string // a telephone number, an e-mail address or a URL, depending on Channel
	Language string // a language with texts
	Subject  string
	Text     string // who, what and when; may also be spoken
	Link     string // for acknowledging the alert
	At       time.Time
	Last     bool // it is not tried again
}

// Channel sends notices. It returns the provider's id of what it sent, by which the
// provider reports the result, or "". An error that wraps [ErrRefused] ends the notice;
// after any other it is tried again. Send may be called twice for one notice, and
// concurrently, and must return when its context is done.
type Channel interface {
	Send(ctx context.Context, n Notice) (providerID string, err error)
}

// Send sends a notice, unless it is no longer needed or another process has claimed it.
// After an error it must be tried again.
func (e *Escalation) Send(ctx context.Context, id uuid.UUID) error {
	now := e.cfg.Now()
	token := rand.Text()
	n, a, err := e.cfg.Store.ClaimNotice(ctx, id, alerts.Claim{At: now, Lapsed: now.Add(-lease), Token: token, Expires: now.Add(e.cfg.LinkTTL)})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	message, err := e.message(ctx, n, a, token)
	providerID := ""
	if err == nil {
		providerID, err = e.deliver(ctx, message)
	}
	after := context.WithoutCancel(ctx)
	switch {
	case err == nil:
		e.notices.WithLabelValues(n.Channel, "sent").Inc()
		return e.sent(after, id, providerID)
	case errors.Is(err, ErrRefused), n.Attempts >= maxTries:
		e.notices.WithLabelValues(n.Channel, "failed").Inc()
		e.cfg.Log.WarnContext(ctx, "notice of an alert is given up", "alert_id", a.ID, "notice_id", id, "channel", n.Channel, "attempt", n.Attempts, "err", err)
		step, all, failed := e.cfg.Store.NoticeFailed(after, id, err.Error())
		if failed == nil && all {
			failed = e.next(ctx, step)
		}
		return failed
	default:
		e.notices.WithLabelValues(n.Channel, "retried").Inc()
		return errors.Join(fmt.Errorf("send notice %s by %s: %w", id, n.Channel, err), e.cfg.Store.ReleaseNotice(after, id, err.Error()))
	}
}

// deliver passes a notice to its channel. It recovers a panic of the channel.
func (e *Escalation) deliver(ctx context.Context, n Notice) (providerID string, err error) {
	defer func() {
		if p := recover(); p != nil { // a sweep runs outside of a job that would recover
			e.cfg.Log.ErrorContext(ctx, "channel panicked", "channel", n.Channel, "panic", p, "stack", string(debug.Stack()))
			err = errors.New("channel panicked")
		}
	}()
	channel := e.cfg.Channels[n.Channel]
	if channel == nil { // it existed when the step was taken
		return "", fmt.Errorf("no such channel: %w", ErrRefused)
	}
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	return channel.Send(ctx, n)
}

func (e *Escalation) sent(ctx context.Context, id uuid.UUID, providerID string) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		return struct{}{}, e.cfg.Store.NoticeSent(ctx, id, providerID, e.cfg.Now())
	}, backoff.WithMaxElapsedTime(notedWithin))
	if err != nil {
		e.cfg.Log.ErrorContext(ctx, "notice of an alert left and is not noted as sent; it will be sent again", "notice_id", id, "err", err)
	}
	return err
}

// message returns the message for a notice.
func (e *Escalation) message(ctx context.Context, n alerts.Notice, a alerts.Alert, token string) (Notice, error) {
	p, told, err := e.who(ctx, a)
	if err != nil {
		return Notice{}, err
	}
	contacts := len(told)
	if duty := e.duty(); duty != nil {
		told = append(told, *duty)
	}
	// Since the step was taken, a contact may have been removed, or barred from such
	// alerts.
	if !e.among(told, n.Channel, n.Address) {
		return Notice{}, fmt.Errorf("nobody at this address is to be told any more: %w", ErrRefused)
	}
	w := WordsIn(n.Language)
	text := w.text(p, a.Kind, a.CreatedAt, a.Unsure)
	if n.ContactID == uuid.Nil && wantsVisit(a, n.Step, contacts) {
		text += " " + w.Notice.Welfare
		if number := e.cfg.WelfareNumber; number != nil && number(p.Phone) != "" {
			text += " " + Fill(w.Notice.Number, "number", number(p.Phone))
		}
	}
	return Notice{
		ID: n.ID, Alert: a, Person: p, Channel: n.Channel, Name: n.Name, Address: n.Address, Language: w.Language,
		Subject: w.Head(p, a.Kind), Text: text, Link: e.cfg.PublicURL + "/a/" + token, At: e.cfg.Now(), Last: n.Attempts >= maxTries,
	}, nil
}

package escalation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/mail"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/mails"
)

// Email sends notices as e-mails. They are stored like other mails, but sent immediately,
// since an alert must not wait for a mail queue. A mail sent before a process died is not
// sent again.
type Email struct {
	Store *store.Store
	// Sender sends a stored mail. If nil, mails are marked as sent, to be read in the
	// console.
	Sender interface {
		Send(ctx context.Context, id uuid.UUID, last bool) error
	}
}

// Send implements [Channel].
func (m Email) Send(ctx context.Context, n Notice) (string, error) {
	w := WordsIn(n.Language).Notice
	kept := mails.Mail{
		Key: "alert " + n.ID.String(), PersonID: n.Alert.PersonID, To: n.Address, Subject: n.Subject, CreatedAt: n.At,
		Text: strings.Join([]string{n.Text, w.Take + "\n" + n.Link, w.Others, w.Emergency, ""}, "\n\n"),
	}
	if m.Sender == nil {
		kept.SentAt = &n.At
	}
	// If it was stored before, that mail is sent: its link is as good.
	err := m.Store.InTx(ctx, func(tx store.Tx) error {
		_, err := m.Store.AddMail(ctx, tx, kept)
		return err
	})
	if err != nil || m.Sender == nil {
		return "", err
	}
	err = m.Sender.Send(ctx, mails.ID(kept.Key), n.Last)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", nil // it was sent before
	case errors.Is(err, mail.ErrRefused):
		return "", fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return "", err
}

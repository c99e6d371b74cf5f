// Package mail writes e-mails and sends them by SMTP.
//
// It guarantees that a mail links only to what its caller allows, that a mail recorded as
// sent is not sent again, and that no connection is opened before there is something to
// send. If the server accepts a mail, but the process dies before recording it as sent, the
// mail is sent once more, under the same Message-ID, by which receivers recognize the
// repetition.
package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"
	gomail "github.com/wneessen/go-mail"

	"github.com/naiber/naiber/store/mails"
)

// How a connection is secured.
const (
	StartTLS = "starttls"
	TLS      = "tls"
	Plain    = "none"
)

// Config describes the SMTP server.
type Config struct {
	Host           string
	Port           int    // 0 means the default of Security
	Security       string // [StartTLS], which is the default, [TLS] or [Plain]
	User, Password string // User is empty if the server requires none
	From           string
	// RootCAs verify the server; nil means the system's.
	RootCAs *x509.CertPool
	// Timeout limits the connection, and then each message; default 30 s.
	Timeout time.Duration
}

func (c Config) client() (*gomail.Client, error) {
	usual := map[string]int{StartTLS: gomail.DefaultPortTLS, TLS: gomail.DefaultPortSSL, Plain: gomail.DefaultPort}
	c.Security = cmp.Or(c.Security, StartTLS)
	options := []gomail.Option{
		gomail.WithPort(cmp.Or(c.Port, usual[c.Security])), gomail.WithTimeout(cmp.Or(c.Timeout, 30*time.Second)),
		gomail.WithTLSConfig(&tls.Config{ServerName: c.Host, RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12}),
	}
	switch c.Security {
	case TLS:
		options = append(options, gomail.WithSSL())
	case Plain:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if c.User != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(c.User), gomail.WithPassword(c.Password))
	}
	return gomail.NewClient(c.Host, options...)
}

// Ping connects to the server as for a mail, without sending one.
func (c Config) Ping(ctx context.Context) error {
	client, err := c.client()
	if err == nil {
		err = client.DialWithContext(ctx)
	}
	if err != nil {
		return told(err)
	}
	_ = client.Close() // it answered
	return nil
}

// ErrRefused says that a mail was permanently refused: by the server, or because its
// address is invalid.
var ErrRefused = errors.New("mail is refused for good")

// Store stores mails. *store.Store implements it.
type Store interface {
	TryMail(ctx context.Context, id uuid.UUID) (mails.Mail, error)
	MailSent(ctx context.Context, id uuid.UUID) error
	MailFailed(ctx context.Context, id uuid.UUID, why string) error
}

// Sender sends stored mails. It may be used concurrently.
type Sender struct {
	cfg   Config
	store Store
	log   *slog.Logger
}

// New returns a Sender. It connects to nothing.
func New(cfg Config, st Store, log *slog.Logger) (*Sender, error) {
	if _, err := netmail.ParseAddress(cfg.From); err != nil {
		return nil, fmt.Errorf("sender of mails: %w", err)
	}
	if _, err := cfg.client(); err != nil {
		return nil, fmt.Errorf("mail server: %w", err)
	}
	return &Sender{cfg, st, log}, nil
}

// Send sends the mail with an id, unless it was sent. It returns [ErrRefused] if a retry is
// useless, and [store.ErrNotFound] if there is no such mail left to send. If last is set, a
// failure is recorded as final.
func (s *Sender) Send(ctx context.Context, id uuid.UUID, last bool) error {
	m, err := s.store.TryMail(ctx, id) // recorded before anything is given to the server
	if err != nil {
		return err
	}
	if m.Attempts > 1 {
		s.log.InfoContext(ctx, "mail is tried again", "mail_id", id, "attempt", m.Attempts)
	}
	err = s.deliver(ctx, m)
	switch {
	case err == nil:
		return s.sent(ctx, id)
	case last || errors.Is(err, ErrRefused):
		return errors.Join(err, s.store.MailFailed(context.WithoutCancel(ctx), id, err.Error()))
	}
	return err
}

// notedWithin is how long recording that a mail was sent is retried: if it fails, the mail
// is sent again.
const notedWithin = 30 * time.Second

func (s *Sender) sent(ctx context.Context, id uuid.UUID) error {
	ctx = context.WithoutCancel(ctx)
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, s.store.MailSent(ctx, id) }, backoff.WithMaxElapsedTime(notedWithin))
	if err != nil {
		s.log.ErrorContext(ctx, "mail was sent and is not noted as sent; it will be sent again", "mail_id", id, "err", err)
	}
	return err
}

// deliver gives a mail to the server. Its errors do not contain the address.
func (s *Sender) deliver(ctx context.Context, m mails.Mail) error {
	msg, err := s.message(m)
	if err != nil {
		return err
	}
	client, err := s.cfg.client()
	if err == nil {
		err = client.DialWithContext(ctx)
	}
	if err != nil {
		return told(err)
	}
	defer func() { _ = client.Close() }() // an accepted mail is the server's responsibility
	if err = client.Send(msg); err == nil || msg.IsDelivered() {
		return nil
	}
	return told(err)
}

func (s *Sender) message(m mails.Mail) (*gomail.Msg, error) {
	msg := gomail.NewMsg()
	if err := msg.From(s.cfg.From); err != nil {
		return nil, fmt.Errorf("sender of mails: %w", err)
	}
	if err := msg.To(m.To); err != nil {
		return nil, fmt.Errorf("address cannot be read: %w", ErrRefused)
	}
	from, _ := netmail.ParseAddress(s.cfg.From) // validated by New
	msg.SetMessageIDWithValue(m.ID.String() + from.Address[strings.LastIndexByte(from.Address, '@'):])
	msg.SetDateWithValue(m.CreatedAt)
	msg.Subject(m.Subject)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetUserAgent("nAIber")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	return msg, nil
}

// told converts an error of the mail library for logs, without the address and the server's
// text.
func told(err error) error {
	send, is := errors.AsType[*gomail.SendError](err)
	switch {
	case is && send.ErrorCode() >= 500:
		return fmt.Errorf("%s: %d %s: %w", send.Reason, send.ErrorCode(), send.EnhancedStatusCode(), ErrRefused)
	case is:
		return fmt.Errorf("mail server: %s: %d %s", send.Reason, send.ErrorCode(), send.EnhancedStatusCode())
	case strings.Contains(err.Error(), "AUTH"):
		return errors.New("mail server does not take user and password")
	}
	return fmt.Errorf("mail server: %w", err)
}

package mail_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/mail"
	"github.com/naiber/naiber/jobs/mail/mailtest"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const from = "nAIber <help@example.com>"

func sender(t *testing.T, cfg mail.Config, st mail.Store) *mail.Sender {
	t.Helper()
	cfg.From = from
	s, err := mail.New(cfg, st, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kept keeps a mail and returns its id.
func kept(t *testing.T, st *store.Store, to string) uuid.UUID {
	t.Helper()
	m := mails.Mail{Key: "s:3", To: to, Subject: "Your dishwasher – a summary", HTML: "<p>Grüße &amp; more</p>", Text: "Grüße & more", CreatedAt: time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)}
	if err := st.InTx(t.Context(), func(tx store.Tx) error { _, err := st.AddMail(t.Context(), tx, m); return err }); err != nil {
		t.Fatal(err)
	}
	return mails.ID(m.Key)
}

func TestMailArrives(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		security string
		auth     bool
	}{"STARTTLS": {mail.StartTLS, true}, "TLS": {mail.TLS, true}, "plain": {mail.Plain, false}, "STARTTLS without a password": {mail.StartTLS, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st, server := storetest.New(t), mailtest.New(t, row.security, row.auth)
			cfg := mail.Config{Host: server.Host, Port: server.Port, Security: row.security, RootCAs: server.RootCAs}
			if row.auth {
				cfg.User, cfg.Password = mailtest.User, mailtest.Password
			}
			s := sender(t, cfg, st)
			if server.Connections() != 0 {
				t.Error("connected before there was anything to send")
			}
			id := kept(t, st, "Margaret <margaret@example.org>")
			if err := s.Send(t.Context(), id, false); err != nil {
				t.Fatal(err)
			}
			if err := s.Send(t.Context(), id, false); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("a second time: %v", err)
			}
			got := server.Messages()
			if len(got) != 1 || got[0].From != "help@example.com" || got[0].To != "margaret@example.org" {
				t.Fatalf("got %+v", got)
			}
			checkMessage(t, id, got[0].Data)
			if m, err := st.Mail(t.Context(), id); err != nil || m.SentAt == nil || m.Attempts != 1 || m.Error != "" {
				t.Errorf("kept %+v, %v", m, err)
			}
			cfg.From = from
			if err := cfg.Ping(t.Context()); err != nil {
				t.Errorf("ping: %v", err)
			}
		})
	}
}

func checkMessage(t *testing.T, id uuid.UUID, data []byte) {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != "Your dishwasher – a summary" {
		t.Errorf("subject = %q, %v", subject, err)
	}
	for header, want := range map[string]string{
		"Message-ID": "<" + id.String() + "@example.com>", "Date": "Tue, 03 Nov 2026 09:00:00 +0000", "Auto-Submitted": "auto-generated",
		"From": `"nAIber" <help@example.com>`, "To": `"Margaret" <margaret@example.org>`,
	} {
		if got := m.Header.Get(header); got != want {
			t.Errorf("%s = %q, want %q", header, got, want)
		}
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("content type = %q, %v", kind, err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for _, want := range []string{"text/plain; charset=UTF-8 Grüße & more", "text/html; charset=UTF-8 <p>Grüße &amp; more</p>"} {
		part, err := parts.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		if got := part.Header.Get("Content-Type") + " " + strings.TrimSpace(string(body)); err != nil || got != want {
			t.Errorf("part = %q, %v; want %q", got, err, want)
		}
	}
}

func TestMailFails(t *testing.T) {
	t.Parallel()
	answer := func(step string, code int, enhanced smtp.EnhancedCode) func(string) error {
		return func(s string) error {
			if s == step {
				return &smtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: "margaret@example.org is not here"}
			}
			return nil
		}
	}
	for name, row := range map[string]struct {
		to      string
		refuse  func(string) error
		change  func(*mail.Config)
		refused bool
	}{
		"no such mailbox":      {"", answer("rcpt", 550, smtp.EnhancedCode{5, 1, 1}), nil, true},
		"the sender":           {"", answer("mail", 553, smtp.EnhancedCode{5, 7, 1}), nil, true},
		"spam":                 {"", answer("data", 554, smtp.EnhancedCode{5, 7, 0}), nil, true},
		"an address that none": {"margaret at home", nil, nil, true},
		"two lines":            {"m@example.org\r\nBcc: x@example.net", nil, nil, true},
		"greylisting":          {"", answer("rcpt", 451, smtp.EnhancedCode{4, 7, 1}), nil, false},
		"a full disk":          {"", answer("data", 452, smtp.EnhancedCode{4, 3, 1}), nil, false},
		"no server":            {"", nil, func(c *mail.Config) { c.Port = 1 }, false},
		"the password":         {"", nil, func(c *mail.Config) { c.Password = "simsim" }, false},
		"a stranger's server":  {"", nil, func(c *mail.Config) { c.RootCAs = nil }, false},
		"no encryption":        {"", nil, func(c *mail.Config) { c.Security = mail.Plain }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st, server := storetest.New(t), mailtest.New(t, mail.StartTLS, true)
			if row.refuse != nil {
				server.Refuse(row.refuse)
			}
			cfg := mail.Config{Host: server.Host, Port: server.Port, RootCAs: server.RootCAs, User: mailtest.User, Password: mailtest.Password}
			if row.change != nil {
				row.change(&cfg)
			}
			to := "margaret@example.org"
			if row.to != "" {
				to = row.to
			}
			id := kept(t, st, to)
			for n, last := range []bool{false, true} {
				err := sender(t, cfg, st).Send(t.Context(), id, last)
				if err == nil || errors.Is(err, mail.ErrRefused) != row.refused || strings.Contains(err.Error(), "margaret") || strings.Contains(err.Error(), "sim") {
					t.Errorf("try %d: %v", n+1, err)
				}
				if m, failed := st.Mail(t.Context(), id); failed != nil || m.SentAt != nil || m.Attempts != n+1 || (m.Error != "") != (last || row.refused) {
					t.Errorf("after try %d: %+v, %v", n+1, m, failed)
				}
			}
			if got := server.Messages(); len(got) != 0 {
				t.Errorf("got %+v", got)
			}
			// An operator may have it tried again.
			server.Refuse(func(string) error { return nil })
			if row.change == nil && row.to == "" {
				if err := sender(t, cfg, st).Send(t.Context(), id, false); err != nil {
					t.Error(err)
				}
				if m, err := st.Mail(t.Context(), id); err != nil || m.SentAt == nil || m.Error != "" || len(server.Messages()) != 1 {
					t.Errorf("at last: %+v, %v", m, err)
				}
			}
		})
	}
}

// forgetful does not note that a mail was sent until it is told to.
type forgetful struct {
	*store.Store

	fails int
}

func (f *forgetful) MailSent(ctx context.Context, id uuid.UUID) error {
	if f.fails--; f.fails >= 0 {
		return errors.New("the database is away")
	}
	return f.Store.MailSent(ctx, id)
}

// A database that is away for a moment does not have a mail sent twice.
func TestMailIsNotedAsSent(t *testing.T) {
	t.Parallel()
	st, server := storetest.New(t), mailtest.New(t, mail.Plain, false)
	s := sender(t, mail.Config{Host: server.Host, Port: server.Port, Security: mail.Plain}, &forgetful{st, 2})
	id := kept(t, st, "margaret@example.org")
	if err := s.Send(t.Context(), id, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), id, false); !errors.Is(err, store.ErrNotFound) || len(server.Messages()) != 1 {
		t.Errorf("a second time: %v, %d messages", err, len(server.Messages()))
	}
}

func TestNewChecksWhatItIsGiven(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]mail.Config{"no sender": {Host: "localhost"}, "no host": {From: from}} {
		if _, err := mail.New(cfg, nil, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

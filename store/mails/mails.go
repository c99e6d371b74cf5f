// Package mails stores e-mails, sent and unsent.
package mails

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Store stores them in PostgreSQL. It may be used concurrently.
type Store struct{ db *pg.DB }

// New returns a store over an open database.
func New(db *pg.DB) *Store { return &Store{db} }

// Mail is an e-mail. There is one for each key, however often it is requested.
type Mail struct {
	ID        uuid.UUID // derived from Key by [ID]
	Key       string
	PersonID  pg.PersonID // zero if it belongs to no particular person
	To        string
	Subject   string
	HTML      string
	Text      string
	CreatedAt time.Time
	Attempts  int
	SentAt    *time.Time
	Error     string // why sending was given up; empty if it was not
}

func mailOf(r db.Mail) Mail {
	return Mail{r.MailID, r.Key, r.PersonID, r.Recipient, r.Subject, r.Html, r.Body, r.CreatedAt, r.Attempts, r.SentAt, r.Error}
}

// space is the namespace of the ids of mails.
var space = uuid.MustParse("5f0b1c3e-6b0e-4c37-9a2f-2a3f0c8e4d11")

// ID returns the id of the mail with a key.
func ID(key string) uuid.UUID { return uuid.NewSHA1(space, []byte(key)) }

// AddMail stores a mail inside tx. It returns false if there is one with its key.
func (s *Store) AddMail(ctx context.Context, tx pg.Tx, m Mail) (added bool, err error) {
	if m.CreatedAt.IsZero() {
		m.CreatedAt = time.Now()
	}
	n, err := s.db.Q.MailInsert(ctx, tx, db.MailInsertParams{
		MailID: ID(m.Key), Key: m.Key, PersonID: m.PersonID, Recipient: pg.Storable(m.To), Subject: pg.Storable(m.Subject),
		Html: pg.Storable(m.HTML), Body: pg.Storable(m.Text), CreatedAt: m.CreatedAt, Attempts: m.Attempts, SentAt: m.SentAt, Error: m.Error,
	})
	return n > 0, err
}

// TryMail counts a try to send a mail and returns the mail. It returns [pg.ErrNotFound] if
// the mail was sent or deleted.
func (s *Store) TryMail(ctx context.Context, id uuid.UUID) (Mail, error) {
	r, err := s.db.Q.MailAttempt(ctx, s.db.Conn, id)
	return mailOf(r), err
}

// MailSent records that a mail was sent, once.
func (s *Store) MailSent(ctx context.Context, id uuid.UUID) error {
	return s.db.Q.MailSent(ctx, s.db.Conn, id)
}

// MailFailed records why sending a mail was given up.
func (s *Store) MailFailed(ctx context.Context, id uuid.UUID, why string) error {
	return s.db.Q.MailFailed(ctx, s.db.Conn, db.MailFailedParams{MailID: id, Error: pg.Storable(why)})
}

// Mail returns a mail, or [pg.ErrNotFound].
func (s *Store) Mail(ctx context.Context, id uuid.UUID) (Mail, error) {
	r, err := s.db.Q.MailByID(ctx, s.db.Conn, id)
	return mailOf(r), err
}

// Mails lists mails, newest first, starting before the one with a time and id unless the
// time is zero.
func (s *Store) Mails(ctx context.Context, before time.Time, id uuid.UUID, limit int) ([]Mail, error) {
	p := db.MailsPageParams{BeforeID: id, MaxRows: limit}
	if !before.IsZero() {
		p.BeforeAt = &before
	}
	rows, err := s.db.Q.MailsPage(ctx, s.db.Conn, p)
	return pg.Each(rows, mailOf), err
}

// PersonMails returns all mails of a person, oldest first. tx may be nil.
func (s *Store) PersonMails(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]Mail, error) {
	rows, err := s.db.Q.MailsOf(ctx, s.db.Handle(tx), person)
	return pg.Each(rows, mailOf), err
}

// Package repairs stores conversations about appliances: the state of each, and its
// messages.
package repairs

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Store stores them in PostgreSQL. It may be used concurrently.
type Store struct{ db *pg.DB }

// New returns a store over an open database.
func New(db *pg.DB) *Store { return &Store{db} }

// Session is a conversation about an appliance, either written or a call, with the call's
// id. State is what is known in it, in the persona's own JSON; nil at the first message.
type Session struct {
	ID                   string
	PersonID             pg.PersonID // zero if it belongs to no particular person
	CallID               pg.CallID
	State                json.RawMessage
	CreatedAt, UpdatedAt time.Time
	ArchivedAt           *time.Time // if set, it takes no more messages
}

func sessionOf(r db.Repair) Session {
	return Session{
		ID: r.SessionID, PersonID: r.PersonID, CallID: r.CallID, State: r.State,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, ArchivedAt: r.ArchivedAt,
	}
}

// Message is a message in a session, with an odd number, or the reply to it, with the next
// number. Tool is the result of the reply's tool, nil if none was used.
type Message struct {
	Seq           int
	Role, Content string // "user" or "assistant"
	At            time.Time
	Tool          json.RawMessage
}

func messageOf(r db.RepairMessage) Message {
	return Message{Seq: r.Seq, Role: r.Role, Content: r.Content, At: r.At, Tool: r.Tool}
}

// Errors of [Store.BeginRepair].
var (
	ErrOtherPerson = errors.New("session belongs to another person")
	ErrOfCall      = errors.New("session is a call's")
	ErrBusy        = errors.New("session is answering another message")
	ErrExpired     = errors.New("session has expired")
	ErrFull        = errors.New("session has as many messages as it may have")
)

// Limits limit sessions. No field may be zero.
type Limits struct {
	TTL         time.Duration // how long a session takes messages after the last one
	Lease       time.Duration // of a claim on a session, after which another process may claim it
	MaxMessages int           // per session, not counting replies
}

// Begun is a message that is being answered. It holds the claim on its session, for at most
// [Limits].Lease.
type Begun struct {
	Session Session
	Seq     int
	// Unanswered is the previous message if it got no reply, because its process died or
	// failed.
	Unanswered *Message

	claim uuid.UUID
}

// BeginRepair stores a message in a session, creating the session if there is none, and
// claims the session. A repeated message that got no reply is not stored twice.
func (s *Store) BeginRepair(ctx context.Context, session string, person pg.PersonID, text string, l Limits) (b Begun, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		if err := s.db.Q.RepairInsert(ctx, tx, db.RepairInsertParams{SessionID: session, PersonID: person}); err != nil {
			return err
		}
		r, err := s.db.Q.RepairLock(ctx, tx, db.RepairLockParams{SessionID: session, Ttl: l.TTL.Seconds()})
		switch {
		case err != nil:
			return err
		case person.Known() && r.PersonID != person:
			return ErrOtherPerson
		case r.CallID != pg.CallID{}:
			return ErrOfCall
		case r.Expired:
			return ErrExpired
		case r.Claimed:
			return ErrBusy
		}
		b = Begun{Seq: r.LastSeq, claim: pg.NewID(), Session: Session{
			ID: r.SessionID, PersonID: r.PersonID, State: r.State, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		}}
		if r.LastSeq < 0 {
			b.Session.State = nil // nothing is known yet
		}
		text = pg.Storable(text)
		last, err := s.db.Q.RepairUnanswered(ctx, tx, session)
		answered := errors.Is(err, pg.ErrNotFound)
		if err != nil && !answered {
			return err
		}
		if !answered && last.Content != text {
			m := messageOf(last)
			b.Unanswered = &m
		}
		if answered || b.Unanswered != nil {
			if b.Seq = r.LastSeq + 2; b.Seq > 2*l.MaxMessages {
				return ErrFull
			}
			if err := s.db.Q.RepairMessageInsert(ctx, tx, db.RepairMessageInsertParams{SessionID: session, Seq: b.Seq, Content: text}); err != nil {
				return err
			}
		}
		return s.db.Q.RepairClaim(ctx, tx, db.RepairClaimParams{SessionID: session, Claim: b.claim, Lease: l.Lease.Seconds(), LastSeq: b.Seq})
	})
	return b, err
}

// Answer is the reply to the message Seq, with the state after it.
type Answer struct {
	Seq         int
	Text        string
	Tool, State json.RawMessage // Tool is nil if none was used; State is nil if unchanged
}

// AnswerRepair stores the reply to a message. The reply to b's own message must be the last
// action under its claim. If the session was deleted, or the claim has lapsed and was taken
// by another, it returns [pg.ErrNotFound].
func (s *Store) AnswerRepair(ctx context.Context, b Begun, a Answer) error {
	if len(a.State) == 0 {
		a.State = b.Session.State
	}
	if len(a.State) == 0 {
		a.State = []byte("{}")
	}
	return pg.OrAbsent(s.db.Q.RepairAnswer(ctx, s.db.Conn, db.RepairAnswerParams{
		SessionID: b.Session.ID, Claim: b.claim, Done: a.Seq == b.Seq, Seq: a.Seq + 1,
		Content: pg.Storable(a.Text), Tool: pg.StorableJSON(a.Tool), State: pg.StorableJSON(a.State),
	}))
}

// ReleaseRepair releases the claim on a session whose message got no reply.
func (s *Store) ReleaseRepair(ctx context.Context, b Begun) error {
	return s.db.Q.RepairRelease(ctx, s.db.Conn, db.RepairReleaseParams{SessionID: b.Session.ID, Claim: b.claim})
}

// RepairSession returns a session, or [pg.ErrNotFound].
func (s *Store) RepairSession(ctx context.Context, id string) (Session, error) {
	r, err := s.db.Q.RepairByID(ctx, s.db.Conn, id)
	return sessionOf(r), err
}

// RepairMessages returns the stored messages of a session. tx may be nil.
func (s *Store) RepairMessages(ctx context.Context, tx pg.Tx, id string) ([]Message, error) {
	rows, err := s.db.Q.RepairMessages(ctx, s.db.Handle(tx), id)
	return pg.Each(rows, messageOf), err
}

// SnapshotRepair stores the state of a call's session, if the call still exists.
func (s *Store) SnapshotRepair(ctx context.Context, call pg.CallID, state json.RawMessage) error {
	return s.db.Q.RepairSnapshot(ctx, s.db.Conn, db.RepairSnapshotParams{CallID: call.UUID, State: pg.StorableJSON(state)})
}

// ArchiveRepairs archives the sessions that have been idle for ttl, and returns how many
// there were.
func (s *Store) ArchiveRepairs(ctx context.Context, ttl time.Duration) (int, error) {
	return pg.Count(s.db.Q.RepairsArchive(ctx, s.db.Conn, ttl.Seconds()))
}

// PersonRepairs returns all sessions of a person, oldest first. tx may be nil.
func (s *Store) PersonRepairs(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]Session, error) {
	rows, err := s.db.Q.RepairsOf(ctx, s.db.Handle(tx), person)
	return pg.Each(rows, sessionOf), err
}

// RestoreRepair stores an imported session inside tx. An existing one is left unchanged.
func (s *Store) RestoreRepair(ctx context.Context, tx pg.Tx, ses Session, messages []Message) error {
	last := -1
	for _, m := range messages {
		if m.Role == "user" {
			last = max(last, m.Seq)
		}
	}
	n, err := s.db.Q.RepairRestore(ctx, tx, db.RepairRestoreParams{
		SessionID: ses.ID, PersonID: ses.PersonID, CallID: ses.CallID, State: pg.StorableJSON(ses.State), LastSeq: last,
		CreatedAt: ses.CreatedAt, UpdatedAt: ses.UpdatedAt, ArchivedAt: ses.ArchivedAt,
	})
	if err != nil || n == 0 {
		return err
	}
	for _, m := range messages {
		if err := s.db.Q.RepairMessageRestore(ctx, tx, db.RepairMessageRestoreParams{
			SessionID: ses.ID, Seq: m.Seq, Role: m.Role, Content: m.Content, Tool: pg.StorableJSON(m.Tool), At: m.At,
		}); err != nil {
			return err
		}
	}
	return nil
}

// Forgetting selects a person's sessions and mails to forget: those of calls, those from
// before Until that mention a topic or, without topics, those from a period.
type Forgetting struct {
	Person       pg.PersonID
	Calls        []uuid.UUID
	Topics       []string
	Since, Until time.Time
	Config       string // the text search configuration of the person's language
}

// ForgetRepairs deletes sessions with their threads, and mails, inside tx, and returns
// their ids.
func (s *Store) ForgetRepairs(ctx context.Context, tx pg.Tx, f Forgetting) (sessions []string, mails []uuid.UUID, err error) {
	gone, err := s.db.Q.RepairsForget(ctx, tx, db.RepairsForgetParams{
		PersonID: f.Person, Calls: f.Calls, Topics: pg.List(f.Topics), Since: f.Since, Until: f.Until, Config: f.Config,
	})
	if err != nil {
		return nil, nil, err
	}
	keys := []string{}
	for _, r := range gone {
		sessions, keys = append(sessions, r.SessionID), append(keys, r.Mails...)
	}
	mails, err = s.db.Q.MailsForget(ctx, tx, db.MailsForgetParams{
		PersonID: f.Person, Keys: keys, Topics: pg.List(f.Topics), Since: f.Since, Until: f.Until, Config: f.Config,
	})
	return sessions, mails, err
}

// SweepRepairs deletes the sessions and mails from before a time that belong to no person.
func (s *Store) SweepRepairs(ctx context.Context, until time.Time) error {
	return s.db.Q.RepairsSweep(ctx, s.db.Conn, until)
}

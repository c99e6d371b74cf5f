// Package repairs keeps conversations about appliances: what is known in each, and what
// was written.
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

// Store keeps them in PostgreSQL. It may be used concurrently.
type Store struct{ db *pg.DB }

// New returns a store over an open database.
func New(db *pg.DB) *Store { return &Store{db} }

// Session is a conversation about an appliance: one in writing, or a call, by the
// call's id. State is what is known in it, in the persona's own JSON; nil where a first
// message begins.
type Session struct {
	ID                   string
	PersonID             pg.PersonID // the zero id: nobody's in particular
	CallID               pg.CallID
	State                json.RawMessage
	CreatedAt, UpdatedAt time.Time
	ArchivedAt           *time.Time // set: it takes no more messages
}

func sessionOf(r db.Repair) Session {
	return Session{
		ID: r.SessionID, PersonID: r.PersonID, CallID: r.CallID, State: r.State,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, ArchivedAt: r.ArchivedAt,
	}
}

// Message is what was written in a session, with an odd number, or the reply to it, with
// the number after that. Tool is what the reply's tool found, nil where none was used.
type Message struct {
	Seq           int
	Role, Content string // "user" or "assistant"
	At            time.Time
	Tool          json.RawMessage
}

func messageOf(r db.RepairMessage) Message {
	return Message{Seq: r.Seq, Role: r.Role, Content: r.Content, At: r.At, Tool: r.Tool}
}

// Why a message is not taken.
var (
	ErrOtherPerson = errors.New("session belongs to another person")
	ErrOfCall      = errors.New("session is a call's")
	ErrBusy        = errors.New("session is answering another message")
	ErrExpired     = errors.New("session has expired")
	ErrFull        = errors.New("session has as many messages as it may have")
)

// Limits bound sessions. None may be zero.
type Limits struct {
	TTL         time.Duration // how long one takes messages after the last
	Lease       time.Duration // how long an answer may take before others take its claim for left
	MaxMessages int           // in one session, not counting replies
}

// Begun is a message that is being answered. Nobody else answers in its session until
// then, for [Limits].Lease at most.
type Begun struct {
	Session Session
	Seq     int
	// Unanswered is the message before this one, if it got no reply: whoever was to
	// answer it died, or failed.
	Unanswered *Message

	claim uuid.UUID
}

// BeginRepair keeps a message in a session, which is made where there is none, and
// claims the session. A message that got no reply and is written again is not kept
// twice.
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

// Answer is the reply to the message Seq, and what is known then.
type Answer struct {
	Seq         int
	Text        string
	Tool, State json.RawMessage // Tool nil: none was used; State nil: as before
}

// AnswerRepair keeps the reply to a message, to b's own as the last thing that is done
// under its claim. Where the session is gone, or the claim was taken for left, it
// returns [pg.ErrNotFound].
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

// ReleaseRepair lets others answer in a session whose message got no reply.
func (s *Store) ReleaseRepair(ctx context.Context, b Begun) error {
	return s.db.Q.RepairRelease(ctx, s.db.Conn, db.RepairReleaseParams{SessionID: b.Session.ID, Claim: b.claim})
}

// RepairSession returns a session, or [pg.ErrNotFound].
func (s *Store) RepairSession(ctx context.Context, id string) (Session, error) {
	r, err := s.db.Q.RepairByID(ctx, s.db.Conn, id)
	return sessionOf(r), err
}

// RepairMessages returns what is kept of what was written in a session. tx may be nil.
func (s *Store) RepairMessages(ctx context.Context, tx pg.Tx, id string) ([]Message, error) {
	rows, err := s.db.Q.RepairMessages(ctx, s.db.Handle(tx), id)
	return pg.Each(rows, messageOf), err
}

// SnapshotRepair keeps what is known in a call, if there is still such a call.
func (s *Store) SnapshotRepair(ctx context.Context, call pg.CallID, state json.RawMessage) error {
	return s.db.Q.RepairSnapshot(ctx, s.db.Conn, db.RepairSnapshotParams{CallID: call.UUID, State: pg.StorableJSON(state)})
}

// ArchiveRepairs ends the sessions in which nothing was said for so long, and returns
// how many there were.
func (s *Store) ArchiveRepairs(ctx context.Context, ttl time.Duration) (int, error) {
	return pg.Count(s.db.Q.RepairsArchive(ctx, s.db.Conn, ttl.Seconds()))
}

// PersonRepairs returns all sessions of a person, oldest first. tx may be nil.
func (s *Store) PersonRepairs(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]Session, error) {
	rows, err := s.db.Q.RepairsOf(ctx, s.db.Handle(tx), person)
	return pg.Each(rows, sessionOf), err
}

// RestoreRepair keeps a session that was exported, inside tx. One that is there stays
// as it is.
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

// Forgetting says which of a person's sessions and mails are meant: those of calls,
// those from before Until that speak of a topic, or, where there are no topics, those
// of a time.
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

// SweepRepairs deletes the sessions and mails from before a time that belong to no
// person.
func (s *Store) SweepRepairs(ctx context.Context, until time.Time) error {
	return s.db.Q.RepairsSweep(ctx, s.db.Conn, until)
}

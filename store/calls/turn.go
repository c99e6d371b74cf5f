package calls

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Role is who spoke.
type Role string

// The roles in a transcript.
const (
	RoleUser      Role = "user"      // the person on the telephone
	RoleAssistant Role = "assistant" // nAIber
)

// Utterance is one line of a transcript: what was actually said or heard.
type Utterance struct {
	ID             int64
	CallID         pg.CallID
	Role           Role
	Text           string
	Intended       string // what was meant to be said, if a barge-in cut it short
	ConversationID string
	EventID        int64 // the voice service's event number within the conversation
	At             time.Time
}

// ErrUnrecorded says that the words of a call are no longer stored: the person has
// withdrawn that consent.
var ErrUnrecorded = errors.New("call is not recorded")

// AddUtterance adds a line to a call's transcript. It returns [ErrUnrecorded] if the call's
// words are not stored.
func (s *Store) AddUtterance(ctx context.Context, u Utterance) (Utterance, error) {
	row, err := s.db.Q.UtteranceInsert(ctx, s.db.Conn, db.UtteranceInsertParams{
		CallID: u.CallID.UUID, Role: string(u.Role), Text: pg.Storable(u.Text), ConversationID: u.ConversationID, EventID: u.EventID, At: u.At,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		if _, err = s.db.Q.CallGet(ctx, s.db.Conn, u.CallID.UUID); err == nil {
			err = ErrUnrecorded
		}
	}
	return utterance(row), pg.WrapErr(err, "add utterance to call %s", u.CallID)
}

// CorrectUtterance replaces what nAIber meant to say with what was heard of it, in the line
// with the event's number, or else in the latest line with the original words. It reports
// whether there was such a line.
func (s *Store) CorrectUtterance(ctx context.Context, id pg.CallID, conversationID string, eventID int64, original, heard string) (bool, error) {
	n, err := s.db.Q.UtteranceCorrect(ctx, s.db.Conn, db.UtteranceCorrectParams{
		CallID: id, ConversationID: conversationID, EventID: eventID, Original: pg.Storable(original), Text: pg.Storable(heard),
	})
	return n > 0, pg.WrapErr(err, "correct utterance of call %s", id)
}

// Transcript returns a call's lines in order.
func (s *Store) Transcript(ctx context.Context, id pg.CallID) ([]Utterance, error) {
	rows, err := s.db.Q.UtterancesOf(ctx, s.db.Conn, id)
	return pg.Each(rows, utterance), pg.WrapErr(err, "transcript of call %s", id)
}

// TranscriptTail returns the last n lines of a call in order.
func (s *Store) TranscriptTail(ctx context.Context, id pg.CallID, n int) ([]Utterance, error) {
	rows, err := s.db.Q.UtterancesLast(ctx, s.db.Conn, db.UtterancesLastParams{CallID: id, MaxRows: n})
	return pg.Each(rows, utterance), pg.WrapErr(err, "transcript tail of call %s", id)
}

// TurnKind is what caused a request for a turn.
type TurnKind string

// The kinds of turns.
const (
	TurnSpeech  TurnKind = "speech"  // the person said something
	TurnSilence TurnKind = "silence" // no one spoke
	TurnKeypad  TurnKind = "keypad"  // keys were pressed
)

// TurnOutcome is what happened to the reply.
type TurnOutcome string

// The outcomes of a turn.
const (
	TurnSpoken    TurnOutcome = "spoken"
	TurnReplaced  TurnOutcome = "replaced"  // the same place was requested again with other words
	TurnAbandoned TurnOutcome = "abandoned" // no one was waiting for the reply any more
	TurnFallback  TurnOutcome = "fallback"  // the fixed sentence was spoken
	TurnFailed    TurnOutcome = "failed"
)

// Turn is one request for a turn with its result. Place is its place in the conversation's
// history, Attempt counts requests for that place from 1.
type Turn struct {
	ID             pg.TurnID
	CallID         pg.CallID
	ConversationID string
	Place          int
	Attempt        int
	Kind           TurnKind
	Heard          string // what the person said; stored before the reply is spoken
	Persona        string
	At             time.Time
	TurnResult
}

// TurnResult is the result of a turn, known when its reply has ended.
type TurnResult struct {
	Reply string
	// Withheld is what a model said but was not spoken: one line each, with the kind and
	// the sentence.
	Withheld string
	Outcome  TurnOutcome
	Model    string
	TTFT     time.Duration // request to first token sent; zero if none was
	Duration time.Duration
	Filler   bool // a filler covered dead air
	Joined   int  // how many repeated requests shared this reply
	// Event is the turn's line in the call's timeline, a JSON object; nil adds none. It is
	// only written through this field, and read with the other events.
	Event []byte
}

// StartTurn stores what was heard, before any processing. For an unrecorded call (see
// [Store.RevokeConsent], [Store.BlankUnrecorded]) it stores the turn without the words.
func (s *Store) StartTurn(ctx context.Context, t Turn) error {
	err := s.db.Together(ctx, func(conn db.DBTX) error {
		return s.db.Q.TurnInsert(ctx, conn, db.TurnInsertParams{
			ID: t.ID.UUID, CallID: t.CallID, ConversationID: t.ConversationID,
			Place: t.Place, Attempt: t.Attempt,
			Kind: string(t.Kind), Heard: pg.Storable(t.Heard), Persona: t.Persona, At: t.At,
		})
	})
	return pg.WrapErr(err, "start turn %s of call %s", t.ID, t.CallID)
}

// FinishTurn stores the result of a turn and its line in the call's timeline, both or
// neither. For an unrecorded call it leaves out what was said. A repeated call adds no
// second line.
func (s *Store) FinishTurn(ctx context.Context, id pg.TurnID, r TurnResult) error {
	at := time.Now()
	err := s.db.Together(ctx, func(conn db.DBTX) error {
		return s.db.Q.TurnFinish(ctx, conn, db.TurnFinishParams{
			ID: id.UUID, Reply: pg.Storable(r.Reply), Withheld: pg.Storable(r.Withheld), Outcome: string(r.Outcome), Model: r.Model, TtftMs: millis(r.TTFT),
			DurationMs: millis(r.Duration), Filler: r.Filler, Joined: r.Joined,
			At: at, Event: pg.StorableJSON(r.Event),
		})
	})
	return pg.WrapErr(err, "finish turn %s", id)
}

// BlankUnrecorded removes the words from a call's turns, unless its person currently allows
// recording, and reports whether it did. It must run in the transaction that ends the call:
// words that arrive during or after it are then not stored either. Counts and times stay.
func (s *Store) BlankUnrecorded(ctx context.Context, tx pg.Tx, id pg.CallID) (bool, error) {
	n, err := s.db.Q.CallSetUnrecorded(ctx, tx, id.UUID)
	if err == nil && n > 0 {
		err = s.db.Q.TurnsBlank(ctx, tx, id)
	}
	return n > 0 && err == nil, pg.WrapErr(err, "blank turns of call %s", id)
}

// Turns returns a call's turns in order.
func (s *Store) Turns(ctx context.Context, id pg.CallID) ([]Turn, error) {
	rows, err := s.db.Q.TurnsOf(ctx, s.db.Conn, id)
	return pg.Each(rows, turn), pg.WrapErr(err, "turns of call %s", id)
}

func utterance(r db.Utterance) Utterance {
	return Utterance{
		ID: r.ID, CallID: r.CallID, Role: Role(r.Role), Text: r.Text, Intended: pg.Value(r.Intended),
		ConversationID: r.ConversationID, EventID: r.EventID, At: r.At,
	}
}

func turn(r db.Turn) Turn {
	return Turn{
		ID: pg.TurnID{UUID: r.ID}, CallID: r.CallID, ConversationID: r.ConversationID, Place: r.Place, Attempt: r.Attempt,
		Kind: TurnKind(r.Kind), Heard: r.Heard, Persona: r.Persona, At: r.At,
		TurnResult: TurnResult{
			Reply: r.Reply, Withheld: r.Withheld, Outcome: TurnOutcome(pg.Value(r.Outcome)), Model: r.Model, TTFT: duration(r.TtftMs),
			Duration: duration(r.DurationMs), Filler: r.Filler, Joined: r.Joined,
		},
	}
}

func millis(d time.Duration) *float64 {
	if d == 0 {
		return nil
	}
	ms := float64(d) / float64(time.Millisecond)
	return &ms
}

func duration(ms *float64) time.Duration {
	if ms == nil {
		return 0
	}
	return time.Duration(*ms * float64(time.Millisecond))
}

// Event is one line of a call's timeline.
type Event struct {
	ID     int64
	CallID pg.CallID
	Kind   string
	At     time.Time
	Data   []byte // JSON object
}

// EventDisclosed is the kind of the event that lists the disclosures that were played in
// full.
const EventDisclosed = "disclosed"

// Disclosed returns what was disclosed at the start of a call, as JSON, or nil if nothing
// is known to have been heard in full.
func (s *Store) Disclosed(ctx context.Context, id pg.CallID) ([]byte, error) {
	data, _, err := pg.IfAny(s.db.Q.CallEventFirst(ctx, s.db.Conn, db.CallEventFirstParams{CallID: id, Kind: EventDisclosed}))
	return data, pg.WrapErr(err, "disclosures of call %s", id)
}

// AddEvent adds a line to a call's timeline. A non-empty key is an idempotency key: a
// second event with the same key is dropped, and AddEvent returns false.
func (s *Store) AddEvent(ctx context.Context, id pg.CallID, kind string, data []byte, key string) (bool, error) {
	return s.AddEventTx(ctx, nil, id, kind, data, key)
}

// AddEventTx is like [Store.AddEvent], inside tx: followers of the timeline are notified if
// and when tx commits. tx may be nil.
func (s *Store) AddEventTx(ctx context.Context, tx pg.Tx, id pg.CallID, kind string, data []byte, key string) (bool, error) {
	if data == nil {
		data = []byte("{}")
	}
	n, err := s.db.Q.CallEventInsert(ctx, s.db.Handle(tx), db.CallEventInsertParams{
		CallID: id, Kind: kind, At: time.Now(), Data: pg.StorableJSON(data), DedupeKey: pg.Optional(key),
	})
	return n > 0, pg.WrapErr(err, "add event %s to call %s", kind, id)
}

// EventsAfter returns a call's timeline after the given event, at most 1,000 lines.
func (s *Store) EventsAfter(ctx context.Context, id pg.CallID, after int64) ([]Event, error) {
	rows, err := s.db.Q.CallEventsAfter(ctx, s.db.Conn, db.CallEventsAfterParams{CallID: id, After: after})
	return pg.Each(rows, func(r db.CallEvent) Event {
		return Event{ID: r.ID, CallID: r.CallID, Kind: r.Kind, At: r.At, Data: r.Data}
	}), pg.WrapErr(err, "events of call %s", id)
}

// Audit is a line of the audit: who did what.
type Audit struct {
	At       time.Time
	Actor    string
	Action   string
	PersonID pg.PersonID
	Subject  string
	Data     []byte // JSON object
}

// AddAudit adds a line to the audit.
func (s *Store) AddAudit(ctx context.Context, a Audit) error { return s.AddAuditTx(ctx, nil, a) }

// AddAuditTx is like [Store.AddAudit], inside tx. tx may be nil.
func (s *Store) AddAuditTx(ctx context.Context, tx pg.Tx, a Audit) error {
	if a.Data == nil {
		a.Data = []byte("{}")
	}
	err := s.db.Q.AuditInsert(ctx, s.db.Handle(tx), db.AuditInsertParams{
		Actor: a.Actor, Action: a.Action, PersonID: a.PersonID, Subject: a.Subject, Data: a.Data,
	})
	return pg.WrapErr(err, "audit %s", a.Action)
}

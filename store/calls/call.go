package calls

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
	"github.com/naiber/naiber/store/people"
)

// CallType is the purpose of a call. Each has a registered persona.
type CallType string

// The call types.
const (
	CallGeneral       CallType = "general"
	CallHealthCheck   CallType = "health_check"
	CallCognitive     CallType = "cognitive"
	CallApplianceHelp CallType = "appliance_help"
)

// Direction is who dialled.
type Direction string

// The directions of a call.
const (
	Outbound Direction = "outbound"
	Inbound  Direction = "inbound"
)

// CallStatus is the state of a call, in Twilio's terms.
type CallStatus string

// The statuses of a call. See Twilio, "Call status values".
const (
	StatusQueued     CallStatus = "queued"
	StatusInitiated  CallStatus = "initiated"
	StatusRinging    CallStatus = "ringing"
	StatusInProgress CallStatus = "in-progress"
	StatusCompleted  CallStatus = "completed"
	StatusBusy       CallStatus = "busy"
	StatusNoAnswer   CallStatus = "no-answer"
	StatusFailed     CallStatus = "failed"
	StatusCanceled   CallStatus = "canceled"
)

// Rank returns the order of a status: callbacks may arrive in any order, and a status only
// replaces one of lower rank. It returns -1 for an unknown status.
func (s CallStatus) Rank() int {
	switch s {
	case StatusQueued:
		return 0
	case StatusInitiated:
		return 1
	case StatusRinging:
		return 2
	case StatusInProgress:
		return 3
	case StatusCompleted, StatusBusy, StatusNoAnswer, StatusFailed, StatusCanceled:
		return 4
	default:
		return -1
	}
}

// Final reports whether no other status follows.
func (s CallStatus) Final() bool { return s.Rank() == 4 }

// Outcome is the result of a call, once it has ended.
type Outcome string

// The outcomes of a call. Only [OutcomeReached] means that nAIber spoke with the person.
const (
	OutcomeReached   Outcome = "reached"
	OutcomeVoicemail Outcome = "voicemail"
	OutcomeNoAnswer  Outcome = "no_answer"
	OutcomeBusy      Outcome = "busy"
	OutcomeSilent    Outcome = "silent" // answered, but no one ever spoke
	OutcomeCanceled  Outcome = "canceled"
	OutcomeFailed    Outcome = "failed"
	// The speaker is not the person, or was not verified.
	OutcomeSomeoneElse Outcome = "someone_else"
	OutcomeWrongNumber Outcome = "wrong_number" // no one there knows the person
)

// Verified is how the speaker on a call was verified as its person.
type Verified string

// The ways of verification; empty means not verified.
const (
	Presumed  Verified = "presumed"  // they answered their own telephone as the person would
	Confirmed Verified = "confirmed" // they said so
	Keyed     Verified = "keyed"     // the carrier attests their number, and they keyed the PIN
)

// CauseTrouble is the cause of an ending at which nAIber could not give an answer. nAIber
// has promised to call back; recording the ending must schedule that call.
const CauseTrouble = "trouble"

// Ending is why a call ended, and who ended it.
type Ending struct {
	Outcome Outcome
	Cause   string // goodbye, hung_up, silence, time_limit, stream_lost, ...
	By      string // person, naiber, twilio, elevenlabs, unknown
	// Verified is what the carrying process knows; if empty, the stored value is kept.
	Verified Verified
	// Denied says that the speaker was not the person after all, whatever is stored.
	Denied bool
}

// Call is one telephone call.
type Call struct {
	ID             pg.CallID
	PersonID       pg.PersonID // unknown for an inbound call from an unverified caller
	BelievedID     pg.PersonID // the person whose number such a caller uses, if it is one person's
	Verified       Verified
	Type           CallType
	Direction      Direction
	Phone          string // the other end, E.164 if it has such a number
	Reason         string
	Status         CallStatus
	SID            string // Twilio's id; empty until it was created there
	ConversationID string // id of the first conversation, which names the thread of the whole call
	Reconnects     int
	AnsweredBy     string // Twilio's verdict: human, machine_end_beep, ...
	FirstWordMS    *int
	Danger         *Danger    // nil if the person reported none
	Connected      *Connected // nil if they were not put through
	Ending         *Ending    // nil while the call is live
	CreatedAt      time.Time
	AnsweredAt     *time.Time
	EndedAt        *time.Time
}

// Live reports whether the call has not ended.
func (c Call) Live() bool { return c.Ending == nil }

// Withheld reports whether nothing personal may be told on the call: the speaker was not
// verified as the person, or the person is unknown.
func (c Call) Withheld() bool {
	return !c.PersonID.Known() || c.Direction == Outbound && c.Verified == ""
}

// Whose returns the person that the call concerns, even if somebody else speaks: the subject of a red
// flag, or of a request not to be called. It does not allow telling anything about them.
func (c Call) Whose() pg.PersonID {
	if c.PersonID.Known() {
		return c.PersonID
	}
	return c.BelievedID
}

// NewCall holds what is known of a call before it exists.
type NewCall struct {
	PersonID       pg.PersonID
	BelievedID     pg.PersonID
	Verified       Verified
	Type           CallType
	Direction      Direction
	Phone          string
	Reason         string
	SID            string // inbound calls have one from the start
	StreamToken    string // the one-use token; only its hash is stored
	IdempotencyKey string
	RequestHash    []byte // hash of the request with the key
	Second         bool   // dial the person's second number, if there is one
	Safety         bool   // the call is about safety: no cap applies
	// MostMinutes is the maximum length of a call if minutes are capped; 0 if they are not.
	MostMinutes int
}

// DialFacts are the inputs of the gate, read under a lock on the person.
type DialFacts struct {
	Type       CallType // purpose of the call; empty if it does not matter
	Person     people.Person
	Phone      string // the number to be dialled
	Consents   map[people.Scope]bool
	Pause      *people.Pause // the current pause
	Live       *Call         // the call in progress
	DialsToday int           // since midnight in the person's time zone, without essential calls
	Safety     bool
	Wanted     bool // the person has just asked for it, or it follows danger: the legal hours do not apply
	// PersonMinutes and Minutes are this month's minutes so far, of the person and of all,
	// if they are capped.
	PersonMinutes, Minutes int
}

// Dial decides on and records an outbound call in one transaction. decide sees the current
// facts and refuses with an error, which Dial returns unchanged without recording anything.
// Two dials for one person are serialized.
func (s *Store) Dial(ctx context.Context, now time.Time, nc NewCall, decide func(DialFacts) error) (Call, error) {
	var call Call
	var refusal error
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		facts, err := s.dialFacts(ctx, tx, now, nc.PersonID)
		if err != nil {
			return err
		}
		facts.Type, facts.Safety = nc.Type, nc.Safety
		if nc.MostMinutes > 0 && !nc.Safety {
			if err := s.minutes(ctx, tx, now, nc, &facts); err != nil {
				return err
			}
		}
		if nc.Second && facts.Person.SecondPhone != "" {
			facts.Phone = facts.Person.SecondPhone
		}
		if refusal = decide(facts); refusal != nil {
			return refusal
		}
		nc.Phone = facts.Phone
		call, err = s.insertCall(ctx, tx, nc)
		return err
	})
	if refusal != nil {
		return Call{}, refusal
	}
	return call, pg.WrapErr(err, "dial %s", nc.PersonID)
}

// minutes counts the minutes of the month, under a lock that lasts until the transaction
// ends.
func (s *Store) minutes(ctx context.Context, tx pg.Tx, now time.Time, nc NewCall, f *DialFacts) (err error) {
	if err = s.db.Q.CallMinutesLock(ctx, tx); err != nil {
		return err
	}
	p := db.CallMinutesParams{Most: nc.MostMinutes, Since: Month(now)}
	if f.Minutes, err = s.db.Q.CallMinutes(ctx, tx, p); err != nil {
		return err
	}
	p.PersonID = nc.PersonID.UUID
	f.PersonMinutes, err = s.db.Q.CallMinutes(ctx, tx, p)
	return err
}

// Month returns the start of the month, in UTC, from which minutes are counted.
func Month(now time.Time) time.Time {
	y, m, _ := now.UTC().Date()
	return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
}

// CallMinutes returns the minutes of all calls of this month. A call in progress counts as
// most.
func (s *Store) CallMinutes(ctx context.Context, now time.Time, most int) (int, error) {
	return s.db.Q.CallMinutes(ctx, s.db.Conn, db.CallMinutesParams{Most: most, Since: Month(now)})
}

// DialFacts reads the current inputs of the gate. It reads minutes only if most is set,
// which is what a call in progress counts as.
func (s *Store) DialFacts(ctx context.Context, now time.Time, id pg.PersonID, most int) (DialFacts, error) {
	var facts DialFacts
	err := s.db.InTx(ctx, func(tx pg.Tx) (err error) {
		if facts, err = s.dialFacts(ctx, tx, now, id); err != nil || most == 0 {
			return err
		}
		return s.minutes(ctx, tx, now, NewCall{PersonID: id, MostMinutes: most}, &facts)
	})
	return facts, pg.WrapErr(err, "dial facts of %s", id)
}

func (s *Store) dialFacts(ctx context.Context, tx pg.Tx, now time.Time, id pg.PersonID) (DialFacts, error) {
	person, err := s.db.Q.PersonLock(ctx, tx, id.UUID)
	if err != nil {
		return DialFacts{}, err
	}
	f := DialFacts{Person: people.PersonFrom(person), Phone: person.Phone}
	if f.Consents, err = s.people.ScopesIn(ctx, tx, id); err != nil {
		return DialFacts{}, err
	}
	pause, paused, err := pg.IfAny(s.db.Q.PauseAt(ctx, tx, db.PauseAtParams{PersonID: id, At: now}))
	if err != nil {
		return DialFacts{}, err
	}
	if paused {
		f.Pause = &pause
	}
	row, live, err := pg.IfAny(s.db.Q.CallLiveOf(ctx, tx, id.UUID))
	if err != nil {
		return DialFacts{}, err
	}
	if live {
		c := CallFrom(row)
		f.Live = &c
	}
	local := now.In(f.Person.Location())
	midnight := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, local.Location())
	n, err := s.db.Q.CallsCountSince(ctx, tx, db.CallsCountSinceParams{PersonID: id.UUID, Since: midnight})
	f.DialsToday = int(n)
	return f, err
}

// CreateCall records a call that does not pass the gate: an inbound one.
func (s *Store) CreateCall(ctx context.Context, nc NewCall) (Call, error) {
	return s.insertCall(ctx, s.db.Conn, nc)
}

func (s *Store) insertCall(ctx context.Context, h db.DBTX, nc NewCall) (Call, error) {
	p := db.CallInsertParams{
		ID: pg.NewID(), PersonID: nc.PersonID, BelievedID: nc.BelievedID, Verified: string(nc.Verified), CallType: string(nc.Type), Direction: string(nc.Direction),
		Phone: nc.Phone, Reason: nc.Reason, Status: string(StatusQueued), RequestHash: nc.RequestHash,
		CallSid: pg.Optional(nc.SID), IdempotencyKey: pg.Optional(nc.IdempotencyKey), StreamTokenHash: tokenHash(nc.StreamToken),
	}
	if nc.Direction == Inbound {
		p.Status, p.StatusRank = string(StatusRinging), StatusRinging.Rank()
	}
	row, err := s.db.Q.CallInsert(ctx, h, p)
	return CallFrom(row), err
}

// Call returns one call, or [ErrNotFound].
func (s *Store) Call(ctx context.Context, id pg.CallID) (Call, error) {
	row, err := s.db.Q.CallGet(ctx, s.db.Conn, id.UUID)
	return CallFrom(row), err
}

// CallBySID returns the call with a Twilio SID, or [ErrNotFound].
func (s *Store) CallBySID(ctx context.Context, sid string) (Call, error) {
	row, err := s.db.Q.CallBySID(ctx, s.db.Conn, sid)
	return CallFrom(row), err
}

// CallByConversation returns the call that a conversation belongs to, or [ErrNotFound].
func (s *Store) CallByConversation(ctx context.Context, conversationID string) (Call, error) {
	row, err := s.db.Q.CallByConversation(ctx, s.db.Conn, conversationID)
	return CallFrom(row), err
}

// CallByIdempotencyKey returns the call created with an idempotency key, with the hash of
// its request, or [ErrNotFound].
func (s *Store) CallByIdempotencyKey(ctx context.Context, key string) (Call, []byte, error) {
	row, err := s.db.Q.CallByIdempotencyKey(ctx, s.db.Conn, key)
	return CallFrom(row), row.RequestHash, err
}

// LiveCallOf returns the live call with the person, or [ErrNotFound].
func (s *Store) LiveCallOf(ctx context.Context, id pg.PersonID) (Call, error) {
	row, err := s.db.Q.CallLiveOf(ctx, s.db.Conn, id.UUID)
	return CallFrom(row), err
}

// LiveCallsByPhone returns the live calls with an E.164 number, newest first.
func (s *Store) LiveCallsByPhone(ctx context.Context, phone string) ([]Call, error) {
	return callsFrom(s.db.Q.CallsLiveByPhone(ctx, s.db.Conn, phone))
}

// LiveCalls returns every call that has not ended, oldest first.
func (s *Store) LiveCalls(ctx context.Context) ([]Call, error) {
	return callsFrom(s.db.Q.CallsLive(ctx, s.db.Conn))
}

// CallFilter narrows a list of calls. Zero fields do not.
type CallFilter struct {
	PersonID pg.PersonID
	Status   CallStatus
	Before   pg.CallID // only calls older than this one: the cursor
	Limit    int
}

// Calls lists calls, newest first.
func (s *Store) Calls(ctx context.Context, f CallFilter) ([]Call, error) {
	return callsFrom(s.db.Q.CallsList(ctx, s.db.Conn, db.CallsListParams{PersonID: f.PersonID.UUID, Status: pg.Optional(string(f.Status)), Before: f.Before.UUID, MaxRows: f.Limit}))
}

// HealthConversations returns the ids of the first conversations of a person's health
// checks since a time.
func (s *Store) HealthConversations(ctx context.Context, tx pg.Tx, id pg.PersonID, since time.Time) ([]string, error) {
	return s.db.Q.CallsHealthConversations(ctx, tx, db.CallsHealthConversationsParams{PersonID: id.UUID, Since: since})
}

// SetCallSID records Twilio's SID of a call, once. It returns [pg.ErrConflict] if another
// one is recorded.
func (s *Store) SetCallSID(ctx context.Context, id pg.CallID, sid string) error {
	n, err := s.db.Q.CallSetSID(ctx, s.db.Conn, db.CallSetSIDParams{ID: id.UUID, CallSid: sid})
	if err == nil && n == 0 {
		err = pg.ErrConflict
	}
	return pg.WrapErr(err, "set sid of call %s", id)
}

// FoldStatus moves a call's status forward. It returns the call and true, or false if the
// status is out of date.
func (s *Store) FoldStatus(ctx context.Context, id pg.CallID, status CallStatus, at time.Time) (Call, bool, error) {
	row, moved, err := pg.IfAny(s.db.Q.CallFoldStatus(ctx, s.db.Conn, db.CallFoldStatusParams{ID: id.UUID, Status: string(status), StatusRank: status.Rank(), At: &at}))
	return CallFrom(row), moved, err
}

// SetAnsweredBy records Twilio's verdict on who picked up.
func (s *Store) SetAnsweredBy(ctx context.Context, id pg.CallID, answeredBy string) error {
	return s.db.Q.CallSetAnsweredBy(ctx, s.db.Conn, db.CallSetAnsweredByParams{ID: id.UUID, AnsweredBy: answeredBy})
}

// SetFirstWord records, only once, the time from the answer to the first word.
func (s *Store) SetFirstWord(ctx context.Context, id pg.CallID, d time.Duration) error {
	return s.db.Q.CallSetFirstWord(ctx, s.db.Conn, db.CallSetFirstWordParams{ID: id.UUID, FirstWordMs: int(d.Milliseconds())})
}

// SetVerified records how the speaker on a call was verified; an empty value withdraws it.
func (s *Store) SetVerified(ctx context.Context, id pg.CallID, how Verified) error {
	return s.db.Q.CallSetVerified(ctx, s.db.Conn, db.CallSetVerifiedParams{ID: id.UUID, Verified: string(how)})
}

// RungBack counts the calls to a person since a time with a reason.
func (s *Store) RungBack(ctx context.Context, id pg.PersonID, reason string, since time.Time) (int, error) {
	n, err := s.db.Q.CallsRungBack(ctx, s.db.Conn, db.CallsRungBackParams{PersonID: id.UUID, Reason: reason, Since: since})
	return int(n), err
}

// TakeStreamToken uses up a one-use media token and returns its call. It returns
// [ErrNotFound] for a token that is unknown, used, or of a call that has ended.
func (s *Store) TakeStreamToken(ctx context.Context, token string) (Call, error) {
	row, err := s.db.Q.CallTakeStreamToken(ctx, s.db.Conn, tokenHash(token))
	return CallFrom(row), err
}

// Reconnect counts another reconnection of a live call and sets a new stream token for it.
func (s *Store) Reconnect(ctx context.Context, id pg.CallID, token string) (Call, error) {
	row, err := s.db.Q.CallAddReconnect(ctx, s.db.Conn, db.CallAddReconnectParams{ID: id.UUID, StreamTokenHash: tokenHash(token)})
	return CallFrom(row), err
}

// AddConversation records that a conversation of the voice service belongs to a call.
func (s *Store) AddConversation(ctx context.Context, id pg.CallID, conversationID string) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		if err := s.db.Q.ConversationInsert(ctx, tx, db.ConversationInsertParams{ID: conversationID, CallID: id}); err != nil {
			return err
		}
		return s.db.Q.CallSetConversation(ctx, tx, db.CallSetConversationParams{ID: id.UUID, ConversationID: conversationID})
	})
	return pg.WrapErr(err, "add conversation to call %s", id)
}

// FinishCall ends a call once, and calls after in the same transaction, which ties what
// must follow to the ending. A second ending returns false and does nothing. An outbound
// call without a verified speaker has not reached the person: its outcome becomes
// [OutcomeSomeoneElse].
func (s *Store) FinishCall(ctx context.Context, id pg.CallID, end Ending, after func(tx pg.Tx, c Call) error) (Call, bool, error) {
	var ended Call
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		verified := pg.Optional(string(end.Verified))
		if end.Denied {
			verified = new(string)
		}
		row, err := s.db.Q.CallFinish(ctx, tx, db.CallFinishParams{
			ID: id.UUID, Outcome: string(end.Outcome), EndedCause: end.Cause, EndedBy: end.By, Verified: verified,
		})
		if err != nil {
			return err
		}
		ended = CallFrom(row)
		if after == nil {
			return nil
		}
		return after(tx, ended)
	})
	ended, was, err := pg.IfAny(ended, err)
	return ended, was, pg.WrapErr(err, "finish call %s", id)
}

func callsFrom(rows []db.Call, err error) ([]Call, error) { return pg.Each(rows, CallFrom), err }

func CallFrom(r db.Call) Call {
	c := Call{
		ID: pg.CallID{UUID: r.ID}, PersonID: r.PersonID, BelievedID: r.BelievedID, Verified: Verified(r.Verified), Type: CallType(r.CallType), Direction: Direction(r.Direction),
		Phone: r.Phone, Reason: r.Reason, Status: CallStatus(r.Status), SID: pg.Value(r.CallSid),
		ConversationID: pg.Value(r.ConversationID), Reconnects: r.Reconnects, AnsweredBy: r.AnsweredBy,
		FirstWordMS: r.FirstWordMs, CreatedAt: r.CreatedAt, AnsweredAt: r.AnsweredAt, EndedAt: r.EndedAt,
	}
	if r.Danger != nil && r.DangerAt != nil {
		c.Danger = &Danger{Kind: *r.Danger, At: *r.DangerAt, OverAt: r.DangerOverAt}
	}
	if r.ConnectedAt != nil {
		c.Connected = &Connected{Notice: r.ConnectedNotice, At: *r.ConnectedAt, OverAt: r.ConnectedOverAt}
	}
	if r.Outcome != nil {
		c.Ending = &Ending{Outcome: Outcome(*r.Outcome), Cause: pg.Value(r.EndedCause), By: pg.Value(r.EndedBy)}
	}
	return c
}

func tokenHash(token string) []byte {
	if token == "" {
		return nil
	}
	h := sha256.Sum256([]byte(token))
	return h[:]
}

// Line is a live call with its person: what a request for a turn is resolved to.
type Line struct {
	Call           Call
	Person         people.Person // unknown if the call is [Call.Withheld], perhaps with language and time zone
	ConversationID string        // the current conversation
}

// Told returns the line as the speakers on it may see it. If the call is withheld, it is
// that of an unknown caller: without name, record or memory, only with the language and the
// time zone to speak by.
func (l Line) Told() Line {
	if !l.Call.Withheld() {
		return l
	}
	l.Call.BelievedID = l.Call.Whose()
	l.Call.PersonID, l.Call.Reason = pg.PersonID{}, ""
	l.Person = people.Person{Language: l.Person.Language, Timezone: l.Person.Timezone}
	return l
}

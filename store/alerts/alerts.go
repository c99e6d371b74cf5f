// Package alerts keeps what a human being must hear of, whom it was told, and who saw to it.
package alerts

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Tier says how soon somebody must act.
type Tier int

// The tiers.
const (
	Digest  Tier = 1 // with other things, now and then
	SameDay Tier = 2
	Urgent  Tier = 3 // within minutes
	Now     Tier = 4
)

// Status is where an alert stands. It only ever goes forward, until the tier is raised.
type Status string

// The statuses of an alert.
const (
	Open         Status = "open"         // nobody was told yet
	Notified     Status = "notified"     // a notice left
	Acknowledged Status = "acknowledged" // a named human being sees to it
	Closed       Status = "closed"       // and has said what came of it
)

// The channels of notices.
const (
	SMS     = "sms"
	Call    = "call"
	Email   = "email"
	Webhook = "webhook"
)

// The statuses of a notice.
const (
	Queued    = "queued"
	Sent      = "sent"
	Delivered = "delivered"
	Failed    = "failed"
	Answered  = "acknowledged" // it was this one that the acknowledgement answered
)

// CannotHelp is the detail of a notice whose receiver has said so.
const CannotHelp = "cannot help now"

// Errors of acknowledging and closing.
var (
	// ErrTaken says that somebody else has acknowledged the alert.
	ErrTaken = errors.New("alert is acknowledged by somebody else")
	// ErrClosed says that the alert was closed otherwise.
	ErrClosed = errors.New("alert is closed")
	// ErrLink says that a link was used, or has expired.
	ErrLink = errors.New("link is of no use any more")
	// ErrTextTaken says that a text message was answered before.
	ErrTextTaken = errors.New("text message was answered before")
	// ErrUnsaid says that it is missing who acts, or what came of the alert.
	ErrUnsaid = errors.New("a name or an outcome is missing")
)

type (
	// Notice is one message about an alert to one address.
	Notice = db.AlertNotice
	// Event is something that happened to an alert besides its notices: raised,
	// acknowledged, closed, opened (a link), replied, declined, exhausted (nobody else is told),
	// recovered (what it was raised for has passed).
	Event = db.AlertEvent
	// Due is a step of an alert's ladder.
	Due = db.AlertsDueRow
	// Step names a step of an alert's ladder by its alert.
	Step = db.AlertNoticesLostRow
)

// Alert is something that a human being must hear of.
type Alert struct {
	ID             uuid.UUID
	PersonID       pg.PersonID // unknown: it is the operator's
	CallID         pg.CallID   // may be unknown
	Turn           int
	Tier           Tier
	Kind           string // "fall", "chest_pain", ..., "no_answer", "operator_..."
	Quote, Why     string
	Unsure         bool // the speaker had not shown to be the person
	Status         Status
	CreatedAt      time.Time
	AcknowledgedAt *time.Time
	ClosedAt       *time.Time
	AcknowledgedBy string
	ClosedBy       string
	Outcome        string
	// Run counts how often the ladder was begun, which is once and again with each higher
	// tier; BeganAt is when that was last. Step is the one that is next, due at DueAt; nil:
	// nobody else is told.
	Run     int
	BeganAt time.Time
	Step    int
	DueAt   *time.Time
	Notices []Notice
	Events  []Event
}

// Awaited reports whether nobody has acknowledged the alert.
func (a Alert) Awaited() bool { return a.Status == Open || a.Status == Notified }

// New is an alert that is to be raised.
type New struct {
	PersonID   pg.PersonID
	CallID     pg.CallID
	Turn       int
	Tier       Tier
	Kind       string
	Quote, Why string
	Unsure     bool
	Key        string    // what happens again under the same key is the same alert; empty: it is always another
	At         time.Time // zero: now
}

// Store keeps them in PostgreSQL. It may be used concurrently.
type Store struct {
	db     *pg.DB
	raised []func(ctx context.Context, tx pg.Tx, a Alert) error // set at the start, read only from then on
}

// NewStore returns a store over an open database.
func NewStore(db *pg.DB) *Store { return &Store{db: db} }

// OnAlert has [Store.RaiseAlert] call f within its transaction. It is for the start of a
// process: it must not be called when the store is in use.
func (s *Store) OnAlert(f func(ctx context.Context, tx pg.Tx, a Alert) error) {
	s.raised = append(s.raised, f)
}

// RaiseAlert stores an alert together with what was registered with [Store.OnAlert], in
// one transaction. The same key again returns the alert that there is, and raised is
// false. A higher tier under the same key raises the alert's tier: it is open again,
// whoever has acknowledged or closed it, its ladder begins again, and raised is true. A
// lower tier changes nothing.
func (s *Store) RaiseAlert(ctx context.Context, n New) (a Alert, raised bool, err error) {
	if n.At.IsZero() {
		n.At = time.Now()
	}
	n.At = n.At.Truncate(time.Microsecond)
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		row, isNew, err := pg.IfAny(s.db.Q.AlertRaise(ctx, tx, db.AlertRaiseParams{
			ID: pg.NewID(), Key: pg.Optional(pg.Storable(n.Key)), PersonID: n.PersonID, CallID: n.CallID, Turn: n.Turn, Tier: int(n.Tier),
			Kind: pg.Storable(n.Kind), Quote: pg.Storable(n.Quote), Why: pg.Storable(n.Why), Unsure: n.Unsure, At: n.At,
		}))
		if err != nil {
			return err
		}
		if raised = isNew; !raised {
			row, err = s.db.Q.AlertByKey(ctx, tx, pg.Storable(n.Key))
			a = alertOf(row)
			return err
		}
		a = alertOf(row)
		if err := s.db.Q.AlertNoticesDrop(ctx, tx, db.AlertNoticesDropParams{Detail: "not sent: the alert became more urgent", AlertID: a.ID}); err != nil {
			return err
		}
		if err := s.db.Q.AlertLinksRenew(ctx, tx, a.ID); err != nil {
			return err
		}
		kind := "raised"
		if a.Run > 1 {
			kind = "tier_raised"
		}
		if err := s.event(ctx, tx, a.ID, n.At, kind, "", a.Why); err != nil {
			return err
		}
		for _, f := range s.raised {
			if err := f(ctx, tx, a); err != nil {
				return err
			}
		}
		return nil
	})
	return a, raised && err == nil, pg.WrapErr(err, "raise alert %s", n.Kind)
}

// Alert returns one with its notices and events, or [pg.ErrNotFound].
func (s *Store) Alert(ctx context.Context, id uuid.UUID) (Alert, error) {
	row, err := s.db.Q.AlertByID(ctx, s.db.Conn, id)
	if err != nil {
		return Alert{}, err
	}
	list, err := s.whole(ctx, s.db.Conn, []db.Alert{row})
	if err != nil {
		return Alert{}, err
	}
	return list[0], nil
}

// Filter narrows a list; what is zero narrows nothing.
type Filter struct {
	PersonID pg.PersonID
	Status   Status
	Tier     Tier
	Before   uuid.UUID // only older ones
	Limit    int
}

// Alerts lists them with their notices and events, newest first.
func (s *Store) Alerts(ctx context.Context, f Filter) ([]Alert, error) {
	p := db.AlertsListParams{PersonID: f.PersonID.UUID, Status: pg.Optional(string(f.Status)), Before: f.Before, MaxRows: f.Limit}
	if f.Tier != 0 {
		tier := int(f.Tier)
		p.Tier = &tier
	}
	rows, err := s.db.Q.AlertsList(ctx, s.db.Conn, p)
	if err != nil {
		return nil, err
	}
	return s.whole(ctx, s.db.Conn, rows)
}

// StandingAlerts returns those that nobody has closed, of a person where one is named:
// first those that nobody sees to, then the most urgent, then the oldest.
func (s *Store) StandingAlerts(ctx context.Context, person pg.PersonID, limit int) ([]Alert, error) {
	rows, err := s.db.Q.AlertsStanding(ctx, s.db.Conn, db.AlertsStandingParams{PersonID: person.UUID, MaxRows: limit})
	if err != nil {
		return nil, err
	}
	return s.whole(ctx, s.db.Conn, rows)
}

// PersonAlerts returns all of a person, oldest first. tx may be nil.
func (s *Store) PersonAlerts(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]Alert, error) {
	rows, err := s.db.Q.AlertsOf(ctx, s.db.Handle(tx), person.UUID)
	if err != nil {
		return nil, err
	}
	return s.whole(ctx, s.db.Handle(tx), rows)
}

// whole adds the notices and events.
func (s *Store) whole(ctx context.Context, h db.DBTX, rows []db.Alert) ([]Alert, error) {
	list, ids, place := pg.Each(rows, alertOf), make([]uuid.UUID, len(rows)), make(map[uuid.UUID]*Alert, len(rows))
	for i := range list {
		ids[i], place[list[i].ID] = list[i].ID, &list[i]
	}
	notices, err := s.db.Q.AlertNoticesOf(ctx, h, ids)
	if err != nil {
		return nil, err
	}
	for _, n := range notices {
		place[n.AlertID].Notices = append(place[n.AlertID].Notices, n)
	}
	events, err := s.db.Q.AlertEventsOf(ctx, h, ids)
	for _, e := range events {
		place[e.AlertID].Events = append(place[e.AlertID].Events, e)
	}
	return list, err
}

// Answer is what a human being says to an alert.
type Answer struct {
	By   string    // their name
	How  string    // which way it came: api, cli, link, sms, call
	Note string    // of an acknowledgement; may be empty
	At   time.Time // zero: now
	// Text is the carrier's name for the text message that it came by; empty: it came otherwise.
	// The answer and that it was taken are kept together: a second one is [ErrTextTaken].
	Text string
}

func (a Answer) timed() Answer {
	if a.At.IsZero() {
		a.At = time.Now()
	}
	return a
}

// AcknowledgeAlert records that a named human being sees to an alert: nobody else is told
// from now on. The same again changes nothing; where somebody else was first it is
// [ErrTaken], and the alert says who.
func (s *Store) AcknowledgeAlert(ctx context.Context, id uuid.UUID, by Answer) (Alert, error) {
	return s.settle(ctx, id, by, "", nil)
}

// CloseAlert records what came of an alert. Whoever closes one that nobody has acknowledged
// acknowledges it. The same again changes nothing; where it was closed otherwise it is
// [ErrClosed], and the alert says how.
func (s *Store) CloseAlert(ctx context.Context, id uuid.UUID, by Answer, outcome string) (Alert, error) {
	if strings.TrimSpace(outcome) == "" {
		return Alert{}, ErrUnsaid
	}
	return s.settle(ctx, id, by, outcome, nil)
}

// settle acknowledges an alert, or closes it where there is an outcome. first, if set, is
// done while the alert is locked.
func (s *Store) settle(ctx context.Context, id uuid.UUID, by Answer, outcome string, first func(tx pg.Tx, a Alert) error) (a Alert, err error) {
	by.By, by.Note, outcome = pg.Storable(strings.TrimSpace(by.By)), pg.Storable(strings.TrimSpace(by.Note)), pg.Storable(strings.TrimSpace(outcome))
	if by.By == "" {
		return Alert{}, ErrUnsaid
	}
	by = by.timed()
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		row, err := s.db.Q.AlertLock(ctx, tx, id)
		if err != nil {
			return err
		}
		a = alertOf(row)
		if first != nil {
			if err := first(tx, a); err != nil {
				return err
			}
		}
		switch {
		case a.Status == Closed && outcome != "" && (a.ClosedBy != by.By || a.Outcome != outcome):
			return ErrClosed
		case outcome == "" && !a.Awaited() && a.AcknowledgedBy != by.By:
			return ErrTaken
		case a.Status == Closed, outcome == "" && a.Status == Acknowledged:
			return nil // it was done before
		}
		if a.Awaited() {
			a.Status, a.AcknowledgedAt, a.AcknowledgedBy = Acknowledged, &by.At, by.By
			if err := s.settled(ctx, tx, a, by, "acknowledge", "acknowledged", by.Note); err != nil {
				return err
			}
		}
		if outcome != "" {
			a.Status, a.ClosedAt, a.ClosedBy, a.Outcome = Closed, &by.At, by.By, outcome
			if err := s.settled(ctx, tx, a, by, "close", "closed", outcome); err != nil {
				return err
			}
		}
		row, err = s.db.Q.AlertSettle(ctx, tx, db.AlertSettleParams{
			ID: id, Status: string(a.Status), AcknowledgedAt: a.AcknowledgedAt, AcknowledgedBy: a.AcknowledgedBy,
			ClosedAt: a.ClosedAt, ClosedBy: a.ClosedBy, Outcome: a.Outcome,
		})
		if err != nil {
			return err
		}
		if a = alertOf(row); a.Status == Closed {
			if err := s.db.Q.AlertUnrecorded(ctx, tx, id); err != nil {
				return err
			}
		}
		return s.db.Q.AlertNoticesDrop(ctx, tx, db.AlertNoticesDropParams{Detail: "not sent: " + a.AcknowledgedBy + " sees to it", AlertID: id})
	})
	return a, pg.WrapErr(err, "settle alert %s", id)
}

// settled notes a change on the alert, and in the audit.
func (s *Store) settled(ctx context.Context, tx pg.Tx, a Alert, by Answer, action, event, detail string) error {
	if err := s.event(ctx, tx, a.ID, by.At, event, by.By, detail); err != nil {
		return err
	}
	return s.db.Q.AuditInsert(ctx, tx, db.AuditInsertParams{
		Actor: by.By, Action: "alert." + action, PersonID: a.PersonID, Subject: a.ID.String(), Data: []byte(`{"how": "` + how(by.How) + `"}`),
	})
}

// how is the way as it may stand in JSON.
func how(way string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r == '_' {
			return r
		}
		return -1
	}, way)
}

// PutThrough notes on an alert that who sees to it talks with the person.
func (s *Store) PutThrough(ctx context.Context, id uuid.UUID, by string, at time.Time) error {
	return pg.WrapErr(s.event(ctx, s.db.Conn, id, at, "put_through", by, ""), "note on alert %s", id)
}

func (s *Store) event(ctx context.Context, h db.DBTX, id uuid.UUID, at time.Time, kind, by, detail string) error {
	return s.db.Q.AlertEventInsert(ctx, h, db.AlertEventInsertParams{AlertID: id, At: at, Kind: kind, ByWhom: by, Detail: pg.Storable(detail)})
}

// OK is when a person was last spoken with and well, and in which call.
type OK struct {
	At     time.Time
	CallID pg.CallID
}

// LastKnownOK returns when a person was last known to be well; found is false where there
// is no such call. A machine that answered is not the person, and neither is a call of
// which a danger or an alert is open.
func (s *Store) LastKnownOK(ctx context.Context, person pg.PersonID) (ok OK, found bool, err error) {
	row, found, err := pg.IfAny(s.db.Q.LastKnownOK(ctx, s.db.Conn, person.UUID))
	return OK{row.At, pg.CallID{UUID: row.ID}}, found, err
}

func alertOf(r db.Alert) Alert {
	return Alert{
		ID: r.ID, PersonID: r.PersonID, CallID: r.CallID, Turn: r.Turn, Tier: Tier(r.Tier), Kind: r.Kind, Quote: r.Quote, Why: r.Why, Unsure: r.Unsure,
		Status: Status(r.Status), CreatedAt: r.CreatedAt, AcknowledgedAt: r.AcknowledgedAt, ClosedAt: r.ClosedAt,
		AcknowledgedBy: r.AcknowledgedBy, ClosedBy: r.ClosedBy, Outcome: r.Outcome, Run: r.Run, BeganAt: r.BeganAt, Step: r.Step, DueAt: r.DueAt,
	}
}

// RestoreAlert keeps an alert inside tx as it was elsewhere, with its notices and events;
// nobody is told of it. One that is there stays as it is.
func (s *Store) RestoreAlert(ctx context.Context, tx pg.Tx, a Alert) error {
	n, err := s.db.Q.AlertRestore(ctx, tx, db.AlertRestoreParams{
		ID: a.ID, PersonID: a.PersonID, CallID: a.CallID, Turn: a.Turn, Tier: int(a.Tier), Kind: pg.Storable(a.Kind), Quote: pg.Storable(a.Quote), Why: pg.Storable(a.Why),
		Unsure: a.Unsure, Status: string(a.Status), CreatedAt: a.CreatedAt, BeganAt: a.CreatedAt, AcknowledgedAt: a.AcknowledgedAt, AcknowledgedBy: pg.Storable(a.AcknowledgedBy),
		ClosedAt: a.ClosedAt, ClosedBy: pg.Storable(a.ClosedBy), Outcome: pg.Storable(a.Outcome),
	})
	if err != nil || n == 0 {
		return err
	}
	for i, n := range a.Notices {
		if err := s.db.Q.AlertNoticeRestore(ctx, tx, db.AlertNoticeRestoreParams{
			ID: n.ID, AlertID: a.ID, Run: 1, Step: i, Name: pg.Storable(n.Name), Channel: n.Channel, Address: pg.Storable(n.Address), Status: n.Status,
			Detail: pg.Storable(n.Detail), CreatedAt: n.CreatedAt, DueAt: n.CreatedAt, SentAt: n.SentAt, DeliveredAt: n.DeliveredAt,
		}); err != nil {
			return err
		}
	}
	for _, e := range a.Events {
		if err := s.event(ctx, tx, a.ID, e.At, pg.Storable(e.Kind), pg.Storable(e.ByWhom), e.Detail); err != nil {
			return err
		}
	}
	return nil
}

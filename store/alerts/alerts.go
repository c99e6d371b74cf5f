// Package alerts stores what a human must hear of, who was notified, and who took care of
// it.
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

// Tier is how soon someone must act.
type Tier int

// The tiers.
const (
	Digest  Tier = 1 // together with other things, now and then
	SameDay Tier = 2
	Urgent  Tier = 3 // within minutes
	Now     Tier = 4
)

// Status is the state of an alert. It only moves forward, unless the tier is raised.
type Status string

// The statuses of an alert.
const (
	Open         Status = "open"         // no one was notified yet
	Notified     Status = "notified"     // a notice was sent
	Acknowledged Status = "acknowledged" // a named human takes care of it
	Closed       Status = "closed"       // and the outcome is recorded
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
	Answered  = "acknowledged" // the notice that the acknowledgement answered
)

// CannotHelp is the detail of a notice whose receiver cannot help now.
const CannotHelp = "cannot help now"

// Errors of acknowledging and closing an alert.
var (
	// ErrTaken says that the alert was acknowledged by someone else.
	ErrTaken = errors.New("alert is acknowledged by somebody else")
	// ErrClosed says that the alert was closed with another outcome or by someone else.
	ErrClosed = errors.New("alert is closed")
	// ErrLink says that a link was used, or has expired.
	ErrLink = errors.New("link is of no use any more")
	// ErrTextTaken says that a text message was answered before.
	ErrTextTaken = errors.New("text message was answered before")
	// ErrUnsaid says that the name of the actor or the outcome is missing.
	ErrUnsaid = errors.New("a name or an outcome is missing")
)

type (
	// Notice is one message about an alert to one address.
	Notice = db.AlertNotice
	// Event is something that happened to an alert besides its notices: raised,
	// acknowledged, closed, opened (a link), replied, declined, exhausted (no one is left
	// to notify), recovered (its cause has passed).
	Event = db.AlertEvent
	// Due is a step of an alert's ladder that is due.
	Due = db.AlertsDueRow
	// Step identifies a step of an alert's ladder.
	Step = db.AlertNoticesLostRow
)

// Alert is something that a human must hear of.
type Alert struct {
	ID             uuid.UUID
	PersonID       pg.PersonID // unknown if it is for the operator
	CallID         pg.CallID   // may be unknown
	Turn           int
	Tier           Tier
	Kind           string // "fall", "chest_pain", ..., "no_answer", "operator_..."
	Quote, Why     string
	Unsure         bool // the speaker was not verified as the person
	Status         Status
	CreatedAt      time.Time
	AcknowledgedAt *time.Time
	ClosedAt       *time.Time
	AcknowledgedBy string
	ClosedBy       string
	Outcome        string
	// Run counts how often the ladder was started: once, and again with each higher tier.
	// BeganAt is the latest start. Step is the next step, due at DueAt; if that is nil, no
	// one else is notified.
	Run     int
	BeganAt time.Time
	Step    int
	DueAt   *time.Time
	Notices []Notice
	Events  []Event
}

// Awaited reports whether no one has acknowledged the alert.
func (a Alert) Awaited() bool { return a.Status == Open || a.Status == Notified }

// New is an alert to be raised.
type New struct {
	PersonID   pg.PersonID
	CallID     pg.CallID
	Turn       int
	Tier       Tier
	Kind       string
	Quote, Why string
	Unsure     bool
	Key        string    // idempotency key; if empty, every call raises another alert
	At         time.Time // zero means now
}

// Store stores alerts in PostgreSQL. It may be used concurrently.
type Store struct {
	db     *pg.DB
	raised []func(ctx context.Context, tx pg.Tx, a Alert) error // set at startup, read-only afterwards
}

// NewStore returns a store over an open database.
func NewStore(db *pg.DB) *Store { return &Store{db: db} }

// OnAlert makes [Store.RaiseAlert] call f within its transaction. It must be called at
// startup, before the store is in use.
func (s *Store) OnAlert(f func(ctx context.Context, tx pg.Tx, a Alert) error) {
	s.raised = append(s.raised, f)
}

// RaiseAlert stores an alert and calls the functions registered with [Store.OnAlert], in
// one transaction. If the key exists, it returns the existing alert with raised false. A
// higher tier under the same key raises the alert's tier: the alert is open again, even if
// it was acknowledged or closed, its ladder restarts, and raised is true. A lower tier
// changes nothing.
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

// Alert returns an alert with its notices and events, or [pg.ErrNotFound].
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

// Filter narrows a list. Zero fields do not.
type Filter struct {
	PersonID pg.PersonID
	Status   Status
	Tier     Tier
	Before   uuid.UUID // only older ones
	Limit    int
}

// Alerts lists alerts with their notices and events, newest first.
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

// StandingAlerts returns the alerts that are not closed, only those of person if it is
// known: first those that are not acknowledged, then the most urgent, then the oldest.
func (s *Store) StandingAlerts(ctx context.Context, person pg.PersonID, limit int) ([]Alert, error) {
	rows, err := s.db.Q.AlertsStanding(ctx, s.db.Conn, db.AlertsStandingParams{PersonID: person.UUID, MaxRows: limit})
	if err != nil {
		return nil, err
	}
	return s.whole(ctx, s.db.Conn, rows)
}

// PersonAlerts returns all alerts of a person, oldest first. tx may be nil.
func (s *Store) PersonAlerts(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]Alert, error) {
	rows, err := s.db.Q.AlertsOf(ctx, s.db.Handle(tx), person.UUID)
	if err != nil {
		return nil, err
	}
	return s.whole(ctx, s.db.Handle(tx), rows)
}

// whole converts rows and adds their notices and events.
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

// Answer is the reaction of a human to an alert.
type Answer struct {
	By   string    // their name
	How  string    // the way it came: api, cli, link, sms, call
	Note string    // of an acknowledgement; may be empty
	At   time.Time // zero means now
	// Text is the carrier's id of the text message that it came by; empty if it came
	// another way. It is marked as answered in the same transaction as the answer; a second
	// answer by it returns [ErrTextTaken].
	Text string
}

func (a Answer) timed() Answer {
	if a.At.IsZero() {
		a.At = time.Now()
	}
	return a
}

// AcknowledgeAlert records that a named human takes care of an alert: no one else is
// notified from then on. The same acknowledgement again is a no-op; if someone else was
// first, it returns [ErrTaken], and the alert says who.
func (s *Store) AcknowledgeAlert(ctx context.Context, id uuid.UUID, by Answer) (Alert, error) {
	return s.settle(ctx, id, by, "", nil)
}

// CloseAlert records the outcome of an alert, and acknowledges it if no one has. The same
// again is a no-op; if it was closed differently, it returns [ErrClosed], and the alert
// says how.
func (s *Store) CloseAlert(ctx context.Context, id uuid.UUID, by Answer, outcome string) (Alert, error) {
	if strings.TrimSpace(outcome) == "" {
		return Alert{}, ErrUnsaid
	}
	return s.settle(ctx, id, by, outcome, nil)
}

// settle acknowledges an alert, or closes it if outcome is set. first, if set, is called
// while the alert is locked.
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
			return nil // done before
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

// settled records a change on the alert and in the audit.
func (s *Store) settled(ctx context.Context, tx pg.Tx, a Alert, by Answer, action, event, detail string) error {
	if err := s.event(ctx, tx, a.ID, by.At, event, by.By, detail); err != nil {
		return err
	}
	return s.db.Q.AuditInsert(ctx, tx, db.AuditInsertParams{
		Actor: by.By, Action: "alert." + action, PersonID: a.PersonID, Subject: a.ID.String(), Data: []byte(`{"how": "` + how(by.How) + `"}`),
	})
}

// how removes all but lower-case letters and underscores, which makes way safe inside JSON.
func how(way string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r == '_' {
			return r
		}
		return -1
	}, way)
}

// PutThrough records on an alert that the person was connected to by, who takes care of it.
func (s *Store) PutThrough(ctx context.Context, id uuid.UUID, by string, at time.Time) error {
	return pg.WrapErr(s.event(ctx, s.db.Conn, id, at, "put_through", by, ""), "note on alert %s", id)
}

func (s *Store) event(ctx context.Context, h db.DBTX, id uuid.UUID, at time.Time, kind, by, detail string) error {
	return s.db.Q.AlertEventInsert(ctx, h, db.AlertEventInsertParams{AlertID: id, At: at, Kind: kind, ByWhom: by, Detail: pg.Storable(detail)})
}

// OK is when and in which call a person was last reached and well.
type OK struct {
	At     time.Time
	CallID pg.CallID
}

// LastKnownOK returns when a person was last known to be well; found is false if there is
// no such call. A call that a machine answered does not count, nor does one with an open
// danger or alert.
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

// RestoreAlert stores an imported alert inside tx, with its notices and events, without
// notifying anyone. An existing one is left unchanged.
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

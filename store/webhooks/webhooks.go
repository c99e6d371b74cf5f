// Package webhooks stores the URLs that are notified of events, the events, and the result
// of each attempt. Events are written by the database itself, in the transaction that
// causes them: see the migration that creates the tables.
package webhooks

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Events lists the types of events, in alphabetical order.
var Events = []string{
	"alert.acknowledged", "alert.closed", "alert.notice", "alert.raised", "call.analysed", "call.ended", "call.started",
	"consent.changed", "person.opted_in", "person.opted_out", "schedule.missed",
}

// Status is the state of a delivery.
type Status string

// The statuses of a delivery.
const (
	Pending   Status = "pending"
	Delivered Status = "delivered"
	Failed    Status = "failed"
)

type (
	// Webhook is a URL that is notified of events. FailingSince and FailedAt are the first
	// and the latest of the failed attempts since the last success; nil if there are none.
	Webhook = db.Webhook
	// Attempt is one request and its answer; a status of zero means that there was none.
	Attempt = db.WebhookAttempt
)

// Event is something that happened.
type Event struct {
	ID   uuid.UUID
	Type string
	At   time.Time
	Data json.RawMessage
}

// Delivery is the delivery of an event to a webhook.
type Delivery struct {
	ID        uuid.UUID
	WebhookID uuid.UUID
	Event     Event
	Status    Status
	CreatedAt time.Time
	Attempts  []Attempt // oldest first; empty except in lists
}

// Store stores webhooks in PostgreSQL. It may be used concurrently.
type Store struct{ db *pg.DB }

// New returns a store over an open database.
func New(db *pg.DB) *Store { return &Store{db} }

// AddWebhook stores a webhook, which is notified of events from now on.
func (s *Store) AddWebhook(ctx context.Context, url string, events []string) (Webhook, error) {
	return s.db.Q.WebhookInsert(ctx, s.db.Conn, db.WebhookInsertParams{ID: pg.NewID(), Url: url, Events: events})
}

// Webhook returns a webhook, or [pg.ErrNotFound].
func (s *Store) Webhook(ctx context.Context, id uuid.UUID) (Webhook, error) {
	return s.db.Q.WebhookGet(ctx, s.db.Conn, id)
}

// Webhooks returns all webhooks, oldest first.
func (s *Store) Webhooks(ctx context.Context) ([]Webhook, error) {
	return s.db.Q.WebhooksList(ctx, s.db.Conn)
}

// RemoveWebhook deletes a webhook with its deliveries, or returns [pg.ErrNotFound].
func (s *Store) RemoveWebhook(ctx context.Context, id uuid.UUID) error {
	return pg.OrAbsent(s.db.Q.WebhookDelete(ctx, s.db.Conn, id))
}

// FailingWebhooks returns the webhooks whose attempts have all failed for at least lasting,
// from the first to the latest.
func (s *Store) FailingWebhooks(ctx context.Context, lasting time.Duration) ([]Webhook, error) {
	return s.db.Q.WebhooksFailing(ctx, s.db.Conn, lasting.Seconds())
}

// TakeDeliveries calls queue once for each new delivery, in the transaction that marks them
// as queued. It returns how many there were, at most a hundred.
func (s *Store) TakeDeliveries(ctx context.Context, queue func(tx pg.Tx, id uuid.UUID) error) (n int, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		ids, err := s.db.Q.WebhookDeliveriesTake(ctx, tx)
		if err != nil {
			return err
		}
		n = len(ids)
		for _, id := range ids {
			if err := queue(tx, id); err != nil {
				return err
			}
		}
		return nil
	})
	return n, pg.WrapErr(err, "queue deliveries of webhooks")
}

// Delivery returns a delivery without its attempts, and its URL, or [pg.ErrNotFound].
func (s *Store) Delivery(ctx context.Context, id uuid.UUID) (d Delivery, url string, err error) {
	r, err := s.db.Q.WebhookDeliveryGet(ctx, s.db.Conn, id)
	return delivery(r.WebhookDelivery, r.WebhookEvent), r.Url, err
}

// Filter narrows a list of deliveries. Zero fields do not.
type Filter struct {
	Status   Status
	BeforeAt time.Time // with BeforeID: only those after that one in the list
	BeforeID uuid.UUID
	Limit    int
}

// Deliveries lists a webhook's deliveries with their attempts, newest first.
func (s *Store) Deliveries(ctx context.Context, webhook uuid.UUID, f Filter) ([]Delivery, error) {
	rows, err := s.db.Q.WebhookDeliveriesList(ctx, s.db.Conn, db.WebhookDeliveriesListParams{
		WebhookID: webhook, Status: pg.Optional(string(f.Status)), BeforeAt: pg.Moment(f.BeforeAt), BeforeID: f.BeforeID, MaxRows: f.Limit,
	})
	if err != nil {
		return nil, err
	}
	list, ids, place := make([]Delivery, len(rows)), make([]uuid.UUID, len(rows)), make(map[uuid.UUID]*Delivery, len(rows))
	for i, r := range rows {
		list[i] = delivery(r.WebhookDelivery, r.WebhookEvent)
		ids[i], place[list[i].ID] = list[i].ID, &list[i]
	}
	attempts, err := s.db.Q.WebhookAttemptsOf(ctx, s.db.Conn, ids)
	for _, a := range attempts {
		place[a.DeliveryID].Attempts = append(place[a.DeliveryID].Attempts, a)
	}
	return list, err
}

// Replay creates another delivery of an event to the same webhook, and returns its id. If
// the delivery is not the webhook's, it returns [pg.ErrNotFound].
func (s *Store) Replay(ctx context.Context, webhook, delivery uuid.UUID) (uuid.UUID, error) {
	return s.db.Q.WebhookReplay(ctx, s.db.Conn, db.WebhookReplayParams{ID: delivery, WebhookID: webhook})
}

// LogAttempt stores an attempt, and sets the status of its delivery.
func (s *Store) LogAttempt(ctx context.Context, a Attempt, now Status) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		if err := s.db.Q.WebhookTried(ctx, tx, db.WebhookTriedParams{DeliveryID: a.DeliveryID, Failed: now != Delivered, At: a.At}); err != nil {
			return err
		}
		if err := s.db.Q.WebhookDeliverySettle(ctx, tx, db.WebhookDeliverySettleParams{ID: a.DeliveryID, Status: string(now)}); err != nil {
			return err
		}
		return s.db.Q.WebhookAttemptInsert(ctx, tx, db.WebhookAttemptInsertParams{
			DeliveryID: a.DeliveryID, At: a.At, ElapsedMs: a.ElapsedMs, Status: a.Status, Error: pg.Storable(a.Error), Reply: pg.Storable(a.Reply),
		})
	})
	return pg.WrapErr(err, "log attempt at delivery %s", a.DeliveryID)
}

// PruneWebhooks deletes events from before a time with their deliveries, and marks as
// failed the deliveries that were queued before lost and have no result. It returns the
// number of deleted events.
func (s *Store) PruneWebhooks(ctx context.Context, before, lost time.Time) (int, error) {
	if err := s.db.Q.WebhookDeliveriesLost(ctx, s.db.Conn, lost); err != nil {
		return 0, err
	}
	n, err := s.db.Q.WebhookEventsPrune(ctx, s.db.Conn, before)
	return int(n), err
}

func delivery(d db.WebhookDelivery, e db.WebhookEvent) Delivery {
	return Delivery{ID: d.ID, WebhookID: d.WebhookID, Event: Event{ID: e.ID, Type: e.Type, At: e.At, Data: e.Data}, Status: Status(d.Status), CreatedAt: d.CreatedAt}
}

// Package webhooks keeps the URLs that are told of events, what they are told, and how each
// attempt went. Events are written by the database itself, in the transaction of what happened:
// see the migration that makes the tables.
package webhooks

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Events are the types of events there are, in alphabetical order.
var Events = []string{
	"alert.acknowledged", "alert.closed", "alert.notice", "alert.raised", "call.analysed", "call.ended", "call.started",
	"consent.changed", "person.opted_in", "person.opted_out", "schedule.missed",
}

// Status is where a delivery stands.
type Status string

// The statuses of a delivery.
const (
	Pending   Status = "pending"
	Delivered Status = "delivered"
	Failed    Status = "failed"
)

type (
	// Webhook is a URL that is told of events. FailingSince and FailedAt are the first and the
	// latest of the attempts that have failed since one was received; nil: none has.
	Webhook = db.Webhook
	// Attempt is one request and its answer; a status of zero means that none came.
	Attempt = db.WebhookAttempt
)

// Event is something that happened.
type Event struct {
	ID   uuid.UUID
	Type string
	At   time.Time
	Data json.RawMessage
}

// Delivery is an event on its way to a webhook.
type Delivery struct {
	ID        uuid.UUID
	WebhookID uuid.UUID
	Event     Event
	Status    Status
	CreatedAt time.Time
	Attempts  []Attempt // the first one first; of one delivery that is sent, none
}

// Store keeps them in PostgreSQL. It may be used concurrently.
type Store struct{ db *pg.DB }

// New returns a store over an open database.
func New(db *pg.DB) *Store { return &Store{db} }

// AddWebhook keeps a webhook, which is told of what happens from now on.
func (s *Store) AddWebhook(ctx context.Context, url string, events []string) (Webhook, error) {
	return s.db.Q.WebhookInsert(ctx, s.db.Conn, db.WebhookInsertParams{ID: pg.NewID(), Url: url, Events: events})
}

// Webhook returns one, or [pg.ErrNotFound].
func (s *Store) Webhook(ctx context.Context, id uuid.UUID) (Webhook, error) {
	return s.db.Q.WebhookGet(ctx, s.db.Conn, id)
}

// Webhooks returns all, the oldest first.
func (s *Store) Webhooks(ctx context.Context) ([]Webhook, error) {
	return s.db.Q.WebhooksList(ctx, s.db.Conn)
}

// RemoveWebhook deletes a webhook with its deliveries, or returns [pg.ErrNotFound].
func (s *Store) RemoveWebhook(ctx context.Context, id uuid.UUID) error {
	return pg.OrAbsent(s.db.Q.WebhookDelete(ctx, s.db.Conn, id))
}

// FailingWebhooks returns those of which every attempt has failed, the first and the latest
// at least so long apart.
func (s *Store) FailingWebhooks(ctx context.Context, lasting time.Duration) ([]Webhook, error) {
	return s.db.Q.WebhooksFailing(ctx, s.db.Conn, lasting.Seconds())
}

// TakeDeliveries hands new deliveries to queue, once, within the transaction that notes that
// they are queued. It returns how many they were, at most a hundred.
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

// Delivery returns one without its attempts, and the URL that it goes to, or [pg.ErrNotFound].
func (s *Store) Delivery(ctx context.Context, id uuid.UUID) (d Delivery, url string, err error) {
	r, err := s.db.Q.WebhookDeliveryGet(ctx, s.db.Conn, id)
	return delivery(r.WebhookDelivery, r.WebhookEvent), r.Url, err
}

// Filter narrows a list of deliveries; what is zero narrows nothing.
type Filter struct {
	Status   Status
	BeforeAt time.Time // with BeforeID: only what comes after that one in the list
	BeforeID uuid.UUID
	Limit    int
}

// Deliveries lists those of a webhook with their attempts, the newest first.
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

// Replay makes another delivery of an event to the same webhook, and returns its id. A
// delivery that is not the webhook's is [pg.ErrNotFound].
func (s *Store) Replay(ctx context.Context, webhook, delivery uuid.UUID) (uuid.UUID, error) {
	return s.db.Q.WebhookReplay(ctx, s.db.Conn, db.WebhookReplayParams{ID: delivery, WebhookID: webhook})
}

// LogAttempt keeps how an attempt went, and what the delivery is now.
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

// PruneWebhooks deletes events from before a time with their deliveries, and gives up
// deliveries that were queued before lost and of which nothing was heard.
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

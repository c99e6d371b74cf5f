// Package webhook notifies other systems of events: it posts them to URLs, signed, until
// they are received or the tries are used up.
//
// It guarantees that an event is delivered exactly when the transaction that caused it was
// committed, that each attempt is logged, and that a delivery ends. A receiver may get an
// event more than once, and out of order; it recognizes a repetition by its id.
package webhook

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/webhooks"
)

const (
	// MaxAttempts is the maximum number of attempts of a delivery, within about two days;
	// see [RetryAfter].
	MaxAttempts = 12
	// MaxWebhooks is the maximum number of webhooks: each is checked at every event.
	MaxWebhooks = 50
	// Lasting is how long every attempt at a webhook must have failed before the operator
	// is notified.
	Lasting = 24 * time.Hour
	// AtOnce is how many deliveries to one webhook a process sends concurrently, which
	// keeps a receiver that hangs from delaying the others.
	AtOnce = 3
	// sendWithin limits one attempt.
	sendWithin = 15 * time.Second
	// lostAfter exceeds the time of all attempts.
	lostAfter = 4 * 24 * time.Hour

	firstRetry, maxRetry = 10 * time.Second, 12 * time.Hour
)

var (
	// ErrNoKey says that there is no key to derive secrets from.
	ErrNoKey = errors.New("webhooks.key is not set: no webhook can be signed")
	// ErrTooMany says that there are already [MaxWebhooks] webhooks.
	ErrTooMany = errors.New("there are as many webhooks as there may be; remove one first")
	// ErrGone says that the receiver wants no more tries of a delivery: it answered 410.
	ErrGone = errors.New("the receiver answered 410 Gone")
)

// BusyError says that a delivery was not tried, since its webhook has [AtOnce] in progress.
type BusyError struct {
	After time.Duration // when to try again: soon, unless the receiver is slow
}

func (b *BusyError) Error() string { return fmt.Sprintf("the webhook is busy for %s", b.After) }

// RetryAfter returns the pause after a delivery's n-th attempt, counted from 1: 10 s,
// tripled each time, up to 12 h.
func RetryAfter(n int) time.Duration {
	wait := firstRetry
	for range n - 1 {
		wait = min(3*wait, maxRetry)
	}
	return wait
}

// Config configures a [Sender]. Store is required.
type Config struct {
	Store *store.Store
	Key   string        // derives the secrets; if empty, nothing is sent
	Keep  time.Duration // how long events and their deliveries are kept
	HTTP  *http.Client  // default [Client]
	Now   func() time.Time
	Log   *slog.Logger
}

// Sender posts events to webhooks. It may be used concurrently.
type Sender struct {
	cfg Config

	mu      sync.Mutex // guards sending
	sending map[uuid.UUID][]time.Time
}

// New returns a Sender.
func New(cfg Config) *Sender {
	if cfg.HTTP == nil {
		cfg.HTTP = Client()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &Sender{cfg: cfg, sending: make(map[uuid.UUID][]time.Time)}
}

// enter counts a post to a webhook until leave is called, or returns a [BusyError].
func (s *Sender) enter(hook uuid.UUID) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	began, now := s.sending[hook], time.Now()
	if len(began) >= AtOnce {
		return nil, &BusyError{After: time.Second + now.Sub(began[0])}
	}
	s.sending[hook] = append(began, now)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		i := slices.Index(s.sending[hook], now)
		if s.sending[hook] = slices.Delete(s.sending[hook], i, i+1); len(s.sending[hook]) == 0 {
			delete(s.sending, hook)
		}
	}, nil
}

// Add stores a webhook and returns it with its secret, which is never shown again. The
// caller must have validated the URL and the events.
func (s *Sender) Add(ctx context.Context, url string, events []string) (hook webhooks.Webhook, secret string, err error) {
	if s.cfg.Key == "" {
		return hook, "", ErrNoKey
	}
	all, err := s.cfg.Store.Webhooks(ctx)
	if err != nil {
		return hook, "", err
	}
	if len(all) >= MaxWebhooks {
		return hook, "", ErrTooMany
	}
	hook, err = s.cfg.Store.AddWebhook(ctx, url, events)
	return hook, s.secret(hook.ID), err
}

// secret derives a webhook's secret from the key and its id. It is not stored.
func (s *Sender) secret(id uuid.UUID) string {
	mac := hmac.New(sha256.New, []byte(s.cfg.Key))
	mac.Write([]byte("naiber webhook " + id.String()))
	return "whsec_" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// body is the posted JSON.
type body struct {
	ID   uuid.UUID       `json:"id"`
	Type string          `json:"type"`
	At   time.Time       `json:"at"`
	Data json.RawMessage `json:"data"`
}

// Deliver posts a delivery once, and logs the attempt; last says that it is not tried
// again. An error means that it was not received: [ErrGone] that it never will be,
// [store.ErrNotFound] that it no longer exists, [BusyError] that it was not tried.
func (s *Sender) Deliver(ctx context.Context, id uuid.UUID, last bool) error {
	d, url, err := s.cfg.Store.Delivery(ctx, id)
	switch {
	case err != nil:
		return err
	case d.Status == webhooks.Delivered:
		return nil // a process died before it could mark the job as done
	}
	text, err := json.Marshal(body{d.Event.ID, d.Event.Type, d.Event.At.UTC(), d.Event.Data})
	if err != nil {
		return err
	}
	leave, err := s.enter(d.WebhookID)
	if err != nil {
		return err
	}
	defer leave()
	at := s.cfg.Now()
	began := time.Now()
	reply, err := s.post(ctx, d.WebhookID, url, at, text)
	a := webhooks.Attempt{DeliveryID: id, At: at, ElapsedMs: int(time.Since(began).Milliseconds()), Status: reply.Status, Reply: reply.Body}
	if err == nil {
		err = reply.Err()
	}
	if reply.Status == http.StatusGone {
		err = ErrGone
	}
	now := webhooks.Delivered
	if err != nil {
		a.Error, now = err.Error(), webhooks.Pending
		if last || errors.Is(err, ErrGone) {
			now = webhooks.Failed
			s.cfg.Log.WarnContext(ctx, "webhook delivery is given up", "webhook_id", d.WebhookID, "delivery_id", id, "type", d.Event.Type, "err", err)
		}
		err = fmt.Errorf("post delivery %s: %w", id, err)
	}
	return errors.Join(err, s.cfg.Store.LogAttempt(context.WithoutCancel(ctx), a, now))
}

func (s *Sender) post(ctx context.Context, hook uuid.UUID, url string, at time.Time, text []byte) (Reply, error) {
	if s.cfg.Key == "" {
		return Reply{}, ErrNoKey
	}
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	return Post(ctx, s.cfg.HTTP, url, s.secret(hook), at, text)
}

// Prune deletes events older than Keep, and gives up lost deliveries.
func (s *Sender) Prune(ctx context.Context) error {
	now := s.cfg.Now()
	_, err := s.cfg.Store.PruneWebhooks(ctx, now.Add(-s.cfg.Keep), now.Add(-lostAfter))
	return err
}

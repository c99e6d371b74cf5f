package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/webhook"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/webhooks"
)

// Webhooks adds webhooks; [webhook.Sender] is one.
type Webhooks interface {
	Add(ctx context.Context, url string, events []string) (hook webhooks.Webhook, secret string, err error)
}

// Webhook is a URL that receives events. It is exported because the description of the API skips
// embedded types that are not.
type Webhook struct {
	ID           string     `json:"id"`
	URL          string     `json:"url" doc:"What is posted to"`
	Events       []string   `json:"events" doc:"What it is told of"`
	CreatedAt    time.Time  `json:"createdAt"`
	FailingSince *time.Time `json:"failingSince,omitempty" doc:"Since when every attempt has failed; absent: the last one was received, or there was none"`
}

type webhookAdded struct {
	Webhook

	Secret string `json:"secret" doc:"Signs what is posted; it is shown this once"`
}

// WebhookDelivery is the delivery of an event to a webhook.
type WebhookDelivery struct {
	ID        string           `json:"id"`
	EventID   string           `json:"eventId" doc:"The id in the body; the same for every delivery of the event"`
	Type      string           `json:"type" doc:"What happened"`
	At        time.Time        `json:"at" doc:"When it happened"`
	Data      map[string]any   `json:"data" doc:"What is said of it: ids and codes"`
	Status    string           `json:"status" enum:"pending,delivered,failed" doc:"failed: it is not tried again"`
	CreatedAt time.Time        `json:"createdAt"`
	Attempts  []WebhookAttempt `json:"attempts" doc:"The first one first"`
}

// WebhookAttempt is one request and its answer.
type WebhookAttempt struct {
	At        time.Time `json:"at"`
	ElapsedMS int       `json:"elapsedMs" doc:"How long it took"`
	Status    int       `json:"status,omitempty" doc:"Of the HTTP answer; absent: none came"`
	Error     string    `json:"error,omitempty" doc:"Why it was not received"`
	Reply     string    `json:"reply,omitempty" doc:"The beginning of the answer, at most 1024 bytes"`
}

// WebhookPath names a webhook.
type WebhookPath struct {
	ID string `path:"id" doc:"The webhook's id"`
}

func (p WebhookPath) named() string { return p.ID }

func (a *api) webhooks(h huma.API) {
	op := under("webhooks", "/api/v1/webhooks")
	handle(a, h, op("add-webhook", http.MethodPost, "", "Have a URL told of events", http.StatusCreated, http.StatusConflict), a.addWebhook)
	handle(a, h, op("list-webhooks", http.MethodGet, "", "The URLs that are told of events", http.StatusOK), a.listWebhooks)
	handle(a, h, op("get-webhook", http.MethodGet, "/{id}", "One webhook", http.StatusOK), about(a.findWebhook, func(_ context.Context, w webhooks.Webhook, _ *WebhookPath) (Webhook, error) {
		return webhookShape(w), nil
	}))
	handleEmpty(a, h, op("remove-webhook", http.MethodDelete, "/{id}", "Tell a URL nothing any more", http.StatusNoContent), about(a.findWebhook, a.removeWebhook))
	handle(a, h, op("list-deliveries", http.MethodGet, "/{id}/deliveries", "What a webhook was told, and what it answered", http.StatusOK), about(a.findWebhook, a.listDeliveries))
	handle(a, h, op("replay-delivery", http.MethodPost, "/{id}/deliveries/{deliveryId}/replay", "Tell a webhook of an event once more", http.StatusCreated), about(a.findWebhook, a.replayDelivery))
}

// findWebhook returns the webhook with an id, or [store.ErrNotFound].
func (a *api) findWebhook(ctx context.Context, id string) (webhooks.Webhook, error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return webhooks.Webhook{}, store.ErrNotFound
	}
	return a.Store.Webhook(ctx, parsed)
}

type addWebhookIn struct {
	Body struct {
		URL    string   `json:"url" maxLength:"2000" example:"https://example.org/naiber" doc:"Begins with https://; plain http is only for loopback"`
		Events []string `json:"events" minItems:"1" doc:"What it is told of" enum:"alert.acknowledged,alert.closed,alert.notice,alert.raised,call.analysed,call.ended,call.started,consent.changed,person.opted_in,person.opted_out,schedule.missed"`
	}
}

func (a *api) addWebhook(ctx context.Context, in *addWebhookIn) (out webhookAdded, err error) {
	if !WebhookURL(in.Body.URL) {
		return out, invalid("body.url", "must be a URL that begins with https://; plain http is only for loopback")
	}
	slices.Sort(in.Body.Events)
	w, secret, err := a.Webhooks.Add(ctx, in.Body.URL, slices.Compact(in.Body.Events))
	if errors.Is(err, webhook.ErrNoKey) || errors.Is(err, webhook.ErrTooMany) {
		return out, huma.Error409Conflict(err.Error())
	}
	if err != nil {
		return out, err
	}
	a.auditWebhook(ctx, "webhook.add", w.ID)
	return webhookAdded{webhookShape(w), secret}, nil
}

func (a *api) listWebhooks(ctx context.Context, _ *none) (items[Webhook], error) {
	list, err := a.Store.Webhooks(ctx)
	return items[Webhook]{each(list, webhookShape)}, err
}

func (a *api) removeWebhook(ctx context.Context, w webhooks.Webhook, _ *WebhookPath) (none, error) {
	err := a.Store.RemoveWebhook(ctx, w.ID)
	if err == nil {
		a.auditWebhook(ctx, "webhook.remove", w.ID)
	}
	return none{}, err
}

type deliveriesQuery struct {
	WebhookPath

	Status string `query:"status" enum:"pending,delivered,failed"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

func (a *api) listDeliveries(ctx context.Context, w webhooks.Webhook, in *deliveriesQuery) (out page[WebhookDelivery], err error) {
	f := webhooks.Filter{Status: webhooks.Status(in.Status), Limit: in.Limit + 1}
	if f.BeforeAt, f.BeforeID, err = readCursor(in.Cursor); err != nil {
		return out, err
	}
	list, err := a.Store.Deliveries(ctx, w.ID, f)
	return paged(list, in.Limit, func(d webhooks.Delivery) string { return cursor(d.CreatedAt, d.ID) }, deliveryShape), err
}

type replayIn struct {
	WebhookPath

	DeliveryID string `path:"deliveryId" doc:"The delivery's id"`
}

type replayed struct {
	ID string `json:"id" doc:"Of the new delivery"`
}

func (a *api) replayDelivery(ctx context.Context, w webhooks.Webhook, in *replayIn) (replayed, error) {
	id, err := uuid.Parse(in.DeliveryID)
	if err != nil {
		return replayed{}, store.ErrNotFound
	}
	again, err := a.Store.Replay(ctx, w.ID, id)
	if err == nil {
		a.auditWebhook(ctx, "webhook.replay", w.ID)
	}
	return replayed{again.String()}, err
}

func (a *api) auditWebhook(ctx context.Context, action string, id uuid.UUID) {
	if err := a.Store.AddAudit(ctx, calls.Audit{Actor: "api", Action: action, Subject: id.String()}); err != nil {
		a.Log.ErrorContext(ctx, "audit is not kept", "kind", action, "err", err)
	}
}

func webhookShape(w webhooks.Webhook) Webhook {
	return Webhook{ID: w.ID.String(), URL: w.Url, Events: w.Events, CreatedAt: w.CreatedAt.UTC(), FailingSince: utc(w.FailingSince)}
}

// WebhookShapes returns webhooks as the API lists them.
func WebhookShapes(list []webhooks.Webhook) []Webhook { return each(list, webhookShape) }

// DeliveryShapes returns deliveries as the API lists them.
func DeliveryShapes(list []webhooks.Delivery) []WebhookDelivery { return each(list, deliveryShape) }

func deliveryShape(d webhooks.Delivery) WebhookDelivery {
	out := WebhookDelivery{
		ID: d.ID.String(), EventID: d.Event.ID.String(), Type: d.Event.Type, At: d.Event.At.UTC(), Status: string(d.Status), CreatedAt: d.CreatedAt.UTC(),
		Attempts: each(d.Attempts, func(t webhooks.Attempt) WebhookAttempt {
			return WebhookAttempt{At: t.At.UTC(), ElapsedMS: t.ElapsedMs, Status: t.Status, Error: t.Error, Reply: t.Reply}
		}),
	}
	_ = json.Unmarshal(d.Event.Data, &out.Data) // the database wrote it
	return out
}

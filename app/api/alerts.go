package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/app/agent"
	"github.com/naiber/naiber/jobs/escalation"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
)

// Alert is an alert in a list. It is exported because the description of the API skips embedded
// types that are not.
type Alert struct {
	ID             string        `json:"id"`
	UserID         string        `json:"userId,omitempty" doc:"Absent: the alert is the operator's"`
	CallID         string        `json:"callId,omitempty"`
	Turn           int           `json:"turn,omitempty" doc:"The turn of the call in which it was said"`
	Tier           int           `json:"tier" minimum:"1" maximum:"4" doc:"4 now, 3 urgent, 2 same day, 1 digest"`
	Kind           string        `json:"kind"`
	What           string        `json:"what" doc:"The kind in English words" example:"a fall, and cannot get up"`
	Quote          string        `json:"quote" doc:"What was said"`
	Why            string        `json:"why" doc:"Why it is an alert"`
	Unsure         bool          `json:"unsure,omitempty" doc:"It was said on the person's line by somebody who had not shown to be them"`
	Status         string        `json:"status" enum:"open,notified,acknowledged,closed" doc:"open: nobody was told yet; notified: a notice left; acknowledged: somebody sees to it"`
	CreatedAt      time.Time     `json:"createdAt"`
	AcknowledgedAt *time.Time    `json:"acknowledgedAt,omitempty" doc:"When somebody said that they see to it"`
	AcknowledgedBy string        `json:"acknowledgedBy,omitempty" doc:"Who sees to it"`
	ClosedAt       *time.Time    `json:"closedAt,omitempty" doc:"When somebody said what came of it"`
	ClosedBy       string        `json:"closedBy,omitempty" doc:"Who said what came of it"`
	Outcome        string        `json:"outcome,omitempty" doc:"What came of it"`
	NextAt         *time.Time    `json:"nextAt,omitempty" doc:"When others are told, unless somebody acknowledges; absent: nobody else is told"`
	Notices        []AlertNotice `json:"notices" doc:"Whom it was told, the first notice first"`
}

// AlertNotice is one message about an alert.
type AlertNotice struct {
	To      string     `json:"to" doc:"Whom it goes to"`
	Channel string     `json:"channel" doc:"How it was told" enum:"sms,call,email,webhook"`
	Address string     `json:"address" doc:"Where it goes; in lists, only enough of it to know it again"`
	Status  string     `json:"status" enum:"queued,sent,delivered,failed,acknowledged" doc:"acknowledged: it was this one that was answered"`
	SentAt  *time.Time `json:"sentAt,omitempty" doc:"When it was handed to the carrier"`
	// DeliveredAt is nil if the provider does not report it, as with e-mail.
	DeliveredAt *time.Time `json:"deliveredAt,omitempty" doc:"When the carrier said that it has arrived"`
	Detail      string     `json:"detail,omitempty" doc:"Why it failed, or what was answered"`
}

type alertFull struct {
	Alert

	NextTo []alertTold  `json:"nextTo,omitempty" doc:"Whom the step at nextAt tells, as contacts are now"`
	Events []alertEvent `json:"events" doc:"What happened, in order"`
}

type alertTold struct {
	To       string   `json:"to" doc:"Their name"`
	Channels []string `json:"channels" doc:"How they are told"`
}

type alertEvent struct {
	Kind   string    `json:"kind" doc:"raised, tier_raised, opened (a link), replied, declined, acknowledged, put_through (to the person), closed, nobody_to_tell, exhausted, recovered (what it was raised for has passed), welfare_visit_asked (of the on-call)"`
	At     time.Time `json:"at"`
	By     string    `json:"by,omitempty" doc:"Who did it"`
	Detail string    `json:"detail,omitempty" doc:"A note, an outcome or a reason"`
}

// AlertPath names an alert.
type AlertPath struct {
	ID string `path:"id" doc:"The alert's id"`
}

func (p AlertPath) named() string { return p.ID }

func (a *api) alerts(h huma.API) {
	op := under("alerts", "/api/v1/alerts")
	handle(a, h, op("list-alerts", http.MethodGet, "", "Alerts, newest first", http.StatusOK), a.listAlerts)
	handle(a, h, op("list-standing-alerts", http.MethodGet, "/standing", "Alerts that nobody has closed, the most pressing first", http.StatusOK), a.listStanding)
	handle(a, h, op("get-alert", http.MethodGet, "/{id}", "An alert, and all that happened to it", http.StatusOK), about(a.findAlert, a.getAlert))
	handle(a, h, op("acknowledge-alert", http.MethodPost, "/{id}/acknowledge", "Say that somebody sees to it", http.StatusOK, http.StatusConflict), about(a.findAlert, a.acknowledgeAlert))
	handle(a, h, op("close-alert", http.MethodPost, "/{id}/close", "Say what came of it", http.StatusOK, http.StatusConflict), about(a.findAlert, a.closeAlert))
}

// findAlert returns the alert with an id, or [store.ErrNotFound].
func (a *api) findAlert(ctx context.Context, id string) (alerts.Alert, error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return alerts.Alert{}, store.ErrNotFound
	}
	return a.Store.Alert(ctx, parsed)
}

type alertsQuery struct {
	UserID string `query:"userId"`
	Status string `query:"status" enum:"open,notified,acknowledged,closed"`
	Tier   int    `query:"tier" doc:"Only of this urgency" minimum:"1" maximum:"4"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

func (a *api) listAlerts(ctx context.Context, in *alertsQuery) (out page[Alert], err error) {
	f := alerts.Filter{Status: alerts.Status(in.Status), Tier: alerts.Tier(in.Tier), Limit: in.Limit + 1}
	if in.UserID != "" {
		if f.PersonID, err = store.ParsePersonID(in.UserID); err != nil || !f.PersonID.Known() {
			return out, invalid("query.userId", "is not an id")
		}
	}
	if f.Before, err = readIDCursor(in.Cursor); err != nil {
		return out, err
	}
	list, err := a.Store.Alerts(ctx, f)
	return paged(list, in.Limit, func(k alerts.Alert) string { return k.ID.String() }, func(k alerts.Alert) Alert { return alertBody(k, alerts.Masked) }), err
}

type standingQuery struct {
	UserID string `query:"userId"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"200"`
}

func (a *api) listStanding(ctx context.Context, in *standingQuery) (out items[Alert], err error) {
	var person store.PersonID
	if in.UserID != "" {
		if person, err = store.ParsePersonID(in.UserID); err != nil || !person.Known() {
			return out, invalid("query.userId", "is not an id")
		}
	}
	list, err := a.Store.StandingAlerts(ctx, person, in.Limit)
	return items[Alert]{each(list, func(k alerts.Alert) Alert { return alertBody(k, alerts.Masked) })}, err
}

func (a *api) getAlert(ctx context.Context, k alerts.Alert, _ *AlertPath) (alertFull, error) {
	return a.wholeAlert(ctx, k)
}

// wholeAlert returns an alert with the people whom its next step notifies.
func (a *api) wholeAlert(ctx context.Context, k alerts.Alert) (alertFull, error) {
	out := alertWhole(k)
	if a.Following == nil {
		return out, nil
	}
	next, err := a.Following(ctx, k)
	out.NextTo = each(next, func(t escalation.Told) alertTold { return alertTold{t.Name, t.Channels} })
	return out, err
}

type acknowledgeIn struct {
	AlertPath

	Body struct {
		By   string `json:"by" minLength:"1" maxLength:"200" pattern:"\\S" patternDescription:"not blank" doc:"The name of the human being who sees to it"`
		Note string `json:"note,omitempty" doc:"What else is to be on record" maxLength:"2000"`
	}
}

func (a *api) acknowledgeAlert(ctx context.Context, k alerts.Alert, in *acknowledgeIn) (alertFull, error) {
	_, err := a.Store.AcknowledgeAlert(ctx, k.ID, alerts.Answer{By: in.Body.By, How: "api", Note: in.Body.Note})
	return a.answered(ctx, k, err)
}

type closeIn struct {
	AlertPath

	Body struct {
		By      string `json:"by" minLength:"1" maxLength:"200" pattern:"\\S" patternDescription:"not blank" doc:"Who closes it"`
		Outcome string `json:"outcome" minLength:"1" maxLength:"2000" pattern:"\\S" patternDescription:"not blank" doc:"What came of it" example:"Spoke with her, she is fine."`
	}
}

func (a *api) closeAlert(ctx context.Context, k alerts.Alert, in *closeIn) (alertFull, error) {
	_, err := a.Store.CloseAlert(ctx, k.ID, alerts.Answer{By: in.Body.By, How: "api"}, in.Body.Outcome)
	return a.answered(ctx, k, err)
}

// answered returns an alert as it is after somebody answered it, or the alert and err if that
// failed.
func (a *api) answered(ctx context.Context, k alerts.Alert, err error) (alertFull, error) {
	if err == nil {
		k, err = a.Store.Alert(ctx, k.ID)
	}
	return alertWhole(k), err // no next step: NextTo stays empty
}

func alertWhole(k alerts.Alert) alertFull {
	whole := func(_, address string) string { return address }
	return alertFull{Alert: alertBody(k, whole), Events: each(k.Events, func(e alerts.Event) alertEvent {
		return alertEvent{Kind: e.Kind, At: e.At.UTC(), By: e.ByWhom, Detail: e.Detail}
	})}
}

func alertBody(k alerts.Alert, show func(channel, address string) string) Alert {
	out := Alert{
		ID: k.ID.String(), Turn: k.Turn, Tier: int(k.Tier), Kind: k.Kind, What: escalation.WordsIn("en").Head(people.Person{}, k.Kind), Quote: k.Quote, Why: k.Why, Unsure: k.Unsure, Status: string(k.Status), CreatedAt: k.CreatedAt.UTC(),
		AcknowledgedAt: utc(k.AcknowledgedAt), AcknowledgedBy: k.AcknowledgedBy, ClosedAt: utc(k.ClosedAt), ClosedBy: k.ClosedBy, Outcome: k.Outcome, NextAt: utc(k.DueAt),
		Notices: each(k.Notices, func(n alerts.Notice) AlertNotice {
			return AlertNotice{To: n.Name, Channel: n.Channel, Address: show(n.Channel, n.Address), Status: n.Status, SentAt: utc(n.SentAt), DeliveredAt: utc(n.DeliveredAt), Detail: n.Detail}
		}),
	}
	if k.PersonID.Known() {
		out.UserID = k.PersonID.String()
	}
	if (k.CallID != store.CallID{}) {
		out.CallID = k.CallID.String()
	}
	return out
}

// AlertShapes returns alerts as the API lists them.
func AlertShapes(list []alerts.Alert) any {
	return each(list, func(k alerts.Alert) Alert { return alertBody(k, alerts.Masked) })
}

// AlertShape returns an alert as the API describes it.
func AlertShape(k alerts.Alert) any { return alertWhole(k) }

// WebhookURL reports whether notices may be posted to a URL: https, or http to this machine,
// since anybody on the way could pose as a plain http server. It must not have a fragment.
func WebhookURL(address string) bool {
	u, err := url.Parse(strings.TrimSpace(address))
	return err == nil && u.Host != "" && u.Fragment == "" && (u.Scheme == "https" || u.Scheme == "http" && agent.Loopback(u.Hostname()))
}

// Package api is the REST API: people, consents, pauses, calls, health checks,
// alerts, memories and the text channel, described by OpenAPI 3.1 at /openapi.json.
//
// Every answer that is not a success is an RFC 9457 problem document. Times are
// RFC 3339 in UTC; an elder is a userId here, a person elsewhere.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/escalation"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/repairs"
	"github.com/naiber/naiber/telephony"
)

// Dialer places and ends calls; every dial passes the gate.
type Dialer interface {
	Place(ctx context.Context, req telephony.PlaceRequest) (calls.Call, error)
	HangUp(ctx context.Context, id store.CallID, by string) error
}

// Models is the model server; [llm.Client] is one.
type Models interface {
	Models(ctx context.Context) ([]string, error)
	Props(ctx context.Context) (llm.Props, error)
}

// Deps are the dependencies of the API.
type Deps struct {
	Store    *store.Store
	Dialer   Dialer
	Follower *calls.Follower
	Statuses Statuses
	Version  string
	Log      *slog.Logger
	// Done is closed when the process stops, so that open event streams end.
	Done <-chan struct{}
	// Packs add codes and labels to health checks; without them, checks are shown as they were
	// stored.
	Packs *packs.Library
	// RunningCheck returns the person's health check in progress, as far as it has come, and
	// whether there is one. If nil, none is shown.
	RunningCheck func(ctx context.Context, id store.PersonID) (checks.Check, bool, error)
	// CognitiveTasks returns the tasks of cognitive checks in a language.
	CognitiveTasks func(language string) []tasks.Task
	// Memory is the memory of people. If nil, it has no routes.
	Memory *service.Service
	// Chat is the text channel, and Models the server of its models. Each client may make
	// ChatPerMinute requests a minute, and ChatBurst at once.
	Chat                     *chat.Channel
	Models                   Models
	ChatPerMinute, ChatBurst int
	// Council discusses people. If nil, it has no routes.
	Council *council.Council
	// Appliance helps with appliances, in sessions that Repairs limits.
	Appliance Helper
	Repairs   repairs.Limits
	// Following returns the people whom the next step of an alert's ladder notifies. If nil,
	// answers do not name them.
	Following func(ctx context.Context, k alerts.Alert) ([]escalation.Told, error)
	// Scheduler plans schedules.
	Scheduler Scheduler
	// MayBeTold reports whether the recipient at an address of a channel may still be told of an
	// alert. If nil, every recipient may.
	MayBeTold func(ctx context.Context, k alerts.Alert, channel, address string) (bool, error)
	// Webhooks adds webhooks.
	Webhooks Webhooks
	// ViewerBehind is how long a viewer of a discussion may be behind; default 15 s.
	ViewerBehind time.Duration
	// Known reports whether a request may read the details of /status.
	Known func(r *http.Request) bool
	// PublicURL is the prefix of the addresses in exports for other systems; empty means the
	// project's own.
	PublicURL string
}

type api struct {
	Deps

	standing standing
}

// Mount adds the API to r and returns its description. It puts /call, /api/v1/... and the text
// channel behind guard; /openapi.json and /status are open to everybody and name no person.
func Mount(r chi.Router, d Deps, guard func(http.Handler) http.Handler) *huma.OpenAPI {
	a := &api{Deps: d}
	cfg := huma.DefaultConfig("nAIber", d.Version)
	cfg.Info.Description = "Phones elderly people, keeps them company and remembers what matters to them."
	// A relative URL lets the reference send its requests to the host that it was loaded from.
	cfg.Servers = []*huma.Server{{URL: "/", Description: "This nAIber"}}
	cfg.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer": {Type: "http", Scheme: "bearer", Description: "NAIBER_API_TOKEN"},
	}
	cfg.Security = []map[string][]string{{"bearer": {}}}
	cfg.Formats = map[string]huma.Format{"application/json": textFormat, "json": textFormat}
	cfg.CreateHooks = nil // no $schema links in answers
	cfg.DocsPath = ""     // the console serves them, from its own files
	cfg.SchemasPath = ""  // they are all in /openapi.json
	open := humachi.New(r, cfg)

	locked := chi.NewRouter()
	locked.Use(private, guard, legible)
	inner := huma.Config{
		OpenAPI: open.OpenAPI(), Formats: cfg.Formats, DefaultFormat: cfg.DefaultFormat,
		RejectUnknownQueryParameters: true,
	}
	h := humachi.New(locked, inner)
	h.UseMiddleware(jsonOnly(h), bounded)
	a.people(h)
	a.consents(h)
	a.pauses(h)
	a.pins(h)
	a.schedules(h)
	a.calls(h)
	a.health(h)
	a.cognitive(h)
	a.cognitiveTrendRoutes(h)
	a.memories(h)
	a.alerts(h)
	a.webhooks(h)
	a.discussions(locked, h)
	a.mails(h)
	a.events(locked, h)
	a.mountChat(locked, inner)
	locked.NotFound(func(w http.ResponseWriter, _ *http.Request) {
		Problem(w, http.StatusNotFound, "There is nothing at this address.")
	})
	locked.MethodNotAllowed(wrongMethod(locked))
	r.Handle("/call", locked)
	r.Handle("/api/*", locked)
	for _, root := range chatRoots {
		r.Handle(root, locked)
		r.Handle(root+"/*", locked)
	}
	a.links(r)
	a.status(open)
	explain(open.OpenAPI())
	return open.OpenAPI()
}

// wrongMethod answers 405 with the methods that an address takes.
func wrongMethod(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
			if routes.Match(chi.NewRouteContext(), m, r.URL.Path) {
				allowed = append(allowed, m)
			}
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		Problem(w, http.StatusMethodNotAllowed, "This address takes "+strings.Join(allowed, ", ")+".")
	}
}

// A describe func returns the description of a route; more are its failure statuses besides the
// usual ones.
type describe func(id, method, path, summary string, success int, more ...int) huma.Operation

// under returns a [describe] for routes of a tag whose addresses begin with base.
func under(tag, base string) describe {
	return func(id, method, path, summary string, success int, more ...int) huma.Operation {
		return operation(tag, id, method, base+path, summary, success, more...)
	}
}

// operation returns the description of a route behind the guard.
func operation(tag, id, method, path, summary string, success int, more ...int) huma.Operation {
	op := huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{tag}, Summary: summary, DefaultStatus: success,
		Errors: []int{http.StatusUnauthorized},
	}
	if strings.Contains(path, "{id}") {
		op.Errors = append(op.Errors, http.StatusNotFound)
	}
	op.Errors = append(op.Errors, more...)
	return op
}

// one is the body of a request or an answer.
type one[T any] struct{ Body T }

// none is no input, or no answer.
type none = struct{}

// route registers an operation; an error of f is answered with a problem document.
func route[I, O any](a *api, h huma.API, op huma.Operation, f func(context.Context, *I) (*O, error)) {
	huma.Register(h, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := f(ctx, in)
		if err != nil {
			return nil, a.problem(ctx, err)
		}
		return out, nil
	})
}

// handle registers an operation that answers with what f returns, as JSON.
func handle[I, O any](a *api, h huma.API, op huma.Operation, f func(context.Context, *I) (O, error)) {
	route(a, h, op, func(ctx context.Context, in *I) (*one[O], error) {
		out, err := f(ctx, in)
		return &one[O]{out}, err
	})
}

// handleEmpty registers an operation that answers without a body.
func handleEmpty[I any](a *api, h huma.API, op huma.Operation, f func(context.Context, *I) (none, error)) {
	route(a, h, op, func(ctx context.Context, in *I) (*none, error) {
		_, err := f(ctx, in)
		return nil, err
	})
}

// PersonPath is the part of an input that names a person, as [CallPath] names a call,
// [SessionPath] a session and [ProjectPath] a project. They are exported because the description
// of the API skips embedded types that are not.
type PersonPath struct {
	ID string `path:"id" doc:"userId"`
}

func (p PersonPath) named() string { return p.ID }

// CallPath names a call.
type CallPath struct {
	ID string `path:"id" doc:"callId"`
}

func (p CallPath) named() string { return p.ID }

// SessionPath names a session.
type SessionPath struct {
	ID string `path:"id" maxLength:"200" doc:"sessionId"`
}

func (p SessionPath) named() string { return p.ID }

// ProjectPath names a project.
type ProjectPath struct {
	ID string `path:"id" doc:"projectId"`
}

func (p ProjectPath) named() string { return p.ID }

// about returns a handler that calls f with what find returns for the id in the request.
func about[T, O any, I interface{ named() string }](find func(context.Context, string) (T, error),
	f func(context.Context, T, *I) (O, error),
) func(context.Context, *I) (O, error) {
	return func(ctx context.Context, in *I) (O, error) {
		found, err := find(ctx, (*in).named())
		if err != nil {
			var nothing O
			return nothing, err
		}
		return f(ctx, found, in)
	}
}

// page is one page of a list; the next page begins after NextCursor.
type page[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"nextCursor,omitempty" doc:"cursor of the next page; absent on the last one"`
}

// paged returns a page of at most limit rows. If there are more rows than that, the page has a
// next cursor.
func paged[R, T any](rows []R, limit int, cursor func(R) string, to func(R) T) page[T] {
	var next string
	if len(rows) > limit {
		rows = rows[:limit]
		next = cursor(rows[limit-1])
	}
	return page[T]{each(rows, to), next}
}

// items is a list without pages.
type items[T any] struct {
	Items []T `json:"items"`
}

// each returns the result of to for each row, never nil.
func each[R, T any](rows []R, to func(R) T) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = to(r)
	}
	return out
}

// cursor returns the position of an item in a list sorted by time and id.
func cursor(at time.Time, id uuid.UUID) string {
	return strconv.FormatInt(at.UnixMicro(), 10) + "." + id.String()
}

// maxMicros is the end of the year 9999, in microseconds since 1970. The database allows later
// times, but no row has one.
const maxMicros = 253_402_300_799_999_999

// readCursor parses what cursor returned; the empty string gives zero values.
func readCursor(s string) (time.Time, uuid.UUID, error) {
	if s == "" {
		return time.Time{}, uuid.Nil, nil
	}
	at, id, _ := strings.Cut(s, ".")
	micros, err := strconv.ParseInt(at, 10, 64)
	parsed, err2 := uuid.Parse(id)
	if err != nil || err2 != nil || micros > maxMicros || micros < -maxMicros {
		return time.Time{}, uuid.Nil, errCursor
	}
	return time.UnixMicro(micros), parsed, nil
}

// readIDCursor parses a cursor that is an id; the empty string gives [uuid.Nil].
func readIDCursor(s string) (id uuid.UUID, err error) {
	if s != "" {
		if id, err = uuid.Parse(s); err != nil {
			return id, errCursor
		}
	}
	return id, nil
}

var errCursor = invalid("query.cursor", "is not a cursor of this list")

// utc returns t in UTC, or nil if t is nil.
func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

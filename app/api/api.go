// Package api is the REST API: people, consents, pauses, calls, health checks and
// memories, described by
// OpenAPI 3.1 at /openapi.json.
//
// Every answer that is not a success is an RFC 9457 problem document. Times are
// RFC 3339 in UTC; an elder is a userId here, a person elsewhere.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/telephony"
)

// Dialer places and ends calls; every dial passes the gate.
type Dialer interface {
	Place(ctx context.Context, req telephony.PlaceRequest) (store.Call, error)
	HangUp(ctx context.Context, id store.CallID, by string) error
}

// Deps are what the API works with.
type Deps struct {
	Store    *store.Store
	Dialer   Dialer
	Follower *store.Follower
	Statuses Statuses
	Version  string
	Log      *slog.Logger
	// Done is closed when the process stops, so that open event streams end.
	Done <-chan struct{}
	// Packs add codes and labels to health checks; without them, checks are shown as they were kept.
	Packs *packs.Library
	// RunningCheck is the person's health check that is under way, if one is, as far as it has come; nil: none is shown.
	RunningCheck func(ctx context.Context, id store.PersonID) (store.HealthCheck, bool, error)
	// Memory is what is remembered of people; nil: there are no addresses for it.
	Memory *memory.Service
	// Known reports whether a request may read the details of /status.
	Known func(r *http.Request) bool
	// PublicURL begins the addresses in what other systems import; empty means the project's own.
	PublicURL string
}

type api struct {
	Deps

	standing standing
}

// Mount adds the API to r: /call and /api/v1/... behind door, and /openapi.json
// and /status, which everybody may read and which name no person. It returns the
// description, for others to add what they serve.
func Mount(r chi.Router, d Deps, door func(http.Handler) http.Handler) *huma.OpenAPI {
	a := &api{Deps: d}
	cfg := huma.DefaultConfig("nAIber", d.Version)
	cfg.Info.Description = "Phones elderly people, keeps them company and remembers what matters to them."
	// Relative, so that the reference tries requests where it was loaded from.
	cfg.Servers = []*huma.Server{{URL: "/", Description: "This nAIber"}}
	cfg.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer": {Type: "http", Scheme: "bearer", Description: "NAIBER_API_TOKEN"},
	}
	cfg.Security = []map[string][]string{{"bearer": {}}}
	cfg.Formats = map[string]huma.Format{"application/json": textFormat, "json": textFormat}
	cfg.CreateHooks = nil // no $schema links in answers
	cfg.DocsPath = ""     // the console draws them, from files of its own
	cfg.SchemasPath = ""  // they are all in /openapi.json
	open := humachi.New(r, cfg)

	locked := chi.NewRouter()
	locked.Use(private, door, legible)
	h := humachi.New(locked, huma.Config{
		OpenAPI: open.OpenAPI(), Formats: cfg.Formats, DefaultFormat: cfg.DefaultFormat,
		RejectUnknownQueryParameters: true,
	})
	h.UseMiddleware(jsonOnly(h), bounded)
	a.people(h)
	a.consents(h)
	a.pauses(h)
	a.calls(h)
	a.health(h)
	a.memories(h)
	a.events(locked, h)
	locked.NotFound(func(w http.ResponseWriter, _ *http.Request) {
		Problem(w, http.StatusNotFound, "There is nothing at this address.")
	})
	locked.MethodNotAllowed(wrongMethod(locked))
	r.Handle("/call", locked)
	r.Handle("/api/*", locked)
	a.status(open)
	return open.OpenAPI()
}

// wrongMethod says which methods there are for an address.
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

// operation describes a route behind the door.
func operation(tag, id, method, path, summary string, success int) huma.Operation {
	op := huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{tag}, Summary: summary, DefaultStatus: success,
		Errors: []int{http.StatusUnauthorized},
	}
	if strings.Contains(path, "{id}") {
		op.Errors = append(op.Errors, http.StatusNotFound)
	}
	return op
}

// one is an answer with a body.
type one[T any] struct{ Body T }

func answer[T any](body T) *one[T] { return &one[T]{Body: body} }

// page is a part of a list; the next part begins after NextCursor.
type page[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"nextCursor,omitempty" doc:"cursor of the next page; absent on the last one"`
}

// paged makes a page of at most limit of the rows; more rows than that mean
// that there is a next one.
func paged[R, T any](rows []R, limit int, id func(R) string, to func(R) (T, error)) (*one[page[T]], error) {
	out := page[T]{Items: make([]T, 0, len(rows))}
	if len(rows) > limit {
		rows = rows[:limit]
		out.NextCursor = id(rows[limit-1])
	}
	for _, r := range rows {
		item, err := to(r)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, item)
	}
	return answer(out), nil
}

// items is a list that is always whole.
type items[T any] struct {
	Items []T `json:"items"`
}

func whole[R, T any](rows []R, to func(R) T) *one[items[T]] {
	out := items[T]{Items: make([]T, len(rows))}
	for i, r := range rows {
		out.Items[i] = to(r)
	}
	return answer(out)
}

// utc is how every time that may be missing leaves.
func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

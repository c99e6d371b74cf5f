// Package api is the REST API: people, consents, pauses and calls, described by
// OpenAPI 3.1 at /openapi.json.
//
// Every answer that is not a success is an RFC 9457 problem document. Times are
// RFC 3339 in UTC; an elder is a userId here, a person elsewhere.
package api

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

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
}

type api struct{ Deps }

// Mount adds the API to r: /call and /api/v1/... behind door, and /openapi.json
// and /status, which everybody may read and which name no person.
func Mount(r chi.Router, d Deps, door func(http.Handler) http.Handler) {
	a := &api{d}
	cfg := huma.DefaultConfig("nAIber", d.Version)
	cfg.Info.Description = "Phones elderly people, keeps them company and remembers what matters to them."
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer": {Type: "http", Scheme: "bearer", Description: "NAIBER_API_TOKEN"},
	}
	cfg.Security = []map[string][]string{{"bearer": {}}}
	cfg.CreateHooks = nil // no $schema links in answers
	cfg.DocsPath = ""     // the console draws them, from files of its own
	open := humachi.New(r, cfg)

	locked := chi.NewRouter()
	locked.Use(door)
	h := humachi.New(locked, huma.Config{
		OpenAPI: open.OpenAPI(), Formats: cfg.Formats, DefaultFormat: cfg.DefaultFormat,
		RejectUnknownQueryParameters: true,
	})
	a.people(h)
	a.consents(h)
	a.pauses(h)
	a.calls(h)
	locked.Get("/api/v1/calls/{id}/events", a.follow)
	locked.NotFound(func(w http.ResponseWriter, _ *http.Request) {
		Problem(w, http.StatusNotFound, "There is nothing at this address.")
	})
	r.Handle("/call", locked)
	r.Handle("/api/*", locked)
	a.status(open)
}

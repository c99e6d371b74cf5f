package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
)

// A database that hangs is told of, in time; a dial is left to its own deadlines.
func TestRequestsAreBounded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		id     string
		took   time.Duration
		status int
	}{
		{"list-people", answerWithin, http.StatusServiceUnavailable},
		{"place-call", time.Minute, http.StatusNoContent},
		{"hang-up", time.Minute, http.StatusNoContent},
	} {
		t.Run(tt.id, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &api{Deps: Deps{Log: slog.New(slog.DiscardHandler)}}
				r := chi.NewRouter()
				h := humachi.New(r, huma.DefaultConfig("", ""))
				h.UseMiddleware(bounded)
				huma.Register(h, huma.Operation{OperationID: tt.id, Method: http.MethodGet, Path: "/"}, func(ctx context.Context, _ *struct{}) (*struct{}, error) {
					select {
					case <-ctx.Done():
						return nil, a.problem(ctx, ctx.Err())
					case <-time.After(time.Minute):
						return nil, nil
					}
				})
				began := time.Now()
				w := httptest.NewRecorder()
				r.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
				if took := time.Since(began); took != tt.took || w.Code != tt.status {
					t.Errorf("%d after %s: %s; want %d after %s", w.Code, took, w.Body, tt.status, tt.took)
				}
				if w.Code == http.StatusServiceUnavailable && !strings.Contains(w.Body.String(), "does not answer just now") {
					t.Errorf("body %s", w.Body)
				}
			})
		})
	}
}

package console

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/store"
)

// The report is for who may enter the console; it loads nothing and is not kept.
func TestCognitiveReport(t *testing.T) {
	t.Parallel()
	r := chi.NewRouter()
	err := Mount(r, Config{CognitiveReport: func(_ context.Context, w io.Writer, id string) error {
		_, _ = io.WriteString(w, "<p>half of "+id)
		return map[string]error{"ada": nil, "nobody": store.ErrNotFound}[id]
	}}, newGuard(password, false))
	if err != nil {
		t.Fatal(err)
	}
	if err := Mount(chi.NewRouter(), Config{}, newGuard(password, false)); err != nil {
		t.Error(err)
	}
	broken := chi.NewRouter()
	if err := Mount(broken, Config{CognitiveReport: func(context.Context, io.Writer, string) error { return errors.New("no database") }}, newGuard(password, false)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, id, password string
		router             http.Handler
		status             int
	}{
		{"a report", "ada", password, r, http.StatusOK},
		{"of nobody", "nobody", password, r, http.StatusNotFound},
		{"without the password", "ada", "", r, http.StatusUnauthorized},
		{"without a database", "ada", password, broken, http.StatusServiceUnavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/people/"+tt.id+"/cognitive-report", nil)
			if tt.password != "" {
				req.SetBasicAuth("admin", tt.password)
			}
			w := httptest.NewRecorder()
			tt.router.ServeHTTP(w, req)
			if w.Code != tt.status || strings.Contains(w.Body.String(), "half") != (tt.status == http.StatusOK) {
				t.Errorf("%d %s, want %d", w.Code, w.Body, tt.status)
			}
			policy := w.Header().Get("Content-Security-Policy")
			if tt.status == http.StatusOK && (!strings.HasPrefix(policy, "default-src 'none'") || w.Header().Get("Cache-Control") != "no-store") {
				t.Errorf("headers %v", w.Header())
			}
		})
	}
}

package doctor

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// want is what a finding must be: its status, and words in its detail and fix.
type want struct {
	status Status
	words  string // all of them, separated by "|"
}

func (w want) check(t *testing.T, got Finding, secrets ...string) {
	t.Helper()
	all := got.Detail + "\n" + got.Fix
	if got.Status != w.status {
		t.Errorf("status = %s, want %s; %s", got.Status, w.status, all)
	}
	for word := range strings.SplitSeq(w.words, "|") {
		if !strings.Contains(all, word) {
			t.Errorf("%q is missing in:\n%s", word, all)
		}
	}
	for _, s := range secrets {
		if strings.Contains(all, s) {
			t.Errorf("%q should not be in:\n%s", s, all)
		}
	}
	if got.Detail == "" || (got.Status == Fail || got.Status == Warn) != (got.Fix != "") {
		t.Errorf("detail %q, fix %q: a finding says what is, and what to do if there is something to do", got.Detail, got.Fix)
	}
}

// find runs one check.
func find(t *testing.T, c Check) Finding {
	t.Helper()
	return c.Run(t.Context())
}

// serve starts a server that answers paths with a status and a JSON text.
func serve(t *testing.T, answers map[string]reply) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, found := answers[r.URL.Path]
		if !found {
			http.Error(w, `{"detail":"no such path"}`, http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.status)
		_, _ = w.Write([]byte(a.body))
	}))
	t.Cleanup(s.Close)
	return s
}

type reply struct {
	status int
	body   string
}

// closed is an address at which nobody listens.
func closed() string {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	return s.URL
}

func check(name string, f Finding) Check {
	return Check{Name: name, Run: func(context.Context) Finding { return f }}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

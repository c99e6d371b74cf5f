package console

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"
)

const unwilling = "0197a1b0-0000-7000-8000-000000000002" // a person without a consent

// memoryAPI answers as the API does for one person's memory, and notes what it
// was asked to change.
type memoryAPI struct {
	mu     sync.Mutex
	kept   map[string][]map[string]any
	called []string
}

func newMemoryAPI(t *testing.T) *memoryAPI {
	t.Helper()
	b, err := os.ReadFile("testdata/memory.json")
	if err != nil {
		t.Fatal(err)
	}
	m := &memoryAPI{}
	if err := json.Unmarshal(b, &m.kept); err != nil {
		t.Fatal(err)
	}
	return m
}

// mount adds the memory of a person to r.
func (m *memoryAPI) mount(r chi.Router, person string) {
	base := "/api/v1/people/" + person
	for _, kind := range []string{"memories", "facts", "promises", "limits"} {
		r.Get(base+"/"+kind, m.list(kind))
		r.Delete(base+"/"+kind+"/{key}", m.remove(kind))
	}
	r.Post(base+"/limits", m.limit)
	r.Post(base+"/forget", m.forget)
}

func (m *memoryAPI) list(kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		defer m.mu.Unlock()
		page := map[string]any{"items": m.kept[kind]}
		if q := r.URL.Query().Get("q"); q != "" {
			m.called = append(m.called, "search "+q)
			page["degraded"] = []string{"vectors"}
		}
		_ = json.NewEncoder(w).Encode(page)
	}
}

func (m *memoryAPI) remove(kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		defer m.mu.Unlock()
		id := chi.URLParam(r, "key")
		m.called = append(m.called, "delete "+kind+" "+id)
		m.kept[kind] = slices.DeleteFunc(m.kept[kind], func(item map[string]any) bool { return item["id"] == id })
		w.WriteHeader(http.StatusNoContent)
	}
}

func (m *memoryAPI) limit(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var l map[string]any
	b, _ := io.ReadAll(r.Body)
	m.called = append(m.called, "limit "+string(b))
	_ = json.Unmarshal(b, &l)
	l["id"], l["createdAt"] = "0197a1b0-5555-7000-8000-000000000002", "2026-11-21T08:00:00Z"
	m.kept["limits"] = append(m.kept["limits"], l)
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(l)
}

func (m *memoryAPI) forget(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, _ := io.ReadAll(r.Body)
	m.called = append(m.called, "forget "+string(b))
	out := map[string]any{"turns": 2, "facts": 1, "verified": true}
	switch {
	case strings.Contains(string(b), "2026-01-01"): // a day without a call
		out = map[string]any{"turns": 0, "facts": 0, "verified": true}
	case strings.Contains(string(b), "day"):
		out["verified"], out["checks"] = false, []map[string]any{{"place": "vectors", "found": 3}, {"place": "facts", "found": 0}}
	case strings.Contains(string(b), "all"):
		for _, kind := range []string{"memories", "facts", "promises"} {
			m.kept[kind] = nil
		}
	default:
	}
	_ = json.NewEncoder(w).Encode(out)
}

// refusing is the API for a person who does not let anything be remembered.
func refusing(r chi.Router) {
	base := "/api/v1/people/" + unwilling
	r.Get(base, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id": "`+unwilling+`", "name": "Walter Boyd"}`)
	})
	for _, kind := range []string{"memories", "facts", "promises"} {
		r.Get(base+"/"+kind, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"title": "Forbidden", "status": 403, "detail": "record a consent of the scope memory first"}`)
		})
	}
	r.Get(base+"/limits", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"items": []}`)
	})
}

// withScript serves a page of the console at an address of its own, with one more
// script: the page itself is unchanged, and so is its policy.
func withScript(r chi.Router, address, page, file string) {
	r.Get(address, func(w http.ResponseWriter, req *http.Request) {
		got := httptest.NewRecorder()
		inner := httptest.NewRequestWithContext(context.Background(), http.MethodGet, page, http.NoBody) // afresh: the router keeps its place in a request
		inner.Host, inner.RemoteAddr = req.Host, req.RemoteAddr
		r.ServeHTTP(got, inner)
		maps.Copy(w.Header(), got.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(got.Code)
		_, _ = io.WriteString(w, strings.Replace(got.Body.String(), "</body>", `<script type="module" src="/test/`+file+`"></script></body>`, 1))
	})
	r.Get("/test/"+file, func(w http.ResponseWriter, req *http.Request) { http.ServeFile(w, req, "testdata/"+file) })
}

// A person searches, forgets one thing after another, sets a limit and forgets
// everything, in a browser; the API hears exactly that.
func TestForgettingInABrowser(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	m := newMemoryAPI(t)
	r := answering(t)
	m.mount(r, elder)
	withScript(r, "/driven", "/", "drive.js")
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	page, _ := visited(t, chromium, srv.URL+"/driven#/people/"+elder+"/memory")
	if !strings.Contains(page, "All steps were taken.") {
		t.Errorf("the steps were not taken: %s", page)
	}
	want := []string{
		"search sister & Sunday", "delete memories letter-1", "delete facts 0197a1b0-3333-7000-8000-000000000001",
		"delete promises 0197a1b0-4444-7000-8000-000000000001", "delete limits 0197a1b0-5555-7000-8000-000000000001",
		`limit {"topic":"her brother","rule":"cool_down","by":"Rose","how":"in the console","until":"2027-01-01T00:00:00.000Z"}`,
		`forget {"topic":"sister","verify":true}`, `forget {"day":"2026-11-20","verify":true}`, `forget {"day":"2026-01-01","verify":true}`, `forget {"all":true,"verify":true}`,
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	first := map[string]bool{} // lists are read anew after every change, the search among them
	got := slices.DeleteFunc(m.called, func(c string) bool {
		again := strings.HasPrefix(c, "search ") && first[c]
		first[c] = true
		return again
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the API heard (-want +got):\n%s", diff)
	}
}

// Every script is a module that a browser takes and runs.
func TestScriptsRun(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	r := answering(t)
	withScript(r, "/imports", "/", "import.js")
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	pages := map[string][]string{"/imports": slices.Sorted(maps.Keys(each(t, "*.js")))}
	for address, names := range pages {
		page, _ := visited(t, chromium, srv.URL+address+"?modules="+strings.Join(names, ","))
		for _, name := range names {
			if !strings.Contains(page, name+" runs") {
				t.Errorf("%s does not run: %s", name, page)
			}
		}
	}
}

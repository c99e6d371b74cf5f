package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// server is a nAIber that answers as a test says, and checks the bearer.
func server(t *testing.T, routes map[string]http.HandlerFunc) *Remote {
	t.Helper()
	mux := http.NewServeMux()
	for pattern, h := range routes {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Authorization"); got != "Bearer secret" {
				t.Errorf("authorization = %q", got)
			}
			h(w, r)
		})
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return &Remote{URL: srv.URL, Token: "secret", HTTP: srv.Client()}
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestProblemsAreSentences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"detail", 404, `{"title":"Not Found","detail":"No such person."}`, "No such person."},
		{"only a title", 500, `{"title":"Internal Server Error"}`, "Internal Server Error"},
		{"rule", 422, `{"detail":"Ada has not agreed.","rule":"no_consent"}`, "Ada has not agreed. (rule: no_consent)"},
		{
			"rule until", 409, `{"detail":"Quiet hours last until 09:00 where Ada lives.","rule":"quiet_hours","until":"2026-03-02T14:00:00Z"}`,
			"Quiet hours last until 09:00 where Ada lives. (rule: quiet_hours)",
		},
		{
			"places", 422, `{"detail":"validation failed","errors":[{"location":"body.phone","message":"is none"},{"location":"body.name","message":"is blank"}]}`,
			"validation failed\n  body.phone: is none\n  body.name: is blank",
		},
		{"no JSON", 502, `<html>bad gateway</html>`, "nAIber answers 502 Bad Gateway"},
		{"other JSON", 502, `{"error":"x"}`, "nAIber answers 502 Bad Gateway"},
		{"nothing", 503, ``, "nAIber answers 503 Service Unavailable"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := server(t, map[string]http.HandlerFunc{"POST /call": says(tt.status, tt.body)})
			if _, err := r.PlaceCall(t.Context(), "1", "general", ""); err == nil || err.Error() != tt.want {
				t.Errorf("err = %v, want %s", err, tt.want)
			}
		})
	}
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	r := &Remote{URL: srv.URL, Token: "secret", HTTP: srv.Client()}
	_, _, err := r.FindPerson(t.Context(), "ada")
	if err == nil || !strings.Contains(err.Error(), "start it with `naiber serve`") || strings.Contains(err.Error(), "secret") {
		t.Errorf("err = %v", err)
	}
	if err := r.Follow(t.Context(), "1", func(Event) bool { return true }); err == nil {
		t.Error("followed nobody")
	}
}

func TestAnswerThatIsNoJSON(t *testing.T) {
	t.Parallel()
	r := server(t, map[string]http.HandlerFunc{"GET /api/v1/people": says(http.StatusOK, "hello")})
	if _, _, err := r.FindPerson(t.Context(), "ada"); err == nil || !strings.Contains(err.Error(), "read answer of /api/v1/people") {
		t.Errorf("err = %v", err)
	}
}

func TestFindPersonAsksForWhatIsMeant(t *testing.T) {
	t.Parallel()
	const id = "0190a7a2-0000-7000-8000-000000000001"
	list := func(w http.ResponseWriter, r *http.Request) {
		for query, body := range map[string]string{
			"name=ada":               `{"items":[{"id":"1","name":"Ada King"},{"id":"2","name":"Augusta","preferredName":"Ada"}]}`,
			"name=king":              `{"items":[{"id":"1","name":"Ada King"},{"id":"3","name":"King Bo"}]}`,
			"name=o%27brien+%26+son": `{"items":[{"id":"4","name":"O'Brien"}]}`,
			"phone=%2B15550100123":   `{"items":[{"id":"1","name":"Ada King"}]}`,
			"name=nobody":            `{"items":[]}`,
		} {
			if r.URL.RawQuery == query {
				says(http.StatusOK, body)(w, r)
				return
			}
		}
		t.Errorf("asked for %q", r.URL.RawQuery)
	}
	r := server(t, map[string]http.HandlerFunc{
		"GET /api/v1/people":       list,
		"GET /api/v1/people/" + id: says(http.StatusOK, `{"id":"`+id+`","name":"By Id"}`),
	})
	for _, tt := range []struct{ who, id, err string }{
		{"ada", "2", ""},
		{"o'brien & son", "4", ""},
		{"+15550100123", "1", ""},
		{id, id, ""},
		{"king", "", `several people match "king": Ada King, King Bo`},
		{"nobody", "", `nobody is called "nobody"`},
	} {
		got, _, err := r.FindPerson(t.Context(), tt.who)
		if got != tt.id || (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%s = %q, %v, want %q, %q", tt.who, got, err, tt.id, tt.err)
		}
	}
}

func TestPeopleAdd(t *testing.T) {
	t.Parallel()
	var sent map[string]any
	p := &program{remote: server(t, map[string]http.HandlerFunc{"POST /api/v1/people": func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("body: %v, %s", err, r.Header.Get("Content-Type"))
		}
		says(http.StatusCreated, `{"id":"p1"}`)(w, r)
	}})}
	out := p.must(t, "people", "add", "--name", "Ada King", "--phone", "+15550100123", "--timezone", "Canada/Newfoundland",
		"--consent", "calls,memory", "--consent-by", "Ada, on paper")
	if out != "p1\n" {
		t.Errorf("printed %q", out)
	}
	consent, ok := sent["consent"].(map[string]any)
	if !ok || sent["name"] != "Ada King" || sent["language"] != "en" || consent["calls"] != true || consent["recording"] != false || consent["source"] != "Ada, on paper" {
		t.Errorf("sent %v", sent)
	}
}

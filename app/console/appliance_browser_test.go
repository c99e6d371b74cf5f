package console

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store"
)

const (
	catalogueHost = "pictures.kestrel.example"
	sentMail      = "appliance:1:2"
)

// applianceAPI answers as the API does in a conversation about a dishwasher, and
// notes what it was sent. The message "Please go on" fails, and the reply to it gets lost
// when it comes again.
type applianceAPI struct {
	mu     sync.Mutex // guards what follows
	sent   []string
	ids    []string // of the conversation, with each message
	kept   []map[string]any
	loaded []string // by the browser, from another host or of e-mails
}

// helperSays are its replies, by a word of the message.
var helperSays = []struct{ to, text, tool string }{
	{"start", "Which <b>model</b> is it?", ""},
	{"go on", "Three parts could be the cause.", `{"toolName": "diagnose_repair", "data": {"suggestedParts": [
		{"partNumber": "KP3406971", "name": "Control <b>board</b>", "price": 249.99, "description": "Runs the programme.", "imageUrl": "https://` + catalogueHost + `/board.svg", "matchedSymptoms": ["won't start", "no lights"]},
		{"partNumber": "KP11", "name": "Door latch", "price": 0, "imageUrl": "http://` + catalogueHost + `/latch.svg", "matchedSymptoms": []},
		{"partNumber": "KP12", "name": "Odd part", "price": 5, "imageUrl": "https://elsewhere.example/odd.svg"}]}}`},
	{"fits", "It does.", `{"toolName": "check_compatibility", "data": {"partNumber": "KP3406971", "model": "KDW482SS", "compatible": true, "message": "It is on the list of that model."}}`},
	{"other", "It does not.", `{"toolName": "check_compatibility", "data": {"partNumber": "KP99", "model": "KDW482SS", "compatible": false}}`},
	{"install", "Here is how.", `{"toolName": "install_instruction", "data": {"partNumber": "KP3406971", "name": "Control board", "price": 249.99, "videoUrl": "https://` + catalogueHost + `/video", "steps": ["Switch the power off.", "Open the <i>door</i>."]}}`},
	{"mail", "It is on its way.", `{"toolName": "email_summary", "data": {"success": true, "to": "ann@example.org", "mailId": "` + sentMail + `"}}`},
	{"nothing", "I found nothing.", `{"toolName": "diagnose_repair", "data": {"error": "No part of the KDW482SS is known for that."}}`},
}

func (a *applianceAPI) mount(r chi.Router) {
	r.Post("/api/chat", a.chat)
	r.Get("/api/sessions/{id}", func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if id := chi.URLParam(r, "id"); id != "old" && !slices.Contains(a.ids, id) {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		out := map[string]any{"userId": elder, "messages": a.kept}
		if chi.URLParam(r, "id") == "old" {
			out["archivedAt"] = "2026-11-23T03:00:00Z"
		}
		_ = json.NewEncoder(w).Encode(out)
	})
	mail := `{"id": "` + sentMail + `", "to": "ann@example.org", "subject": "Your <b>dishwasher</b>", "createdAt": "2026-11-23T03:00:00Z", "sentAt": null, "html": "", "text": "Plain <b>words</b>"}`
	r.Get("/api/v1/mails", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"items": [`+mail+`]}`) })
	r.Get("/api/v1/mails/{id}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, mail) })
	r.Get("/test/loaded", func(w http.ResponseWriter, _ *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		_, _ = io.WriteString(w, strings.Join(a.loaded, " "))
	})
}

func (a *applianceAPI) chat(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	var in struct{ Message, SessionID, UserID string }
	_ = json.Unmarshal(b, &in)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent, a.ids = append(a.sent, in.Message+" for "+in.UserID), append(a.ids, in.SessionID)
	if in.Message == "Please go on" && len(a.sent) == 2 {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"title": "Service Unavailable", "status": 503, "detail": "The helper is away."}`)
		return
	}
	for _, s := range helperSays {
		if !strings.Contains(in.Message, s.to) {
			continue
		}
		answer := map[string]any{"role": "assistant", "content": s.text}
		out := map[string]any{"message": s.text, "sessionId": in.SessionID}
		if s.tool != "" {
			answer["toolData"], out["toolData"] = json.RawMessage(s.tool), json.RawMessage(s.tool)
		}
		a.kept = append(a.kept, map[string]any{"role": "user", "content": in.Message}, answer)
		if in.Message == "Please go on" {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "{")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_ = json.NewEncoder(w).Encode(out)
	}
}

func (a *applianceAPI) note(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.loaded = append(a.loaded, what)
}

// config lets the console show what the catalogue's host and the mailbox have.
func (a *applianceAPI) config() Config {
	return Config{
		Sandbox:       true,
		CatalogueHost: func(_ context.Context, host string) (bool, error) { return host == catalogueHost, nil },
		MailHTML: func(_ context.Context, id string) (string, error) {
			if id != sentMail {
				return "", store.ErrNotFound
			}
			a.note("mail")
			return `<h1 style="background: #337778">Summary</h1><script src="https://` + catalogueHost + `/script"></script><img src="https://` + catalogueHost + `/mail.svg">`, nil
		},
	}
}

// A person talks with the helper about a dishwasher, looks at what it found and at
// the e-mail, on a wide page and on a telephone's. Nothing comes from another host
// before a press, and what comes then is what was asked for.
func TestApplianceInABrowser(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	for _, size := range []string{"1280,900", "360,740"} {
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			a := &applianceAPI{}
			elsewhere := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				a.note(r.Host + r.URL.Path)
				w.Header().Set("Content-Type", map[bool]string{true: "image/svg+xml", false: "text/html"}[strings.HasSuffix(r.URL.Path, ".svg")])
				_, _ = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>`)
			}))
			t.Cleanup(elsewhere.Close)
			r := answeringAs(t, a.config())
			a.mount(r)
			withScript(r, "/appliance", "/", "appliance.js")
			srv := httptest.NewServer(r)
			t.Cleanup(srv.Close)
			page, log := visitedAt(t, chromium, srv.URL+"/appliance#/appliance", size, "--ignore-certificate-errors",
				"--host-resolver-rules=MAP *.example "+elsewhere.Listener.Addr().String())
			if !strings.Contains(page, "All steps were taken.") {
				t.Errorf("the steps were not taken: %s", page)
			}
			if bad := regexp.MustCompile(`(?m)^.*CONSOLE.*Security Policy.*frame-ancestors.*$`).FindString(log); bad != "" {
				t.Errorf("the browser complains: %s", bad)
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			var want []string
			for _, text := range []string{"My dishwasher won't start", "Please go on", "Please go on", "Does it fits", "And the other one", "How do I install it", "Now mail it", "nothing more"} {
				want = append(want, text+" for "+elder)
			}
			if diff := cmp.Diff(want, a.sent); diff != "" {
				t.Errorf("what the API heard (-want +got):\n%s", diff)
			}
			if ids := slices.Compact(a.ids); len(ids) != 1 || len(ids[0]) != 32 {
				t.Errorf("the conversation is called %q, want one name", ids)
			}
			// The second time the picture is one of a conversation that is shown again.
			wantLoaded := []string{catalogueHost + "/board.svg", catalogueHost + "/video", "mail", "mail", catalogueHost + "/board.svg"}
			if diff := cmp.Diff(wantLoaded, a.loaded); diff != "" {
				t.Errorf("what the browser loaded (-want +got):\n%s", diff)
			}
		})
	}
}

// What stands in a frame may load what was asked for from that host, and nothing else.
func TestFramesOpenOneHost(t *testing.T) {
	t.Parallel()
	a := &applianceAPI{}
	h := mounted(t, a.config())
	const strict = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
	for _, tt := range []struct {
		address      string
		code         int
		policy, want string
	}{
		{"image?title=%3Cb%3E&url=https%3A%2F%2Fpictures.kestrel.example%2Fa%22b", 200, strict + "; sandbox; img-src https://pictures.kestrel.example", `<img src="https://pictures.kestrel.example/a%22b" alt="&lt;b&gt;"`},
		{"video?title=V&url=https%3A%2F%2FPictures.Kestrel.example%3A8443%2Fv", 200, strict + "; frame-src https://pictures.kestrel.example:8443", `sandbox="allow-scripts allow-same-origin allow-presentation"`},
		{"mail?id=" + sentMail, 200, strict + "; sandbox", "#337778"},
		{"mail?id=" + nobody, 404, strict + "; sandbox", ""},
		{"mail", 404, strict + "; sandbox", ""},
		{"image?url=https%3A%2F%2Felsewhere.example%2Fa", 404, strict, "no links to this host"},
		{"image?url=http%3A%2F%2Fpictures.kestrel.example%2Fa", 400, strict, "no link"},
		{"video?url=https%3A%2F%2Fu%3Ap%40pictures.kestrel.example%2Fa", 400, strict, "no link"},
		{"video?url=https%3A%2F%2Fa%3B%20script-src%20*%2F", 400, strict, "no link"},
		{"video?url=javascript%3Aalert(1)", 400, strict, "no link"},
		{"video", 400, strict, "no link"},
	} {
		got := open(t, h, "/console/frame/"+tt.address)
		if got.Code != tt.code || got.Header().Get("Content-Security-Policy") != tt.policy || !strings.Contains(got.Body.String(), tt.want) {
			t.Errorf("%s = %d with %q: %s", tt.address, got.Code, got.Header().Get("Content-Security-Policy"), got.Body)
		}
	}
	if got := open(t, mounted(t, Config{}), "/console/frame/image?url=https%3A%2F%2Fpictures.kestrel.example%2Fa").Code; got != http.StatusNotFound {
		t.Errorf("without a catalogue: %d", got)
	}
}

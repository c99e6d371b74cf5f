package sandbox_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/naiber/naiber/app/sandbox"
)

// A contact's telephone shows its text messages, and answers them.
func TestTextsOfAContact(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "<Response><Message>You said "+r.FormValue("Body")+"</Message></Response>")
	}))
	t.Cleanup(srv.Close)
	world, err := sandbox.Start(t.Context(), sandbox.Config{AccountSID: "AC1", AuthToken: "t", Number: "+15005550006", TextURL: srv.URL, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = world.Close() })
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{"GET", "/sandbox/contact?number=%2B15550100124", "", 200, "A contact's telephone"},
		{"GET", "/sandbox/texts", "", 200, `"texts":[]`},
		{"POST", "/sandbox/texts", `{"number": "+15550100124", "text": "YES"}`, 200, `"answer":"You said YES"`},
		{"POST", "/sandbox/texts", `{"text": "YES"}`, 400, "send"},
		{"GET", "/sandbox/texts", "", 200, `"body":"You said YES"`},
	} {
		w := httptest.NewRecorder()
		world.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body)))
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: %d %s", c.method, c.path, w.Code, w.Body)
		}
	}
	srv.Close()
	w := httptest.NewRecorder()
	world.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "POST", "/sandbox/texts", strings.NewReader(`{"number": "+15550100124"}`)))
	if w.Code != http.StatusBadGateway {
		t.Errorf("nobody takes it: %d %s", w.Code, w.Body)
	}
}

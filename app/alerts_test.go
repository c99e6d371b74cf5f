package app

import (
	"context"
	"encoding/json"
	"io"
	"mime/quotedprintable"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/jobs/mail"
	"github.com/naiber/naiber/jobs/mail/mailtest"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
)

// The ladders that jobs/escalation is tried with are those that ship.
func TestShippedLadders(t *testing.T) {
	t.Parallel()
	c := Default()
	want := [][]string{
		{"contacts every 2m times 5", "on_call every 2m times 5"}, {"each every 10m", "on_call every 10m"}, {"first by email,sms in hours every 4h", "on_call"}, nil,
	}
	if diff := cmp.Diff(want, [][]string{c.Alerts.Now, c.Alerts.Urgent, c.Alerts.SameDay, c.Alerts.Digest}); diff != "" {
		t.Error(diff)
	}
	all, err := c.ladders()
	if err != nil || len(all) != 4 || len(all[alerts.Now]) != 2 || len(all[alerts.Digest]) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// leavesWithin is how soon the first notices must have left.
const leavesWithin = 5 * time.Second

// An alert leaves by mail and webhook though all other queues stand still; the link in the
// mail acknowledges it, and closes it.
func TestAlertIsToldAtOnceAndAnsweredByItsLink(t *testing.T) {
	t.Parallel()
	posted := make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body struct{ Data struct{ To, Kind string } }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Header.Get("Naiber-Signature") == "" {
			t.Error("posted", r.Header, err)
		}
		posted <- body.Data.To + " " + body.Data.Kind
	}))
	t.Cleanup(hook.Close)
	server := mailtest.New(t, mail.Plain, false)
	a := made(t, "", func(c *Config) {
		c.Email.Host, c.Email.Port, c.Email.TLS, c.Email.From = server.Host, server.Port, "none", "nAIber <help@example.com>"
		c.Alerts.WebhookSecret = NewSecret("sesame")
		c.Server.PublicURL = "https://naiber.example"
	})
	if err := a.jobs.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.jobs.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for _, queue := range []string{"post_call", "mail", "writing", "chores", "council", "call_back"} {
		if err := a.jobs.Pause(t.Context(), queue); err != nil {
			t.Fatal(err)
		}
	}
	ada, err := a.store.CreatePerson(t.Context(), people.Person{Name: "Ada King", Phone: "+15550100123", Timezone: "UTC", Language: "en"},
		[]people.Contact{{Name: "Tom", Phone: "+15550100124", Email: "tom@example.org", Webhook: hook.URL, Channels: []string{alerts.Email, alerts.Webhook}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	k, raised, err := a.store.RaiseAlert(t.Context(), alerts.New{PersonID: ada.ID, Tier: alerts.Now, Kind: "fall_stuck", Quote: "I cannot get up.", Key: "call 1"})
	if err != nil || !raised {
		t.Fatal(raised, err)
	}
	if got := <-posted; got != "Tom fall_stuck" {
		t.Errorf("posted %q", got)
	}
	until(t, "the mail leaves", func() bool { return len(server.Messages()) == 1 })
	if took := time.Since(began); took > leavesWithin {
		t.Errorf("the first notices left after %s; want %s", took, leavesWithin)
	}
	until(t, "it is noted", func() bool {
		k, err = a.store.Alert(t.Context(), k.ID)
		n := 0
		for _, notice := range k.Notices {
			if notice.Status == alerts.Sent {
				n++
			}
		}
		return err == nil && n == 2 && len(k.Notices) == 2 && k.Status == alerts.Notified
	})
	text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(string(server.Messages()[0].Data))))
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`https://naiber\.example(/a/[A-Z2-7]{26})`).FindSubmatch(text)
	if link == nil {
		t.Fatalf("no link in %s", text)
	}
	visit := func(method string, form url.Values) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), method, string(link[1]), strings.NewReader(form.Encode()))
		if form != nil {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		a.http.Handler.ServeHTTP(w, r)
		return w
	}
	if w := visit(http.MethodGet, nil); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "I am taking care of it") {
		t.Errorf("page: %d %s", w.Code, w.Body)
	}
	if w := visit(http.MethodPost, url.Values{"action": {"acknowledge"}, "by": {"Tom"}}); w.Code != http.StatusSeeOther {
		t.Errorf("acknowledged: %d %s", w.Code, w.Body)
	}
	if w := visit(http.MethodPost, url.Values{"action": {"close"}, "outcome": {"She is fine."}}); w.Code != http.StatusSeeOther {
		t.Errorf("closed: %d %s", w.Code, w.Body)
	}
	if k, err = a.store.Alert(t.Context(), k.ID); err != nil || k.Status != alerts.Closed || k.AcknowledgedBy != "Tom" || k.Outcome != "She is fine." {
		t.Errorf("%+v, %v", k, err)
	}
}

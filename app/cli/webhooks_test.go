package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/webhooks"
)

func TestWebhooks(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	var asked string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		asked = r.Method + " " + r.URL.Path + " " + string(body)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"w1","url":"https://example.org","events":["call.ended"],"secret":"whsec_x"}`)
	}))
	t.Cleanup(srv.Close)
	p.remote = &Remote{URL: srv.URL, Token: "token", HTTP: srv.Client()}
	if out := p.must(t, "webhooks", "add", "https://example.org", "--events", "call.ended"); !strings.Contains(out, "w1") || !strings.Contains(out, "whsec_x") ||
		asked != `POST /api/v1/webhooks {"events":["call.ended"],"url":"https://example.org"}` {
		t.Errorf("%s\nasked %s", out, asked)
	}
	p.refused(t, "--events are alert.acknowledged", "webhooks", "add", "https://example.org", "--events", "call.lost")

	hook, err := p.tools.Store.AddWebhook(t.Context(), "https://example.org/hook", []string{"alert.raised"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.tools.Store.RaiseAlert(t.Context(), alerts.New{Kind: "operator_queue", Tier: alerts.Urgent}); err != nil {
		t.Fatal(err)
	}
	var list []struct{ ID string }
	if err := json.Unmarshal([]byte(p.must(t, "webhooks", "deliveries", hook.ID.String(), "--json")), &list); err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	first := uuid.MustParse(list[0].ID)
	if err := p.tools.Store.LogAttempt(t.Context(), webhooks.Attempt{DeliveryID: first, At: time.Now(), Status: 500, Error: "answer 500"}, webhooks.Failed); err != nil {
		t.Fatal(err)
	}
	if out := p.must(t, "webhooks", "list"); !strings.Contains(out, hook.ID.String()) || !strings.Contains(out, "https://example.org/hook") {
		t.Error(out)
	}
	if out := strings.Join(strings.Fields(p.must(t, "webhooks", "deliveries", hook.ID.String(), "--status", "failed")), " "); !strings.Contains(out, "alert.raised failed 1 500 answer 500") {
		t.Error(out)
	}
	again := strings.TrimSpace(p.must(t, "webhooks", "replay", hook.ID.String(), first.String()))
	if d, _, err := p.tools.Store.Delivery(t.Context(), uuid.MustParse(again)); err != nil || d.Status != webhooks.Pending {
		t.Errorf("%+v, %v", d, err)
	}
	p.refused(t, "there is no such webhook or delivery", "webhooks", "replay", uuid.NewString(), first.String())
	p.refused(t, "is no id", "webhooks", "delete", "one")
	p.refused(t, "--status is", "webhooks", "deliveries", hook.ID.String(), "--status", "lost")
	p.must(t, "webhooks", "delete", hook.ID.String())
	p.refused(t, "there is no such", "webhooks", "deliveries", hook.ID.String())
}

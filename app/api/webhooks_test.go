package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/store/webhooks"
)

func TestWebhooks(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	const root = "/api/v1/webhooks"
	added := r.ok(http.StatusCreated, http.MethodPost, root, `{"url":"https://example.org/hook","events":["alert.raised","alert.closed","alert.raised"]}`)
	id, secret := added.get("id").String(), added.get("secret").String()
	if !strings.HasPrefix(secret, "whsec_") || len(secret) < 40 || added.get("events").String() != `["alert.closed","alert.raised"]` {
		t.Errorf("%s", added.get("@this"))
	}
	for _, path := range []string{root, root + "/" + id} {
		if got := r.ok(http.StatusOK, http.MethodGet, path, "").get("@this").String(); strings.Contains(got, secret) || strings.Contains(got, "secret") || !strings.Contains(got, id) {
			t.Errorf("%s: %s", path, got)
		}
	}
	for range 2 {
		if _, _, err := r.st.RaiseAlert(t.Context(), alerts.New{Kind: "operator_queue", Tier: alerts.Urgent}); err != nil {
			t.Fatal(err)
		}
	}
	log := root + "/" + id + "/deliveries"
	list := r.ok(http.StatusOK, http.MethodGet, log+"?limit=1", "")
	first := list.get("items.0")
	if first.Get("type").String() != "alert.raised" || first.Get("status").String() != "pending" || first.Get("data.kind").String() != "operator_queue" || first.Get("attempts").String() != "[]" {
		t.Errorf("%s", first)
	}
	delivery := uuid.MustParse(first.Get("id").String())
	if err := r.st.LogAttempt(t.Context(), webhooks.Attempt{DeliveryID: delivery, At: time.Now(), ElapsedMs: 12, Status: 502, Error: "answer 502", Reply: "bad \x00gateway"}, webhooks.Failed); err != nil {
		t.Fatal(err)
	}
	if got := r.ok(http.StatusOK, http.MethodGet, log+"?status=failed", "").get("items.0.attempts.0"); got.Get("status").Int() != 502 || got.Get("elapsedMs").Int() != 12 || !strings.HasPrefix(got.Get("reply").String(), "bad") {
		t.Errorf("%s", got)
	}
	next := r.ok(http.StatusOK, http.MethodGet, log+"?limit=1&cursor="+list.get("nextCursor").String(), "")
	if next.get("items.#").Int() != 1 || next.get("items.0.id").String() == delivery.String() {
		t.Errorf("%s", next.get("@this"))
	}
	again := r.ok(http.StatusCreated, http.MethodPost, log+"/"+delivery.String()+"/replay", "").get("id").String()
	if got := r.ok(http.StatusOK, http.MethodGet, log+"?limit=1", ""); got.get("items.0.id").String() != again || got.get("items.0.eventId").String() != first.Get("eventId").String() {
		t.Errorf("%s", got.get("@this"))
	}
	if r.ok(http.StatusOK, http.MethodGet, root+"/"+id, "").get("failingSince").String() == "" {
		t.Error("that it fails is not told")
	}
	for _, c := range []struct {
		status             int
		method, path, body string
	}{
		{422, http.MethodPost, root, `{"url":"http://example.org","events":["alert.raised"]}`},
		{422, http.MethodPost, root, `{"url":"ftp://example.org","events":["alert.raised"]}`},
		{422, http.MethodPost, root, `{"url":"https://example.org","events":["alert.lost"]}`},
		{422, http.MethodPost, root, `{"url":"https://example.org","events":[]}`},
		{404, http.MethodGet, root + "/" + uuid.NewString(), ""},
		{404, http.MethodPost, log + "/" + uuid.NewString() + "/replay", ""},
		{404, http.MethodPost, log + "/x/replay", ""},
		{422, http.MethodGet, log + "?cursor=x", ""},
	} {
		r.problem(c.status, c.method, c.path, c.body)
	}
	r.problem(http.StatusUnauthorized, http.MethodGet, root, "", "Authorization", "")
	r.ok(http.StatusNoContent, http.MethodDelete, root+"/"+id, "")
	r.problem(http.StatusNotFound, http.MethodGet, log, "")
	if got := storetest.Column(t, r.st, "select action from audit where subject = $1 order by id", id); !slices.Equal(got, []string{"webhook.add", "webhook.replay", "webhook.remove"}) {
		t.Errorf("audit %q", got)
	}
}

func TestEveryEventCanBeAskedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	enum := r.ok(http.StatusOK, http.MethodGet, "/openapi.json", "", "Authorization", "").get("components.schemas.AddWebhookInBody.properties.events.items.enum").Array()
	var got []string
	for _, e := range enum {
		got = append(got, e.String())
	}
	if !slices.Equal(got, webhooks.Events) {
		t.Errorf("%q; want %q", got, webhooks.Events)
	}
}

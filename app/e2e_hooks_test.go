package app_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/naiber/naiber/store/storetest"
)

// receiver is another system that is told of events.
type receiver struct {
	down  atomic.Bool
	beats atomic.Int32

	mu     sync.Mutex // guards what follows
	secret string
	types  map[string]int
}

func (r *receiver) serve(t *testing.T) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/beat" {
			r.beats.Add(1)
			return
		}
		if r.down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		body, err := io.ReadAll(req.Body)
		var event struct{ Type string }
		if err != nil || json.Unmarshal(body, &event) != nil {
			t.Errorf("%s, %v", body, err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		at, sum, _ := strings.Cut(strings.TrimPrefix(req.Header.Get("Naiber-Signature"), "t="), ",v1=")
		mac := hmac.New(sha256.New, []byte(r.secret))
		mac.Write([]byte(at + "." + string(body)))
		if sum != hex.EncodeToString(mac.Sum(nil)) {
			t.Errorf("%s is not signed: %v", body, req.Header)
		}
		r.types[event.Type]++
	}))
	t.Cleanup(srv.Close)
	return srv
}

func (r *receiver) got(event string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.types[event]
}

// Another system is told of what happens, though it was down and the process was killed
// meanwhile, and somebody outside that nAIber works.
func TestOthersAreToldOfEvents(t *testing.T) {
	t.Parallel()
	r := &receiver{types: map[string]int{}}
	srv := r.serve(t)
	h := openHouse(t, houseOptions{env: map[string]string{
		"NAIBER_WEBHOOKS_KEY": "key-of-webhooks-for-tests", "NAIBER_WATCH_HEARTBEAT_URL": srv.URL + "/beat", "NAIBER_WATCH_HEARTBEAT_EVERY": "10s",
	}})
	p := h.addPerson(nil)
	var hook struct{ ID, Secret string }
	if err := json.Unmarshal([]byte(h.command("webhooks", "add", srv.URL+"/hook", "--json")), &hook); err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	r.secret = hook.Secret
	r.mu.Unlock()
	r.down.Store(true)
	h.must(http.MethodDelete, "/api/v1/people/"+p.ID+"/consents/memory", nil, nil)
	type delivery struct {
		Type, Status string
		Attempts     []struct{ Status int }
	}
	deliveries := func() (list []delivery) {
		var page struct{ Items []delivery }
		h.must(http.MethodGet, "/api/v1/webhooks/"+hook.ID+"/deliveries", nil, &page)
		return page.Items
	}
	await(h, "an attempt", func() (bool, bool) {
		list := deliveries()
		return true, len(list) == 1 && list[0].Type == "consent.changed" && len(list[0].Attempts) == 1 && list[0].Attempts[0].Status == 503 && list[0].Status == "pending"
	})
	await(h, "the queue to note it", func() (string, bool) { // a job that runs when its process dies is rescued minutes later
		state := strings.Join(storetest.Column(t, h.db, "select state from river_job where kind = 'deliver_webhook'"), " ")
		return state, state == "retryable"
	})
	h.process.kill()
	r.down.Store(false)
	h.open()
	await(h, "the event", func() (bool, bool) { return true, r.got("consent.changed") == 1 })

	caller := h.addPerson(nil)
	call := h.place(caller)
	ada := h.answer()
	ada.hears(t, "Naiber")
	ada.says(t, "Well, I must go now. Goodbye.")
	ada.listens(t)
	ada.waitsForEnd(t)
	h.settled(call)
	await(h, "the events of the call", func() (bool, bool) {
		return true, r.got("call.started") == 1 && r.got("call.ended") == 1 && r.got("call.analysed") == 1
	})
	await(h, "heartbeats", func() (bool, bool) { return true, r.beats.Load() > 1 })
	if out := h.command("webhooks", "deliveries", hook.ID, "--status", "delivered"); !strings.Contains(out, "call.analysed") {
		t.Errorf("%s", out)
	}
}

package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/webhook"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/store/webhooks"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var noon = time.Date(2027, 3, 4, 12, 0, 0, 0, time.UTC)

// genuine is what a receiver does with a signature, as docs/webhooks.md has it.
func genuine(secret, header string, body []byte, now time.Time) bool {
	m := regexp.MustCompile(`^t=(\d{1,12}),v1=([0-9a-f]{64})$`).FindStringSubmatch(header)
	if m == nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(m[1] + "."))
	mac.Write(body)
	want, err := hex.DecodeString(m[2])
	seconds, err2 := strconv.ParseInt(m[1], 10, 64)
	return err == nil && err2 == nil && hmac.Equal(mac.Sum(nil), want) && now.Sub(time.Unix(seconds, 0)).Abs() < 5*time.Minute
}

func FuzzSignature(f *testing.F) {
	f.Add("sesame", `{"id": 1}`, int64(1772539200), "x")
	f.Fuzz(func(t *testing.T, secret, body string, at int64, more string) {
		if at < 0 || at > 999_999_999_999 {
			return
		}
		when := time.Unix(at, 0)
		header := webhook.Sign(secret, when, []byte(body))
		if !genuine(secret, header, []byte(body), when) {
			t.Errorf("%q does not sign %q", header, body)
		}
		if more != "" && (genuine(secret, header, []byte(body+more), when) || genuine(secret, header+more, []byte(body), when)) {
			t.Errorf("%q signs too much", header)
		}
		if genuine(secret, header, []byte(body), when.Add(time.Hour)) {
			t.Error("an old signature is taken")
		}
	})
}

// rig is a sender, a receiver that answers as told, and a delivery to it.
type rig struct {
	st       *store.Store
	sender   *webhook.Sender
	hook     webhooks.Webhook
	secret   string
	delivery uuid.UUID
	now      time.Time

	mu      sync.Mutex // guards what follows
	bodies  []string
	headers []string
}

// posts is how often was posted.
func (r *rig) posts() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies)
}

func newRig(t *testing.T, answer http.HandlerFunc) *rig {
	t.Helper()
	r := &rig{st: storetest.New(t), now: noon}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		r.bodies, r.headers = append(r.bodies, string(body)), append(r.headers, req.Header.Get("Naiber-Signature"))
		r.mu.Unlock()
		answer(w, req)
	}))
	t.Cleanup(srv.Close)
	r.sender = webhook.New(webhook.Config{Store: r.st, Key: "a key", Keep: 24 * time.Hour, Now: func() time.Time { return r.now }})
	var err error
	if r.hook, r.secret, err = r.sender.Add(t.Context(), srv.URL+"/hook?token=hidden", []string{"alert.raised"}); err != nil {
		t.Fatal(err)
	}
	r.delivery = r.raise(t)
	return r
}

// raise raises an alert, and returns its delivery.
func (r *rig) raise(t *testing.T) uuid.UUID {
	t.Helper()
	if _, _, err := r.st.RaiseAlert(t.Context(), alerts.New{Tier: alerts.Urgent, Kind: "operator_queue", Quote: "hidden words"}); err != nil {
		t.Fatal(err)
	}
	return r.deliveries(t)[0].ID
}

func (r *rig) deliveries(t *testing.T) []webhooks.Delivery {
	t.Helper()
	list, err := r.st.Deliveries(t.Context(), r.hook.ID, webhooks.Filter{Limit: 10})
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	return list
}

func TestDeliveryIsSignedAndLogged(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("thanks ", 1000))
	})
	if err := r.sender.Deliver(t.Context(), r.delivery, false); err != nil {
		t.Fatal(err)
	}
	if err := r.sender.Deliver(t.Context(), r.delivery, false); err != nil || r.posts() != 1 {
		t.Errorf("what was received is posted again: %v, %d", err, r.posts())
	}
	if !genuine(r.secret, r.headers[0], []byte(r.bodies[0]), noon) || genuine("a key", r.headers[0], []byte(r.bodies[0]), noon) {
		t.Errorf("signature %q of %s", r.headers[0], r.bodies[0])
	}
	d := r.deliveries(t)[0]
	var got struct {
		ID, Type string
		At       time.Time
		Data     map[string]any
	}
	if err := json.Unmarshal([]byte(r.bodies[0]), &got); err != nil || got.ID != d.Event.ID.String() || got.Type != "alert.raised" || !got.At.Equal(d.Event.At) ||
		got.Data["kind"] != "operator_queue" || strings.Contains(r.bodies[0], "hidden") {
		t.Errorf("%s, %v", r.bodies[0], err)
	}
	if d.Status != webhooks.Delivered || len(d.Attempts) != 1 || d.Attempts[0].Status != 200 || len(d.Attempts[0].Reply) != 1024 || !d.Attempts[0].At.Equal(noon) {
		t.Errorf("%+v", d)
	}
}

func TestAttemptsThatFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		status int
		want   string
		final  bool
	}{
		"refused":   {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }, 403, "answer 403", false},
		"down":      {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, "EOF", false},
		"redirects": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, 302, "answer 302", false},
		"gone":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) }, 410, "410 Gone", true},
		"slow":      {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 0, "deadline exceeded", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.answer)
			deliver := func(last bool) error {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if name == "slow" {
					ctx, cancel = context.WithTimeout(ctx, 2*time.Second)
					defer cancel()
				}
				return r.sender.Deliver(ctx, r.delivery, last)
			}
			err := deliver(false)
			if err == nil || errors.Is(err, webhook.ErrGone) != c.final || strings.Contains(err.Error(), "hidden") {
				t.Errorf("%v", err)
			}
			d := r.deliveries(t)[0]
			want := webhooks.Pending
			if c.final {
				want = webhooks.Failed
			}
			if r.posts() != 1 || d.Status != want || len(d.Attempts) != 1 || d.Attempts[0].Status != c.status || !strings.Contains(d.Attempts[0].Error, c.want) {
				t.Errorf("%d posts, %+v", r.posts(), d)
			}
			if err := deliver(true); err == nil {
				t.Error("received")
			}
			if d := r.deliveries(t)[0]; d.Status != webhooks.Failed || len(d.Attempts) != 2 {
				t.Errorf("after the last attempt %+v", d)
			}
		})
	}
}

func TestReplayIsTheSameEvent(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(http.ResponseWriter, *http.Request) {})
	again, err := r.st.Replay(t.Context(), r.hook.ID, r.delivery)
	if err != nil || again == r.delivery {
		t.Fatal(again, err)
	}
	for _, id := range []uuid.UUID{r.delivery, again} {
		if err := r.sender.Deliver(t.Context(), id, false); err != nil {
			t.Fatal(err)
		}
	}
	if r.bodies[0] != r.bodies[1] {
		t.Errorf("%s\n%s", r.bodies[0], r.bodies[1])
	}
	if _, err := r.st.Replay(t.Context(), uuid.New(), r.delivery); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("of another webhook: %v", err)
	}
}

// Somebody is told of a webhook once every attempt has failed for a day, and not before.
func TestFailingForADay(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	failing := func() int {
		t.Helper()
		list, err := r.st.FailingWebhooks(t.Context(), webhook.Lasting)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	for _, after := range []time.Duration{0, 23 * time.Hour, 25 * time.Hour} {
		r.now = noon.Add(after)
		if err := r.sender.Deliver(t.Context(), r.delivery, false); err == nil {
			t.Fatal("received")
		}
		if got, want := failing() == 1, after > webhook.Lasting; got != want {
			t.Errorf("after %s failing %t", after, got)
		}
	}
	up.Store(true)
	if err := r.sender.Deliver(t.Context(), r.delivery, false); err != nil || failing() != 0 {
		t.Errorf("%v, %d", err, failing())
	}
}

// What is too much for a webhook at once is no attempt, and goes once there is room.
func TestNoMoreThanAFewAtOnce(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	r := newRig(t, func(http.ResponseWriter, *http.Request) { <-goOn })
	done := make(chan error)
	for i := range webhook.AtOnce {
		id := r.delivery
		if i > 0 {
			id = r.raise(t)
		}
		go func() { done <- r.sender.Deliver(t.Context(), id, false) }()
	}
	for late := time.Now().Add(10 * time.Second); r.posts() < webhook.AtOnce; <-time.After(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("%d are posted", r.posts())
		}
	}
	next := r.raise(t)
	if busy, is := errors.AsType[*webhook.BusyError](r.sender.Deliver(t.Context(), next, true)); !is || busy.After < time.Second {
		t.Errorf("one too many: %+v", busy)
	}
	if d := r.deliveries(t)[0]; d.ID != next || d.Status != webhooks.Pending || len(d.Attempts) > 0 || r.posts() != webhook.AtOnce {
		t.Errorf("%d posts, %+v", r.posts(), d)
	}
	close(goOn)
	for range webhook.AtOnce {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := r.sender.Deliver(t.Context(), next, false); err != nil {
		t.Error(err)
	}
}

func TestRetriesEndWithinDays(t *testing.T) {
	t.Parallel()
	var all time.Duration
	for n := 1; n < webhook.MaxAttempts; n++ {
		if webhook.RetryAfter(n) < webhook.RetryAfter(max(n-1, 1)) {
			t.Errorf("the %d-th wait is shorter", n)
		}
		all += webhook.RetryAfter(n)
	}
	if all < 36*time.Hour || all > 60*time.Hour || webhook.RetryAfter(1) != 10*time.Second {
		t.Errorf("%s in all", all)
	}
}

func TestOldEventsArePruned(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(http.ResponseWriter, *http.Request) {})
	old := r.delivery
	r.now = time.Now().Add(5 * 24 * time.Hour)
	storetest.Column(t, r.st, "update webhook_events set at = now() + interval '4 days 1 hour' returning ''")
	storetest.Column(t, r.st, "update webhook_deliveries set queued_at = now() returning ''")
	if err := r.sender.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := r.deliveries(t); len(d) != 1 || d[0].Status != webhooks.Failed {
		t.Errorf("of a delivery that was lost: %+v", d)
	}
	r.now = r.now.Add(2 * time.Hour)
	if err := r.sender.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.st.Delivery(t.Context(), old); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("it is kept: %v", err)
	}
}

func TestNothingIsPostedToTheMachinesOwnNetwork(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"http://169.254.169.254/latest/meta-data", "http://[fe80::1]/", "http://0.0.0.0:1/",
		"http://[fd00:ec2::254]/", "http://[fd20:ce::254]/", "http://100.100.100.200/", "http://192.0.0.192/", "http://[64:ff9b::a9fe:a9fe]/", "http://[::ffff:169.254.169.254]/",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // what is let through goes nowhere
		defer cancel()
		if _, err := webhook.Post(ctx, webhook.Client(), address, "x", noon, nil); err == nil || !strings.Contains(err.Error(), "not posted to") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := webhook.Post(t.Context(), webhook.Client(), "http://[::1", "x", noon, nil); !errors.Is(err, webhook.ErrAddress) {
		t.Errorf("no URL: %v", err)
	}
}

func TestWithoutAKeyNothingIsSigned(t *testing.T) {
	t.Parallel()
	s := webhook.New(webhook.Config{Store: storetest.New(t)})
	if _, _, err := s.Add(t.Context(), "https://example.org", webhooks.Events); !errors.Is(err, webhook.ErrNoKey) {
		t.Error(err)
	}
}

package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func well(context.Context) (string, error) { return "", nil }

func TestStatus(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.state.services = []Service{{Name: "postgres", Check: well}, {Name: "jobs", Check: func(context.Context) (string, error) { return "2 gave up", nil }}}
	got := r.ok(http.StatusOK, http.MethodGet, "/status", "")
	for path, want := range map[string]string{
		"status": "ok", "version": "1.2.3", "degraded": "[]", "services.#.name": `["postgres","jobs"]`, "services.#.status": `["ok","ok"]`,
		"services.0.detail": "", "services.1.detail": "2 gave up",
	} {
		if v := got.get(path).String(); v != want {
			t.Errorf("%s = %s, want %s", path, v, want)
		}
	}
	if !got.get("services.0.latencyMs").Exists() {
		t.Error("no latency")
	}
	for _, key := range []string{"", "Bearer wrong"} { // everybody may ask
		if got := strings.TrimSpace(r.ok(http.StatusOK, http.MethodGet, "/status", "", "Authorization", key).body); got != `{"status":"ok","version":"1.2.3"}` {
			t.Errorf("a stranger is told %s", got)
		}
	}
}

func TestStatusKeepsTheReasonInside(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.state.services = []Service{
		{Name: "postgres", Check: well},
		{Name: "model", Check: func(context.Context) (string, error) { return "", errors.New("dial 10.0.0.7: refused") }},
	}
	r.state.degraded = []string{"queues are paused"}
	got := r.ok(http.StatusOK, http.MethodGet, "/status", "")
	if got.get("status").String() != "degraded" || got.get("degraded").String() != `["queues are paused","model"]` || got.get("services.1.status").String() != "down" {
		t.Errorf("status = %s", got.body)
	}
	if strings.Contains(got.body, "10.0.0.7") {
		t.Errorf("everybody may read %s", got.body)
	}
	if !strings.Contains(r.log.String(), "10.0.0.7") {
		t.Error("the log does not say why")
	}
}

// A service that hangs costs three seconds, and only its own answer.
func TestStatusDoesNotHang(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}
		a := &api{Deps: Deps{Log: slog.New(slog.DiscardHandler), Statuses: &states{services: []Service{
			{Name: "postgres", Check: well}, {Name: "twilio", Check: hang}, {Name: "model", Check: hang},
		}}}}
		began := time.Now()
		got := a.ask(t.Context())
		if took := time.Since(began); took != statusTimeout {
			t.Errorf("took %s, want %s", took, statusTimeout)
		}
		if got.Status != "degraded" || strings.Join(*got.Degraded, " ") != "twilio model" || got.Services[0].Status != "ok" || got.Services[1].LatencyMS != 3000 {
			t.Errorf("status = %+v", got)
		}
	})
}

// Everybody may ask, but others are asked in our name once in a while only.
func TestStatusIsNotAskedForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		ask := func(ctx context.Context) statusOut {
			asked++
			return statusOut{Version: strconv.Itoa(asked), Status: fmt.Sprint(ctx.Err())}
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		var s standing
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if got := s.get(gone, ask); got.Version != "1" || got.Status != "<nil>" {
					t.Errorf("answer %+v", got)
				}
			})
		}
		all.Wait()
		time.Sleep(statusKept + time.Millisecond) //nolint:forbidigo // the bubble's own time
		if got := s.get(t.Context(), ask); got.Version != "2" || asked != 2 {
			t.Errorf("answer %s after %d questions", got.Version, asked)
		}
	})
}

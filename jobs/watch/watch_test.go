package watch_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/jobs/watch"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// answerer is a server that can be down.
type answerer struct {
	*httptest.Server

	down  atomic.Bool
	asked atomic.Int32
}

func newAnswerer(t *testing.T) *answerer {
	t.Helper()
	a := &answerer{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.asked.Add(1); a.down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		if r.Method != http.MethodGet || r.URL.Path != "/ping/key" {
			t.Errorf("asked %s %s", r.Method, r.URL)
		}
	}))
	t.Cleanup(a.Close)
	return a
}

// Two processes that see the same service fail raise one alert, once it has lasted, and note
// that it has passed.
func TestServiceThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	st, srv, now := storetest.New(t), newAnswerer(t), time.Date(2027, 3, 4, 12, 0, 0, 0, time.UTC)
	check := func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+"/ping/key", http.NoBody)
		if err != nil {
			return err
		}
		res, err := srv.Client().Do(req)
		if err != nil {
			return err
		}
		if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
			return fmt.Errorf("answer %d, %w", res.StatusCode, err)
		}
		return nil
	}
	var unknown error
	var processes []*watch.Watch
	for range 2 {
		processes = append(processes, watch.New(watch.Config{
			Troubles: st, Passed: 10 * time.Minute, Now: func() time.Time { return now },
			Probes: []watch.Probe{
				watch.Services(5*time.Minute, []watch.Service{
					{Name: "model", Cause: "operator_model", Tier: alerts.Urgent, Check: check},
					{Name: "broken", Cause: "operator_broken", Tier: alerts.SameDay, Check: func(context.Context) error { panic("no check") }},
				}),
				func(context.Context, time.Time) ([]alerts.Trouble, error) { return nil, unknown },
			},
		}))
	}
	minutes := func(n int) {
		t.Helper()
		for range n {
			now = now.Add(time.Minute)
			for _, p := range processes {
				if err := p.Look(t.Context()); !errors.Is(err, unknown) {
					t.Fatal(err)
				}
			}
		}
	}
	events := func() (out []string) {
		t.Helper()
		return storetest.Column(t, st, "select e.kind from alert_events e join alerts a on a.id = e.alert_id where a.kind = 'operator_model' order by e.id")
	}
	stands := func(when string, want ...string) {
		t.Helper()
		if got := events(); !slices.Equal(got, want) {
			t.Errorf("%s: %q; want %q", when, got, want)
		}
	}
	minutes(10)
	stands("all is well")
	srv.down.Store(true)
	minutes(4)
	srv.down.Store(false)
	minutes(1)
	srv.down.Store(true)
	minutes(5)
	stands("never for five minutes")
	minutes(30)
	stands("down", "raised")
	if got := storetest.Column(t, st, "select kind || ' ' || tier from alerts order by tier"); !slices.Equal(got, []string{"operator_broken 2", "operator_model 3"}) {
		t.Errorf("%q", got)
	}
	srv.down.Store(false)
	unknown = errors.New("the database is away")
	minutes(15)
	stands("what else there is cannot be known", "raised")
	unknown = nil
	minutes(1)
	stands("up", "raised", "recovered")
	srv.Close()
	minutes(7)
	stands("down again", "raised", "recovered", "raised")
}

// A heartbeat is asked for each minute while nAIber works, again where that fails, and not at
// all while it does not work.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	srv := newAnswerer(t)
	synctest.Test(t, func(t *testing.T) {
		var dead atomic.Bool
		h := watch.Heartbeat{
			URL: srv.URL + "/ping/key", Every: time.Minute, Log: slog.New(slog.DiscardHandler),
			HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
			Working: func(context.Context) error {
				if dead.Load() {
					return errors.New("it does not work")
				}
				return nil
			},
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); h.Run(ctx) }()
		within := func(d time.Duration, low, high int32, when string) {
			t.Helper()
			before := srv.asked.Load()
			<-time.After(d)
			if n := srv.asked.Load() - before; n < low || n > high {
				t.Errorf("%s: asked %d times; want %d to %d", when, n, low, high)
			}
		}
		<-time.After(time.Second)
		within(time.Hour, 60, 60, "all is well")
		dead.Store(true)
		within(time.Hour, 0, 0, "nAIber does not work")
		dead.Store(false)
		srv.down.Store(true)
		within(time.Hour, 60*4, 60*20, "the receiver is down") // and is asked again within each minute
		srv.down.Store(false)
		within(time.Hour, 60, 62, "up again")
		// What begins to work within a minute is told within it.
		dead.Store(true)
		<-time.After(65 * time.Second)
		dead.Store(false)
		within(20*time.Second, 1, 1, "it works again")
		cancel()
		<-ended
	})
}

package app

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/store/webhooks"
)

// watching is an App with what the watch looks at.
func watching(t *testing.T) *App {
	t.Helper()
	a := &App{cfg: Default(), store: storetest.New(t), log: slog.New(slog.DiscardHandler)}
	if err := jobs.Migrate(t.Context(), a.store, a.log); err != nil {
		t.Fatal(err)
	}
	var err error
	if a.jobs, err = jobs.New(jobs.Config{}, a.store, nil, a.log, nil); err != nil {
		t.Fatal(err)
	}
	return a
}

func causes(found []alerts.Trouble) (out []string) {
	for _, f := range found {
		out = append(out, f.Cause)
	}
	return out
}

func TestTroublesOfJobsAndWebhooks(t *testing.T) {
	t.Parallel()
	a := watching(t)
	insert := func(kind, queue, state, more string) {
		storetest.Column(t, a.store, `insert into river_job (kind, queue, state, max_attempts, args, scheduled_at, finalized_at) select '`+kind+`', '`+queue+`', '`+state+`', 25, '{}', `+more+` returning ''`)
	}
	now := time.Now()
	if found, err := a.jobTroubles(t.Context(), now); err != nil || len(found) > 0 {
		t.Errorf("at first %v, %v", found, err)
	}
	insert("dial", "dial", "available", `now() - interval '16 minutes', null`)
	insert("post_call", "post_call", "discarded", `now(), now()`)
	found, err := a.jobTroubles(t.Context(), now)
	if err != nil || !slices.Equal(causes(found), []string{"operator_queue:dial", "operator_jobs:post_call"}) || found[0].Tier != alerts.Urgent || found[1].Tier != alerts.SameDay {
		t.Errorf("%+v, %v", found, err)
	}
	hook, err := a.store.AddWebhook(t.Context(), "https://example.org/hidden", []string{"alert.raised"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.store.RaiseAlert(t.Context(), alerts.New{Kind: "operator_queue", Tier: alerts.Urgent}); err != nil {
		t.Fatal(err)
	}
	list, err := a.store.Deliveries(t.Context(), hook.ID, webhooks.Filter{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{0, 0}, {23 * time.Hour, 0}, {25 * time.Hour, 1}} {
		if err := a.store.LogAttempt(t.Context(), webhooks.Attempt{DeliveryID: list[0].ID, At: now.Add(c.after), Status: 500}, webhooks.Pending); err != nil {
			t.Fatal(err)
		}
		found, err := a.webhookTroubles(t.Context(), now)
		if err != nil || len(found) != c.want {
			t.Errorf("after %s: %+v, %v", c.after, found, err)
		}
		if len(found) > 0 && (found[0].Cause != "operator_webhook:"+hook.ID.String() || strings.Contains(found[0].Why, "hidden")) {
			t.Errorf("%+v", found[0])
		}
	}
}

// The breaker's alarm and the watch's are one alert.
func TestCarrierIsOneTrouble(t *testing.T) {
	t.Parallel()
	a := watching(t)
	for range 2 {
		if err := a.raiseAlarm(t.Context(), schedule.Alarm{Kind: schedule.KindCarrier, Why: "failed", Key: "another each time " + time.Now().String(), At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	if got := storetest.Column(t, a.store, "select kind || ' ' || tier || ' ' || status from alerts"); !slices.Equal(got, []string{"operator_carrier 3 open"}) {
		t.Errorf("%q", got)
	}
	if found, err := a.carrierTrouble(t.Context(), time.Now()); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}

func TestLoopsThatStandStill(t *testing.T) {
	t.Parallel()
	start := time.Date(2027, 3, 4, 12, 0, 0, 0, time.UTC)
	a := &App{jobs: &jobs.Jobs{}}
	look := a.loopTroubles(start)
	for _, c := range []struct {
		after, dispatched time.Duration
		want              []string
	}{
		{4 * time.Minute, 0, nil},
		{5 * time.Minute, 0, []string{"operator_schedules", "operator_alerts"}},
		{9 * time.Minute, 5 * time.Minute, []string{"operator_alerts"}},
		{10 * time.Minute, 5 * time.Minute, []string{"operator_schedules", "operator_alerts"}},
	} {
		if c.dispatched > 0 {
			a.dispatched.Store(start.Add(c.dispatched).UnixNano())
		}
		if found, err := look(t.Context(), start.Add(c.after)); err != nil || !slices.Equal(causes(found), c.want) {
			t.Errorf("after %s: %+v, %v", c.after, found, err)
		}
	}
	if err := a.working(t.Context()); err == nil {
		t.Error("what does nothing works")
	}
}

// A model server may list its models, and answer no turn.
func TestModelThatAnswersNoTurn(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data": [{"id": "gpt"}]}`))
	}))
	t.Cleanup(srv.Close)
	model, err := llm.New(llm.Config{BaseURL: srv.URL, APIKey: "key", Models: []string{"gpt"}})
	if err != nil {
		t.Fatal(err)
	}
	turns := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "naiber_turns_degraded_total"}, []string{"reason"})
	reg := prometheus.NewRegistry()
	reg.MustRegister(turns)
	a := &App{model: model, lately: &lately{counters: reg}}
	turns.WithLabelValues("no_model").Add(2)
	if err := a.askModel(t.Context()); err != nil {
		t.Errorf("after two turns: %v", err)
	}
	turns.WithLabelValues("no_model").Inc()
	if err := a.askModel(t.Context()); err == nil {
		t.Error("after three turns it is well")
	}
	srv.Close()
	if err := (&App{model: model, lately: &lately{counters: prometheus.NewRegistry()}}).askModel(t.Context()); err == nil {
		t.Error("a server that is down is well")
	}
}

func TestWatchedServices(t *testing.T) {
	t.Parallel()
	a := &App{cfg: Default()}
	a.cfg.Qdrant.URL = "http://localhost:6334"
	a.cfg.Redis.URL = NewSecret("redis://localhost")
	got := map[string]alerts.Tier{}
	for _, s := range a.watched() {
		got[s.Cause] = s.Tier
	}
	want := map[string]alerts.Tier{
		"operator_carrier": alerts.Urgent, "operator_elevenlabs": alerts.Urgent, "operator_model": alerts.Urgent, "operator_qdrant": alerts.SameDay, "operator_redis": alerts.SameDay,
	}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
	for cause, tier := range want {
		if got[cause] != tier {
			t.Errorf("%s is of tier %d; want %d", cause, got[cause], tier)
		}
	}
}

package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/orchestration/graph/graphtest"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/storetest"
)

// made is an App that serves nothing: what New makes, on a database of its own.
func made(t *testing.T, redisURL string, change ...func(*Config)) *App {
	t.Helper()
	cfg := complete()
	cfg.DataDir, cfg.Server.Host, cfg.Server.Port = t.TempDir(), "127.0.0.1", 0
	cfg.Redis.URL = NewSecret(redisURL)
	nobody := "http://127.0.0.1:1" // no vendor is there
	cfg.OpenAI.BaseURL, cfg.Twilio.BaseURL, cfg.ElevenLabs.BaseURL = nobody, nobody, nobody
	for _, c := range change {
		c(&cfg)
	}
	a, err := New(t.Context(), cfg, Options{DatabaseURL: storetest.URL(t)}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.release(context.Background()) })
	return a
}

// begin begins a thread and returns it.
func (a *App) begin(t *testing.T, thread string) checkpoint.Checkpoint {
	t.Helper()
	cp := graphtest.Next(nil, nil, "x")
	if err := a.checkpoints.Put(t.Context(), thread, cp, checkpoint.ID{}); err != nil {
		t.Fatal(err)
	}
	return cp
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	late := time.After(20 * time.Second)
	for !holds() {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-late:
			t.Fatalf("%s never came true", what)
		}
	}
}

// asks asks after a service as /status does.
func (a *App) asks(t *testing.T, name string) (known bool, err error) {
	t.Helper()
	for _, s := range a.Services() {
		if s.Name == name {
			_, err = s.Check(t.Context())
			return true, err
		}
	}
	return false, nil
}

func (a *App) saysRedisIsLost() bool {
	return slices.Contains(a.Degraded(), "checkpoints: redis is lost")
}

func TestCheckpointsWithoutRedis(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	a.begin(t, "health_check:p:c")
	if known, _ := a.asks(t, "redis"); known {
		t.Error("a Redis that is not configured is asked after")
	}
	if h, err := a.postgres.Load(t.Context(), "health_check:p:c"); err != nil || len(h.Checkpoints) != 1 {
		t.Errorf("in PostgreSQL: %+v, %v", h, err)
	}
}

// Redis serves while it is there. When it is lost the thread goes on, /status says
// so, and it is said no more when Redis is back.
func TestRedisIsLostAndBack(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	a := made(t, srv.URL())
	cp := a.begin(t, "health_check:p:c")
	keys := srv.Do(t, "KEYS", "*")
	if names, err := keys.AsStrSlice(); err != nil || !slices.Equal(names, []string{"health_check:p:c"}) {
		t.Errorf("in Redis: %v, %v", names, err)
	}
	if known, err := a.asks(t, "redis"); !known || err != nil || a.saysRedisIsLost() {
		t.Errorf("redis is known: %v, %v; degraded: %v", known, err, a.Degraded())
	}
	srv.Stop()
	next := graphtest.Next(&cp, &cp, "y")
	if err := a.checkpoints.Put(t.Context(), "health_check:p:c", next, cp.ID); err != nil {
		t.Fatalf("without Redis: %v", err)
	}
	if _, err := a.asks(t, "redis"); err == nil || !a.saysRedisIsLost() {
		t.Errorf("a lost Redis answers: %v; degraded: %v", err, a.Degraded())
	}
	srv.Start(t)
	until(t, "Redis is back", func() bool { return !a.saysRedisIsLost() })
	if out := strings.Join(a.Degraded(), ", "); !strings.Contains(out, "checkpoints: redis lost (1 in the last minutes)") {
		t.Errorf("that it was lost is not told: %s", out)
	}
	if h, err := a.checkpoints.Load(t.Context(), "health_check:p:c"); err != nil || len(h.Checkpoints) != 2 || h.Checkpoints[0].ID != next.ID {
		t.Errorf("afterwards: %+v, %v", h, err)
	}
}

// A Redis that is not there at the start stops nothing.
func TestRedisIsNotThereAtTheStart(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close() // nobody listens there now
	a := made(t, "redis://"+addr)
	a.begin(t, "health_check:p:c")
	if !a.saysRedisIsLost() {
		t.Errorf("degraded: %v", a.Degraded())
	}
}

func TestSweepCheckpoints(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	a.begin(t, "old")
	a.begin(t, "new")
	age := (a.cfg.Checkpoints.TTL + time.Minute).Seconds()
	if _, err := a.store.Pool().Exec(t.Context(), `update checkpoint_threads set updated_at = now() - make_interval(secs => $1) where thread = 'old'`, age); err != nil {
		t.Fatal(err)
	}
	if err := a.sweepCheckpoints(t.Context()); err != nil {
		t.Fatal(err)
	}
	for thread, want := range map[string]int{"old": 0, "new": 1} {
		if h, err := a.checkpoints.Load(t.Context(), thread); err != nil || len(h.Checkpoints) != want {
			t.Errorf("%s: %d checkpoints, %v; want %d", thread, len(h.Checkpoints), err, want)
		}
	}
}

// checked is a person with a health check that is over, whose thread is still there.
func (a *App) checked(t *testing.T, phone string) (id store.PersonID, thread string) {
	t.Helper()
	p, err := a.store.CreatePerson(t.Context(), store.Person{Name: "Ada", Phone: phone, Timezone: "UTC"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.store.CreateCall(t.Context(), store.NewCall{PersonID: p.ID, Type: store.CallHealthCheck, Direction: store.Outbound, Phone: phone})
	if err != nil {
		t.Fatal(err)
	}
	conv := "conv_" + phone
	if err := a.store.AddConversation(t.Context(), c.ID, conv); err != nil {
		t.Fatal(err)
	}
	thread = health.ThreadName(p.ID, conv)
	a.begin(t, thread)
	if _, _, err := a.store.FinishCall(t.Context(), c.ID, store.Ending{Outcome: store.OutcomeReached, Cause: "hung_up", By: "person"},
		func(store.Tx, store.Call) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return p.ID, thread
}

// A person's threads go with the person, in every store; nobody else's do.
func TestThreadsGoWithThePerson(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	a := made(t, srv.URL())
	gone, thread := a.checked(t, "+15550100123")
	_, other := a.checked(t, "+15550100124")
	until(t, "PostgreSQL knows both", func() bool {
		h, err := a.postgres.Load(t.Context(), thread)
		o, err2 := a.postgres.Load(t.Context(), other)
		return errors.Join(err, err2) == nil && len(h.Checkpoints)+len(o.Checkpoints) == 2
	})
	if err := a.store.DeletePerson(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	keys := srv.Do(t, "KEYS", "*")
	if names, err := keys.AsStrSlice(); err != nil || !slices.Equal(names, []string{other}) {
		t.Errorf("in Redis: %v, %v; want %s alone", names, err, other)
	}
	for name, want := range map[string]int{thread: 0, other: 1} {
		if h, err := a.postgres.Load(t.Context(), name); err != nil || len(h.Checkpoints) != want {
			t.Errorf("%s in PostgreSQL: %d checkpoints, %v; want %d", name, len(h.Checkpoints), err, want)
		}
	}
}

// What Redis alone knew of a person who is gone does not come back with it.
func TestThreadsStayForgotten(t *testing.T) {
	t.Parallel()
	srv := redistest.NewDurable(t)
	a := made(t, srv.URL())
	gone, thread := a.checked(t, "+15550100123")
	h, err := a.checkpoints.Load(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	srv.Stop()
	if err := a.store.DeletePerson(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	srv.Start(t)
	until(t, "Redis forgets", func() bool {
		keys := srv.Do(t, "KEYS", "*")
		names, err := keys.AsStrSlice()
		return err == nil && len(names) == 0
	})
	// Another process, which has not heard of it, brings its copy.
	if err := a.postgres.Merge(t.Context(), thread, h); err != nil {
		t.Fatal(err)
	}
	if h, err := a.checkpoints.Load(t.Context(), thread); err != nil || len(h.Checkpoints) != 0 {
		t.Errorf("the thread is back: %+v, %v", h, err)
	}
}

type pings struct{ err error }

func (p pings) Ping(context.Context) error { return p.err }

type finisherFunc func() error

func (f finisherFunc) Finish(context.Context, store.Call) error { return f() }

// What follows a health check waits for a Redis that is away, but not for ever.
func TestHealthCheckEndsAfterRedis(t *testing.T) {
	t.Parallel()
	just, longAgo := time.Now(), time.Now().Add(-redisWait-time.Second)
	away := errors.New("connection refused")
	for _, tt := range []struct {
		name  string
		ping  error
		ended *time.Time
		later bool
	}{{"there", nil, &just, false}, {"away", away, &just, true}, {"away for long", away, &longAgo, false}} {
		ran := false
		f := afterRedis{pings{tt.ping}, finisherFunc(func() error { ran = true; return nil })}
		_, later := errors.AsType[jobs.LaterError](errors.Join(f.Finish(t.Context(), store.Call{EndedAt: tt.ended})))
		if later != tt.later || ran == tt.later {
			t.Errorf("%s: later %v, ran %v", tt.name, later, ran)
		}
	}
}

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
	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/people"
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

// begin starts a thread.
func (a *App) begin(t *testing.T, thread string) {
	t.Helper()
	a.advance(t, thread)
}

// advance puts the next checkpoint of a thread, and returns how many there are.
func (a *App) advance(t *testing.T, thread string) int {
	t.Helper()
	h, err := a.checkpoints.Load(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	cp := checkpoint.Checkpoint{ID: checkpoint.NewID(), At: time.Now()}
	if head, ok := h.Head(); ok {
		cp.Parent = head.ID
	}
	if err := a.checkpoints.Put(t.Context(), thread, h, cp); err != nil {
		t.Fatal(err)
	}
	return len(h.Checkpoints) + 1
}

// inPostgres returns how many checkpoints a thread has in PostgreSQL.
func (a *App) inPostgres(t *testing.T, thread string) int {
	t.Helper()
	pg, err := checkpoint.New(a.store, checkpoint.Config{Log: a.log})
	if err != nil {
		t.Fatal(err)
	}
	h, err := pg.Load(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	return len(h.Checkpoints)
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

func TestCheckpointsWithoutRedis(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	a.begin(t, "health_check:p:c")
	if known, _ := a.asks(t, "redis"); known {
		t.Error("a Redis that is not configured is asked after")
	}
	if n := a.inPostgres(t, "health_check:p:c"); n != 1 {
		t.Errorf("in PostgreSQL: %d", n)
	}
}

// When Redis is lost the thread goes on and /status says so, and it goes on when
// Redis is back.
func TestRedisIsLostAndBack(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	a := made(t, srv.URL())
	a.begin(t, "health_check:p:c")
	keys := srv.Do(t, "KEYS", "*")
	if names, err := keys.AsStrSlice(); err != nil || !slices.Equal(names, []string{"health_check:p:c"}) {
		t.Errorf("in Redis: %v, %v", names, err)
	}
	if known, err := a.asks(t, "redis"); !known || err != nil || strings.Contains(strings.Join(a.Degraded(), ", "), "redis") {
		t.Errorf("redis is known: %v, %v; degraded: %v", known, err, a.Degraded())
	}
	srv.Stop()
	a.advance(t, "health_check:p:c")
	if _, err := a.asks(t, "redis"); err == nil {
		t.Error("a lost Redis answers")
	}
	if out := strings.Join(a.Degraded(), ", "); !strings.Contains(out, "checkpoints: redis lost (1 in the last minutes)") {
		t.Errorf("that Redis is missed is not told: %s", out)
	}
	srv.Start(t)
	if n := a.advance(t, "health_check:p:c"); n != 3 {
		t.Errorf("afterwards: %d", n)
	}
	if _, err := a.asks(t, "redis"); err != nil {
		t.Errorf("Redis is back: %v", err)
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
	if out := strings.Join(a.Degraded(), ", "); !strings.Contains(out, "checkpoints: redis lost") {
		t.Errorf("degraded: %s", out)
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
	p, err := a.store.CreatePerson(t.Context(), people.Person{Name: "Ada", Phone: phone, Timezone: "UTC"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.store.CreateCall(t.Context(), calls.NewCall{PersonID: p.ID, Type: calls.CallHealthCheck, Direction: calls.Outbound, Phone: phone})
	if err != nil {
		t.Fatal(err)
	}
	conv := "conv_" + phone
	if err := a.store.AddConversation(t.Context(), c.ID, conv); err != nil {
		t.Fatal(err)
	}
	thread = health.ThreadName(p.ID, conv)
	a.begin(t, thread)
	if _, _, err := a.store.FinishCall(t.Context(), c.ID, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "hung_up", By: "person"},
		func(store.Tx, calls.Call) error { return nil }); err != nil {
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
	round := a.discussed(t, gone)
	if err := a.store.DeletePerson(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	keys := srv.Do(t, "KEYS", "*")
	if names, err := keys.AsStrSlice(); err != nil || !slices.Equal(names, []string{other}) {
		t.Errorf("in Redis: %v, %v; want %s alone", names, err, other)
	}
	for name, want := range map[string]int{thread: 0, round: 0, other: 1} {
		if n := a.inPostgres(t, name); n != want {
			t.Errorf("%s in PostgreSQL: %d checkpoints, want %d", name, n, want)
		}
	}
}

// discussed is the thread of a round of the care council about a person.
func (a *App) discussed(t *testing.T, id store.PersonID) (thread string) {
	t.Helper()
	var d discussions.Discussion
	if err := a.store.InTx(t.Context(), func(tx store.Tx) (err error) {
		d, err = a.store.CreateDiscussion(t.Context(), tx, discussions.NewDiscussion{PersonID: id, AskedBy: "Ruth", Rounds: 1})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	thread = council.ThreadName(id, d.DiscussionID.String()) + ":1"
	a.begin(t, thread)
	return thread
}

// The threads of discussions go with what is forgotten: in PostgreSQL at once, and in
// Redis with the next sweep.
func TestThreadsGoWithWhatIsForgotten(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	a := made(t, srv.URL())
	gone, check := a.checked(t, "+15550100123")
	round := a.discussed(t, gone)
	if f, err := a.memory.Forget(t.Context(), forget.Request{Person: gone, All: true}); err != nil || f.Discussions != 1 {
		t.Fatalf("forgot %+v, %v", f, err)
	}
	if h, err := a.checkpoints.Load(t.Context(), round); err != nil || len(h.Checkpoints) != 0 {
		t.Errorf("the thread is there: %+v, %v", h, err)
	}
	if err := a.sweepCheckpoints(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys := srv.Do(t, "KEYS", "*")
	if names, err := keys.AsStrSlice(); err != nil || !slices.Equal(names, []string{check}) {
		t.Errorf("in Redis: %v, %v; want %s alone", names, err, check)
	}
}

// What Redis still had of a person who is gone does not come back with it, and the
// next sweep deletes it there.
func TestThreadsStayForgotten(t *testing.T) {
	t.Parallel()
	srv := redistest.NewDurable(t)
	a := made(t, srv.URL())
	gone, thread := a.checked(t, "+15550100123")
	late, err := a.checkpoints.Load(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	srv.Stop()
	if err := a.store.DeletePerson(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	srv.Start(t)
	if h, err := a.checkpoints.Load(t.Context(), thread); err != nil || len(h.Checkpoints) != 0 {
		t.Errorf("the thread is back: %+v, %v", h, err)
	}
	until(t, "Redis forgets", func() bool { // the first sweep may meet the old connection
		if err := a.sweepCheckpoints(t.Context()); err != nil {
			t.Fatal(err)
		}
		keys := srv.Do(t, "KEYS", "*")
		names, err := keys.AsStrSlice()
		return err == nil && len(names) == 0
	})
	// A turn that was under way meanwhile.
	if err := a.checkpoints.Put(t.Context(), thread, late, checkpoint.Checkpoint{ID: checkpoint.NewID(), At: time.Now()}); !errors.Is(err, checkpoint.ErrConflict) {
		t.Errorf("a late turn: %v, want ErrConflict", err)
	}
}

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
		f := afterRedis(func(context.Context) error { return tt.ping }, func(context.Context, calls.Call) error { ran = true; return nil })
		_, later := errors.AsType[jobs.LaterError](errors.Join(f(t.Context(), calls.Call{EndedAt: tt.ended})))
		if later != tt.later || ran == tt.later {
			t.Errorf("%s: later %v, ran %v", tt.name, later, ran)
		}
	}
}

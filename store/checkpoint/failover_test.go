package checkpoint_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/orchestration/graph/graphtest"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/storetest"
)

const patience = 20 * time.Second

// quick is a failover that looks for what is lost often.
func quick(log *slog.Logger, told func(string, bool)) checkpoint.FailoverConfig {
	return checkpoint.FailoverConfig{Log: log, OnDegraded: told, Retry: 20 * time.Millisecond, RedisTimeout: 150 * time.Millisecond}
}

// line is a thread that a test advances.
type line struct {
	store  *checkpoint.Failover
	thread string
	last   *checkpoint.Checkpoint
	all    []checkpoint.Checkpoint
}

// advance loads, checks that nothing was lost, and puts the next.
func (l *line) advance(tb testing.TB) {
	tb.Helper()
	h, err := l.store.Load(tb.Context(), l.thread)
	if err != nil {
		tb.Fatalf("load before checkpoint %d: %v", len(l.all), err)
	}
	head, ok := h.Head()
	if ok != (l.last != nil) || ok && head.ID != l.last.ID {
		tb.Fatalf("head before checkpoint %d: got step %d (%t), want the last one", len(l.all), head.Step, ok)
	}
	cp := graphtest.Next(l.last, l.last, fmt.Sprintf("answer %d", len(l.all)))
	if err := l.store.Put(tb.Context(), l.thread, cp, head.ID); err != nil {
		tb.Fatalf("put checkpoint %d: %v", len(l.all), err)
	}
	l.all, l.last = append(l.all, cp), &cp
}

// newest are the checkpoints that every store must have in the end.
func (l *line) newest() []checkpoint.Checkpoint {
	cps := slices.Clone(l.all[max(0, len(l.all)-graphtest.Keep):])
	slices.Reverse(cps)
	return cps
}

type loader interface {
	Load(ctx context.Context, thread string) (checkpoint.History, error)
}

// agrees waits until a store holds what the line does.
func (l *line) agrees(tb testing.TB, name string, s loader) {
	tb.Helper()
	var got checkpoint.History
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		if got, err = s.Load(tb.Context(), l.thread); err == nil && len(got.Checkpoints) > 0 && got.Checkpoints[0].ID == l.last.ID {
			break
		}
	}
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	// The head decides; how far back a store goes may differ after an outage.
	if len(got.Checkpoints) == 0 {
		tb.Fatalf("%s has nothing", name)
	}
	want := l.newest()[:min(len(got.Checkpoints), len(l.newest()))]
	if diff := cmp.Diff(want, got.Checkpoints, cmp.Comparer(bytes.Equal)); diff != "" {
		tb.Fatalf("%s: want against got\n%s", name, diff)
	}
}

func await(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	for deadline := time.Now().Add(patience); !ok(); <-time.After(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			tb.Fatalf("waited in vain: %s", what)
		}
	}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestFailoverRedisLost(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]struct {
		durable bool
		down    func(*redistest.Server)
	}{
		"stopped, and comes back empty": {false, (*redistest.Server).Stop},
		"killed, and comes back empty":  {false, (*redistest.Server).Kill},
		"stopped, and comes back older": {true, (*redistest.Server).Stop},
		"killed, and comes back older":  {true, (*redistest.Server).Kill},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, st := redistest.New(t), storetest.New(t)
			if how.durable {
				srv = redistest.NewDurable(t)
			}
			var mu sync.Mutex // guards told
			var told []string
			f := openFailover(t, srv, st, quick(discard(), func(part string, lost bool) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, fmt.Sprintf("%s %t", part, lost))
			}))
			l, other := &line{store: f, thread: graphtest.Thread(t)}, &line{store: f, thread: graphtest.Thread(t)}
			for range 4 {
				l.advance(t)
				other.advance(t)
			}
			how.down(srv)
			if got := f.Degraded(); len(got) > 0 {
				t.Errorf("degraded before anybody asked: got %v", got)
			}
			for range 4 {
				l.advance(t)
			}
			if got := f.Degraded(); !slices.Equal(got, []string{checkpoint.PartRedis}) {
				t.Errorf("degraded: got %v, want redis", got)
			}
			if _, err := f.Write(t.Context(), l.thread, checkpoint.Write{Checkpoint: l.last.ID, Task: "alert", Value: []byte("1")}); err != nil {
				t.Fatal(err)
			}
			srv.Start(t)
			l.advance(t) // whether it has been noticed or not
			await(t, "redis is back", func() bool { return len(f.Degraded()) == 0 })
			l.advance(t)
			other.advance(t)
			l.agrees(t, "redis", openRedis(t, srv.URL()))
			other.agrees(t, "redis", openRedis(t, srv.URL()))
			l.agrees(t, "postgres", checkpoint.NewPostgres(st, graphtest.Keep))
			h, err := f.Load(t.Context(), l.thread)
			if w, ok := h.Done(l.all[len(l.all)-3].ID, "alert"); err != nil || !ok || string(w.Value) != "1" {
				t.Errorf("work noted while redis was lost: got %v, %t, %v", w, ok, err)
			}
			mu.Lock()
			defer mu.Unlock()
			for i, got := range told { // a busy machine may lose it twice
				if want := fmt.Sprintf("redis %t", i%2 == 0); got != want {
					t.Errorf("told: got %v, want lost and back in turns", told)
				}
			}
			if len(told) == 0 || len(told)%2 != 0 {
				t.Errorf("told: got %v, want that it is back in the end", told)
			}
		})
	}
}

// TestFailoverUnnoticed empties Redis, and sets it back, without ending a single
// connection.
func TestFailoverUnnoticed(t *testing.T) {
	t.Parallel()
	srv, st := redistest.New(t), storetest.New(t)
	f := openFailover(t, srv, st, quick(discard(), nil))
	l := &line{store: f, thread: graphtest.Thread(t)}
	for range 3 {
		l.advance(t)
	}
	srv.Do(t, "FLUSHALL")
	l.advance(t)
	old := srv.Do(t, "DUMP", l.thread)
	await(t, "redis has the thread again", func() bool {
		old = srv.Do(t, "DUMP", l.thread)
		return !old.IsNil()
	})
	text, err := old.ToString()
	if err != nil {
		t.Fatal(err)
	}
	l.advance(t)
	l.advance(t)
	srv.Do(t, "RESTORE", l.thread, "0", text, "REPLACE")
	l.advance(t)
	srv.Do(t, "SET", l.thread, "what another program left")
	l.advance(t)
	l.agrees(t, "redis", openRedis(t, srv.URL()))
	l.agrees(t, "postgres", checkpoint.NewPostgres(st, graphtest.Keep))

	// Between the load and the put: the put is refused, and the next load mends it.
	srv.Do(t, "FLUSHALL")
	cp := graphtest.Next(l.last, l.last, "x")
	if err := f.Put(t.Context(), l.thread, cp, l.last.ID); !errors.Is(err, checkpoint.ErrConflict) {
		t.Errorf("put onto an emptied redis: got %v, want ErrConflict", err)
	}
	l.advance(t)
}

// TestFailoverFrozenRedis has Redis stop answering while connections stay open.
func TestFailoverFrozenRedis(t *testing.T) {
	t.Parallel()
	srv, st := redistest.New(t), storetest.New(t)
	f := openFailover(t, srv, st, quick(discard(), nil))
	l := &line{store: f, thread: graphtest.Thread(t)}
	l.advance(t)
	h, err := f.Load(t.Context(), l.thread)
	if err != nil {
		t.Fatal(err)
	}
	srv.Freeze(t)
	// The put reaches Redis' socket and is only run when Redis thaws.
	cp := graphtest.Next(l.last, l.last, "frozen")
	if err := f.Put(t.Context(), l.thread, cp, h.Checkpoints[0].ID); err != nil {
		t.Fatal(err)
	}
	l.all, l.last = append(l.all, cp), &cp
	began := time.Now()
	for range 5 {
		l.advance(t)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("five turns without redis took %v: it is still asked", took)
	}
	srv.Thaw(t)
	await(t, "redis is back", func() bool { return len(f.Degraded()) == 0 })
	for range 3 {
		l.advance(t)
	}
	l.agrees(t, "redis", openRedis(t, srv.URL()))
}

// TestFailoverAcrossProcesses ends the process before Redis is back.
func TestFailoverAcrossProcesses(t *testing.T) {
	t.Parallel()
	srv, st := redistest.NewDurable(t), storetest.New(t)
	f := openFailover(t, srv, st, quick(discard(), nil))
	l, gone := &line{store: f, thread: graphtest.Thread(t)}, &line{store: f, thread: graphtest.Thread(t)}
	for range 3 {
		l.advance(t)
		gone.advance(t)
	}
	srv.Stop()
	for range 3 {
		l.advance(t)
	}
	if err := f.Delete(t.Context(), gone.thread); err != nil {
		t.Fatalf("delete while redis is lost: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	srv.Start(t) // with what it had when it was stopped
	if h, err := openRedis(t, srv.URL()).Load(t.Context(), gone.thread); err != nil || len(h.Checkpoints) != 3 {
		t.Fatalf("the deleted thread in the old redis: got %d, %v", len(h.Checkpoints), err)
	}
	f = openFailover(t, srv, st, quick(discard(), nil))
	l.store = f
	for range 2 {
		l.advance(t)
	}
	l.agrees(t, "redis", openRedis(t, srv.URL()))
	if h, err := f.Load(t.Context(), gone.thread); err != nil || len(h.Checkpoints) != 0 {
		t.Errorf("a deleted thread came back: %d checkpoints, %v", len(h.Checkpoints), err)
	}
	r := openRedis(t, srv.URL())
	await(t, "redis deletes its copy", func() bool {
		h, err := r.Load(t.Context(), gone.thread)
		return err == nil && len(h.Checkpoints) == 0
	})
	// A name that was deleted may be used again.
	again := &line{store: f, thread: gone.thread}
	for range 3 {
		again.advance(t)
	}
	again.agrees(t, "redis", r)
	again.agrees(t, "postgres", checkpoint.NewPostgres(st, graphtest.Keep))
}

func TestFailoverDeleteReachesRedisLater(t *testing.T) {
	t.Parallel()
	srv, st := redistest.NewDurable(t), storetest.New(t)
	f := openFailover(t, srv, st, quick(discard(), nil))
	l := &line{store: f, thread: graphtest.Thread(t)}
	for range 3 {
		l.advance(t)
	}
	srv.Stop()
	if err := f.Delete(t.Context(), l.thread); err != nil {
		t.Fatal(err)
	}
	srv.Start(t)
	await(t, "redis is back", func() bool { return len(f.Degraded()) == 0 })
	await(t, "redis deletes its copy", func() bool {
		m := srv.Do(t, "DBSIZE")
		n, err := m.AsInt64()
		return err == nil && n == 0
	})
}

func TestFailoverPostgresLost(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	st, g := gatedStore(t)
	f := openFailover(t, srv, st, quick(discard(), nil))
	l := &line{store: f, thread: graphtest.Thread(t)}
	l.advance(t)
	g.Shut()
	fresh := &line{store: f, thread: graphtest.Thread(t)} // begins while it is lost
	for range 4 {
		l.advance(t)
		fresh.advance(t)
	}
	if got := f.Degraded(); !slices.Equal(got, []string{checkpoint.PartPostgres}) {
		t.Errorf("degraded: got %v, want postgres", got)
	}
	if err := f.Delete(t.Context(), l.thread); err == nil {
		t.Error("a deletion of which postgres did not hear was confirmed")
	}
	g.Open(t)
	await(t, "postgres is back", func() bool { return len(f.Degraded()) == 0 })
	pg := checkpoint.NewPostgres(st, graphtest.Keep)
	l.agrees(t, "postgres", pg)
	fresh.agrees(t, "postgres", pg)
	srv.Stop() // and now the other one
	l.advance(t)
	fresh.advance(t)
}

func TestFailoverBothLost(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	st, g := gatedStore(t)
	f := openFailover(t, srv, st, quick(discard(), nil))
	l := &line{store: f, thread: graphtest.Thread(t)}
	l.advance(t)
	l.agrees(t, "postgres", checkpoint.NewPostgres(st, graphtest.Keep))
	srv.Stop()
	g.Shut()
	if _, err := f.Load(t.Context(), l.thread); err == nil {
		t.Error("load: got no error, and nobody was asked")
	}
	cp := graphtest.Next(l.last, l.last, "x")
	if err := f.Put(t.Context(), l.thread, cp, l.last.ID); err == nil {
		t.Error("put: got no error, and nobody has kept it")
	}
	g.Open(t)
	srv.Start(t)
	await(t, "both are back", func() bool { return len(f.Degraded()) == 0 })
	l.advance(t)
	l.agrees(t, "redis", openRedis(t, srv.URL()))
}

// TestFailoverCloseSettles has PostgreSQL know everything once Close returns.
func TestFailoverCloseSettles(t *testing.T) {
	t.Parallel()
	srv, st := redistest.New(t), storetest.New(t)
	f := openFailover(t, srv, st, quick(discard(), nil))
	var lines []*line
	for range 20 {
		l := &line{store: f, thread: graphtest.Thread(t)}
		l.advance(t)
		l.advance(t)
		lines = append(lines, l)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		h, err := checkpoint.NewPostgres(st, graphtest.Keep).Load(t.Context(), l.thread)
		if err != nil || len(h.Checkpoints) != 2 || h.Checkpoints[0].ID != l.last.ID {
			t.Fatalf("got %d, %v", len(h.Checkpoints), err)
		}
	}
}

// TestFailoverChaos advances threads while Redis is killed, frozen and emptied at
// any moment. What was confirmed is never lost, and nothing is applied twice.
func TestFailoverChaos(t *testing.T) {
	t.Parallel()
	for _, durable := range []bool{false, true} {
		t.Run(fmt.Sprintf("durable=%t", durable), func(t *testing.T) {
			t.Parallel()
			srv, st := redistest.New(t), storetest.New(t)
			if durable {
				srv = redistest.NewDurable(t)
			}
			f := openFailover(t, srv, st, quick(discard(), nil))
			stop := make(chan struct{})
			var all sync.WaitGroup
			for range 6 {
				all.Go(func() { grind(t, f, graphtest.Thread(t), stop) })
			}
			for i := range 12 {
				<-time.After(60 * time.Millisecond)
				switch i % 4 {
				case 0:
					srv.Kill()
				case 1:
					srv.Freeze(t)
					<-time.After(200 * time.Millisecond)
					srv.Thaw(t)
				case 2:
					srv.Stop()
				case 3:
					srv.Do(t, "FLUSHALL")
				}
				<-time.After(60 * time.Millisecond)
				srv.Start(t)
			}
			close(stop)
			all.Wait()
			await(t, "redis is back", func() bool { return len(f.Degraded()) == 0 })
		})
	}
}

// grind advances a thread until stop: each state holds the whole course, so that
// a step which was lost or applied twice would show.
func grind(t *testing.T, f *checkpoint.Failover, thread string, stop <-chan struct{}) {
	t.Helper()
	course, want := "", 0
	for {
		h, err := f.Load(t.Context(), thread)
		if err != nil {
			t.Errorf("load: %v", err)
			return
		}
		head, ok := h.Head()
		var last *checkpoint.Checkpoint
		if ok {
			last = &head
		}
		if got := string(head.State); got != course {
			t.Errorf("thread at %d: got …%q, want …%q (%d and %d bytes)", want, got[max(0, len(got)-40):], course[max(0, len(course)-40):], len(got), len(course))
			return
		}
		select {
		case <-stop:
			if want < 10 {
				t.Errorf("only %d steps were made", want)
			}
			return
		default:
		}
		cp := graphtest.Next(last, last, "")
		next := course + fmt.Sprintf(" %d", want)
		cp.State = []byte(next)
		switch err := f.Put(t.Context(), thread, cp, head.ID); {
		case err == nil:
			course, want = next, want+1
		case errors.Is(err, checkpoint.ErrConflict): // Redis started anew in between
		default:
			t.Errorf("put: %v", err)
			return
		}
	}
}

func TestPostgresSweep(t *testing.T) {
	t.Parallel()
	p := checkpoint.NewPostgres(storetest.New(t), graphtest.Keep)
	thread := graphtest.Thread(t)
	graphtest.Grow(t, p, thread, 2)
	if n, err := p.Sweep(t.Context(), time.Now().Add(-time.Hour)); err != nil || n != 0 {
		t.Errorf("nothing is that old: got %d, %v", n, err)
	}
	if n, err := p.Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil || n != 1 {
		t.Errorf("all is that old: got %d, %v", n, err)
	}
	if h, err := p.Load(t.Context(), thread); err != nil || len(h.Checkpoints) != 0 {
		t.Errorf("after the sweep: got %d, %v", len(h.Checkpoints), err)
	}
}

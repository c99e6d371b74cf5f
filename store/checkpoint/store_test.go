package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/storetest"
)

func open(tb testing.TB, st *store.Store, redisURL string) *checkpoint.Store {
	tb.Helper()
	return openWith(tb, st, checkpoint.Config{RedisURL: redisURL})
}

func openWith(tb testing.TB, st *store.Store, cfg checkpoint.Config) *checkpoint.Store {
	tb.Helper()
	cfg.Keep, cfg.Log = keep, slog.New(slog.DiscardHandler)
	s, err := checkpoint.New(st, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// gated returns a store on a database of its own behind a gate.
func gated(tb testing.TB) (*store.Store, *storetest.Gate) {
	tb.Helper()
	raw := storetest.URL(tb)
	u, err := url.Parse(raw)
	if err != nil {
		tb.Fatal(err)
	}
	g := storetest.NewGate(tb, u.Host)
	return storetest.Open(tb, g.URL(tb, raw)), g
}

// line is a thread that a test advances.
type line struct {
	thread string
	said   []string
}

// advance loads the thread, checks that nothing was lost, and puts the next
// checkpoint: a state holds the whole course.
func (l *line) advance(tb testing.TB, s threads) {
	tb.Helper()
	h := load(tb, s, l.thread)
	last, ok := h.Head()
	if got := string(last.State); got != strings.Join(l.said, " ") {
		tb.Fatalf("before turn %d: got %q", len(l.said), got)
	}
	var parent *checkpoint.Checkpoint
	if ok {
		parent = &last
	}
	cp := next(parent, "")
	said := append(slices.Clone(l.said), fmt.Sprintf("answer%d", len(l.said)))
	cp.State = []byte(strings.Join(said, " "))
	if err := s.Put(tb.Context(), l.thread, h, cp); err != nil {
		tb.Fatalf("turn %d: %v", len(l.said), err)
	}
	l.said = said
}

func (l *line) advances(tb testing.TB, s threads, n int) {
	tb.Helper()
	for range n {
		l.advance(tb, s)
	}
}

// Whatever becomes of Redis, a thread goes on where it stood, and Redis is not
// needed to have what it missed.
func TestRedisIsLost(t *testing.T) {
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
			var mu sync.Mutex // guards missed
			missed := map[string]int{}
			s := openWith(t, st, checkpoint.Config{RedisURL: srv.URL(), OnMissed: func(part string) {
				mu.Lock()
				defer mu.Unlock()
				missed[part]++
			}})
			checkpoint.Patient(s)
			l, other := &line{thread: newThread()}, &line{thread: newThread()}
			l.advances(t, s, 4)
			other.advances(t, s, 4)
			if len(missed) > 0 {
				t.Errorf("missed while all was there: %v", missed)
			}
			how.down(srv)
			l.advances(t, s, 4)
			if missed[checkpoint.PartRedis] == 0 || missed[checkpoint.PartPostgres] > 0 {
				t.Errorf("missed without Redis: %v", missed)
			}
			srv.Start(t)
			l.advances(t, s, 4)
			other.advances(t, s, 4)
			// Another process, with Redis and without.
			for _, url := range []string{srv.URL(), ""} {
				fresh := open(t, st, url)
				l.advance(t, fresh)
				other.advance(t, fresh)
			}
			l.advance(t, s)
		})
	}
}

// Redis is emptied, set back, and given what another program left, without ending a
// single connection.
func TestRedisIsOlder(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	s := open(t, storetest.New(t), srv.URL())
	l := &line{thread: newThread()}
	l.advances(t, s, 3)
	srv.Do(t, "FLUSHALL")
	l.advances(t, s, 2)
	old, err := new(srv.Do(t, "DUMP", l.thread)).ToString()
	if err != nil {
		t.Fatal(err)
	}
	l.advances(t, s, 2)
	srv.Do(t, "RESTORE", l.thread, "0", old, "REPLACE")
	l.advances(t, s, 2)
	srv.Do(t, "SET", l.thread, `{"v":1,"ts":"what another program left"}`)
	l.advances(t, s, 2)
	srv.Do(t, "DEL", l.thread)
	srv.Do(t, "HSET", l.thread, "a", "b")
	l.advances(t, s, 2)

	// Between the load and the put, too.
	h := load(t, s, l.thread)
	srv.Do(t, "FLUSHALL")
	if err := s.Put(t.Context(), l.thread, h, next(nil, "x")); err != nil {
		t.Error(err)
	}
}

// A turn goes on in Redis while PostgreSQL is away, and PostgreSQL has all of it
// after the next turn with both.
func TestPostgresIsLost(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	st, g := gated(t)
	s := open(t, st, srv.URL())
	l, fresh := &line{thread: newThread()}, newThread()
	l.advances(t, s, 2)
	g.Shut()
	l.advances(t, s, 4)
	if err := s.Delete(t.Context(), l.thread); err == nil {
		t.Error("a deletion of which PostgreSQL did not hear was confirmed")
	}
	// A thread that Redis does not have may be one that it lost.
	if _, err := s.Load(t.Context(), fresh); err == nil {
		t.Error("a thread of which neither store knows was taken for a new one")
	}
	g.Open(t)
	l.advance(t, s)
	srv.Stop()
	l.advances(t, s, 3)
	g.Shut()
	if _, err := s.Load(t.Context(), l.thread); err == nil {
		t.Error("load: got no error, and nobody was asked")
	}
	if err := s.Put(t.Context(), l.thread, checkpoint.History{}, next(nil, "x")); err == nil {
		t.Error("put: got no error, and nobody has kept it")
	}
	g.Open(t)
	srv.Start(t)
	l.advance(t, s)
}

// A thread that was deleted while Redis was away stays deleted when Redis is back
// with its copy, and the sweep deletes that.
func TestDeletedWhileRedisIsAway(t *testing.T) {
	t.Parallel()
	srv, st := redistest.NewDurable(t), storetest.New(t)
	s := open(t, st, srv.URL())
	l := &line{thread: newThread()}
	l.advances(t, s, 3)
	srv.Stop()
	if err := s.Delete(t.Context(), l.thread); err != nil {
		t.Fatal(err)
	}
	srv.Start(t)
	if keys, err := new(srv.Do(t, "KEYS", "*")).AsStrSlice(); err != nil || !slices.Equal(keys, []string{l.thread}) {
		t.Fatalf("in Redis: %q, %v", keys, err)
	}
	s = open(t, st, srv.URL()) // another process
	holds(t, "deleted", load(t, s, l.thread).Checkpoints)
	if _, err := s.Sweep(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if keys, err := new(srv.Do(t, "KEYS", "*")).AsStrSlice(); err != nil || len(keys) != 0 {
		t.Errorf("in Redis after the sweep: %q, %v", keys, err)
	}
	l.said = nil // a name that was deleted may be used again
	l.advances(t, s, 3)
}

func TestSweep(t *testing.T) {
	t.Parallel()
	s := open(t, storetest.New(t), "")
	thread, deleted := newThread(), newThread()
	grow(t, s, thread, 2)
	grow(t, s, deleted, 2)
	if err := s.Delete(t.Context(), deleted); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Sweep(t.Context(), time.Now().Add(-time.Hour)); err != nil || n != 0 {
		t.Errorf("nothing is that old: got %d, %v", n, err)
	}
	holds(t, "deleted", load(t, s, deleted).Checkpoints)
	if n, err := s.Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil || n != 1 {
		t.Errorf("all is that old: got %d, %v", n, err)
	}
	holds(t, "after the sweep", load(t, s, thread).Checkpoints)
}

// Forget deletes by the start of a name, taken as it stands, and what is named, in
// both stores; a copy that Redis still has does not bring it back.
func TestForget(t *testing.T) {
	t.Parallel()
	srv, st := redistest.New(t), storetest.New(t)
	s := open(t, st, srv.URL())
	const mine, alike, elsewhere = "check:a_%:1", "check:abc:1", "elsewhere"
	for _, thread := range []string{mine, alike, elsewhere} {
		grow(t, s, thread, 2)
	}
	for range 2 { // the second time changes nothing
		var done func(context.Context)
		err := st.InTx(t.Context(), func(tx store.Tx) (err error) {
			done, err = s.Forget(t.Context(), tx, "check:a_%:", []string{elsewhere, mine})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for thread, want := range map[string]int{mine: 0, elsewhere: 0, alike: 2} {
			if got := load(t, s, thread).Checkpoints; len(got) != want {
				t.Errorf("%s: got %d checkpoints, want %d", thread, len(got), want)
			}
		}
		done(t.Context())
		if keys, err := new(srv.Do(t, "KEYS", "*")).AsStrSlice(); err != nil || !slices.Equal(keys, []string{alike}) {
			t.Errorf("in Redis: %q, %v", keys, err)
		}
	}
}

// Two processes take turns of the same threads at once, while Redis is cut from one
// or the other at random: an answer that was confirmed is in every later state, once.
func TestTwoProcessesLoseNothing(t *testing.T) {
	t.Parallel()
	const lines, turns, cutEvery = 6, 60, 10
	srv, st := redistest.New(t), storetest.New(t)
	var gates [2]*storetest.Gate
	var processes [2]*checkpoint.Store
	for i := range processes {
		gates[i] = storetest.NewGate(t, srv.Addr())
		processes[i] = open(t, st, gates[i].URL(t, srv.URL()))
	}
	taken := make(chan struct{}, 2*lines*turns)
	var all sync.WaitGroup
	for range lines {
		l := &sharedLine{thread: newThread()}
		for i, s := range processes {
			all.Go(func() {
				for n := range turns {
					l.turn(t, s, fmt.Sprintf("%c%d", 'a'+i, n))
					taken <- struct{}{}
				}
			})
		}
	}
	r := rand.New(rand.NewPCG(20261122, 9))
	for n := range cap(taken) {
		<-taken
		if n%cutEvery > 0 {
			continue
		}
		for _, g := range gates {
			g.Open(t)
		}
		if i := r.IntN(3); i < len(gates) {
			gates[i].Shut()
		}
	}
	all.Wait()
}

// sharedLine is a thread that several processes advance.
type sharedLine struct {
	thread string

	mu   sync.Mutex // guards said
	said []string   // that was confirmed
}

// turn says something until it is confirmed, as a caller does who gets no answer,
// and checks what is found each time.
func (l *sharedLine) turn(t *testing.T, s threads, word string) {
	t.Helper()
	for {
		l.mu.Lock()
		confirmed := slices.Clone(l.said)
		l.mu.Unlock()
		h, err := s.Load(t.Context(), l.thread)
		if err != nil {
			t.Error(err)
			return
		}
		last, ok := h.Head()
		heard := strings.Fields(string(last.State))
		for _, w := range confirmed {
			if n := len(slices.DeleteFunc(slices.Clone(heard), func(h string) bool { return h != w })); n != 1 {
				t.Errorf("%s was confirmed, and is there %d times: %q", w, n, heard)
				return
			}
		}
		if !slices.Contains(heard, word) { // else it was saved, and the answer was lost
			var parent *checkpoint.Checkpoint
			if ok {
				parent = &last
			}
			cp := next(parent, "")
			cp.State = []byte(strings.Join(append(heard, word), " "))
			err = s.Put(t.Context(), l.thread, h, cp)
		}
		switch {
		case err == nil:
			l.mu.Lock()
			l.said = append(l.said, word)
			l.mu.Unlock()
			return
		case !errors.Is(err, checkpoint.ErrConflict):
			t.Error(err)
			return
		}
	}
}

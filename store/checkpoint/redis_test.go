package checkpoint_test

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/orchestration/graph/graphtest"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/storetest"
)

func TestRedisTimeToLive(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	r := openRedis(t, srv.URL())
	thread := graphtest.Thread(t)
	ttl := func() time.Duration {
		t.Helper()
		m := srv.Do(t, "PTTL", thread)
		n, err := m.AsInt64()
		if err != nil {
			t.Fatal(err)
		}
		return time.Duration(n) * time.Millisecond
	}
	// Every write brings it back to its full time.
	age := func(what string) {
		t.Helper()
		if got := ttl(); got < checkpoint.DefaultTTL-time.Minute || got > checkpoint.DefaultTTL {
			t.Errorf("after %s: got %v, want about %v", what, got, checkpoint.DefaultTTL)
		}
		srv.Do(t, "PEXPIRE", thread, "5000000")
	}
	line := graphtest.Grow(t, r, thread, 1)
	age("the first checkpoint")
	next := graphtest.Next(&line[0], &line[0], "x")
	if err := r.Put(t.Context(), thread, next, line[0].ID); err != nil {
		t.Fatal(err)
	}
	age("the next checkpoint")
	if _, err := r.Write(t.Context(), thread, checkpoint.Write{Checkpoint: next.ID, Task: "t"}); err != nil {
		t.Fatal(err)
	}
	age("work")
	h, err := r.Load(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Merge(t.Context(), thread, h); err != nil {
		t.Fatal(err)
	}
	age("a merge")
	// Reading and keeping house change nothing.
	if err := r.Prune(t.Context(), thread, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Load(t.Context(), thread); err != nil {
		t.Fatal(err)
	}
	if got := ttl(); got > 5000*time.Second || got <= 0 {
		t.Errorf("after a load and a prune: got %v, want 5000 s and no more", got)
	}
	to := graphtest.Thread(t)
	if err := r.Copy(t.Context(), thread, to); err != nil {
		t.Fatal(err)
	}
	thread = to
	age("a copy")
}

func TestRedisOneKey(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	r := openRedis(t, srv.URL())
	const thread = "health_check:0198f000-0000-7000-8000-000000000001:conv_01abc"
	line := graphtest.Grow(t, r, thread, 9)
	if _, err := r.Write(t.Context(), thread, checkpoint.Write{Checkpoint: line[8].ID, Task: "t"}); err != nil {
		t.Fatal(err)
	}
	m := srv.Do(t, "KEYS", "*")
	keys, err := m.AsStrSlice()
	if err != nil || len(keys) != 1 || keys[0] != thread {
		t.Errorf("keys: got %q, %v, want the thread's name and nothing else", keys, err)
	}
}

func TestRedisForeignValue(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	r := openRedis(t, srv.URL())
	srv.Do(t, "SET", "text", `{"v":1,"ts":"2026"}`)
	srv.Do(t, "HSET", "hash", "a", "b")
	cp := graphtest.Next(nil, nil, "x")
	if _, err := r.Load(t.Context(), "text"); !errors.Is(err, checkpoint.ErrCorrupt) {
		t.Errorf("load: got %v, want ErrCorrupt", err)
	}
	if err := r.Put(t.Context(), "text", cp, checkpoint.ID{}); !errors.Is(err, checkpoint.ErrCorrupt) {
		t.Errorf("put: got %v, want ErrCorrupt", err)
	}
	if err := r.Put(t.Context(), "hash", cp, checkpoint.ID{}); err == nil {
		t.Error("put over a hash: it was taken")
	}
	if m := srv.Do(t, "GET", "text"); !strings.Contains(m.String(), "ts") {
		t.Errorf("a value that is not ours was changed: %s", m.String())
	}
}

func TestRedisURL(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	for _, url := range []string{"redis://" + srv.Addr(), "redis://" + srv.Addr() + "/", "redis://" + srv.Addr() + "/3", "redis://" + srv.Addr() + "?db=2"} {
		r := openRedis(t, url)
		if err := r.Ping(t.Context()); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, url := range []string{"", "http://user:hunter2@host", "redis://user:hunter2@host/zero", "redis://user:hunter2@ho st\x7f/0", "redis://:hunter2@host/0/1"} {
		_, err := checkpoint.NewRedis(checkpoint.RedisConfig{URL: url})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %v, want an error without the password", url, err)
		}
	}
}

// TestRedisScriptsSurviveARestart loads scripts anew where Redis forgot them.
func TestRedisScriptsSurviveARestart(t *testing.T) {
	t.Parallel()
	srv := redistest.NewDurable(t)
	r := openRedis(t, srv.URL())
	thread := graphtest.Thread(t)
	line := graphtest.Grow(t, r, thread, 2)
	srv.Kill()
	srv.Start(t)
	next := graphtest.Next(&line[1], &line[1], "x")
	for try := 0; ; try++ { // the first command may meet the old connection
		err := r.Put(t.Context(), thread, next, line[1].ID)
		if err == nil {
			break
		}
		if try == 100 {
			t.Fatal(err)
		}
	}
}

// turnCommands is what a turn may cost, commands within scripts included.
const turnCommands = 4

func TestRedisTurnCost(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	m := interview(t)
	alone := map[string]int{}
	stores := map[string]graphtest.Checkpoints{
		"redis":    openRedis(t, srv.URL()),
		"failover": openFailover(t, srv, storetest.New(t), checkpoint.FailoverConfig{}),
	}
	for name, s := range stores {
		n, counts := turnCost(t, srv, m.Thread(s, graphtest.Thread(t)))
		if n > turnCommands {
			t.Errorf("%s: a turn costs %d commands, want at most %d: %v", name, n, turnCommands, counts)
		}
		alone[name] = n
	}
	others := srv.Do(t, "EVAL", `for i = 1, 100000 do redis.call('SET', 'other:' .. i, i) end return redis.call('DBSIZE')`, "0")
	if n, err := others.AsInt64(); err != nil || n < 100_000 {
		t.Fatalf("other keys: got %d, %v", n, err)
	}
	for name, s := range stores {
		n, counts := turnCost(t, srv, m.Thread(s, graphtest.Thread(t)))
		if n != alone[name] {
			t.Errorf("%s: among 100,000 other keys a turn costs %d commands, and alone %d: %v", name, n, alone[name], counts)
		}
		t.Logf("%s: a turn costs %d commands, those within scripts included: %v", name, n, counts)
	}
}

// turnCost returns how many commands Redis runs for a turn, and what for twenty.
func turnCost(t *testing.T, srv *redistest.Server, th *graph.Thread[answers, string]) (each int, counts map[string]int) {
	t.Helper()
	const turns = 20
	turn := func(place int) {
		if _, err := th.Turn(t.Context(), graph.Call[answers, string]{Turn: checkpoint.Turn{Place: place}, Input: "well"}); err != nil {
			t.Fatal(err)
		}
	}
	turn(0) // connects, and loads the script
	before := srv.Commands(t)
	for i := range turns {
		turn(1 + i)
	}
	counts = srv.Commands(t)
	total := 0
	for name, n := range counts {
		n -= before[name]
		counts[name] = n
		switch name {
		case "info", "hello", "client|setname", "client|setinfo", "select", "ping":
			continue // the counting itself, and connections being made
		case "keys", "scan", "hscan", "sscan", "zscan":
			if n > 0 {
				t.Errorf("%d × %s", n, name)
			}
		}
		total += n
	}
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n == 0 })
	return (total + turns - 1) / turns, counts
}

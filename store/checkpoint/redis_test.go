package checkpoint_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/storetest"
)

func TestRedisTimeToLive(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	s := open(t, storetest.New(t), srv.URL())
	thread := newThread()
	ttl := func() time.Duration {
		t.Helper()
		n, err := new(srv.Do(t, "PTTL", thread)).AsInt64()
		if err != nil {
			t.Fatal(err)
		}
		return time.Duration(n) * time.Millisecond
	}
	line := grow(t, s, thread, 1)
	for range 2 { // every put brings it back to its full time
		if got := ttl(); got < checkpoint.DefaultTTL-time.Minute || got > checkpoint.DefaultTTL {
			t.Errorf("after a put: got %v, want about %v", got, checkpoint.DefaultTTL)
		}
		srv.Do(t, "PEXPIRE", thread, "5000000")
		put(t, s, thread, next(&line[0], "x"))
	}
	srv.Do(t, "PEXPIRE", thread, "5000000")
	load(t, s, thread)
	if got := ttl(); got > 5000*time.Second || got <= 0 {
		t.Errorf("after a load: got %v, want 5000 s and no more", got)
	}
}

func TestRedisOneKey(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	const thread = "health_check:0198f000-0000-7000-8000-000000000001:conv_01abc"
	grow(t, open(t, storetest.New(t), srv.URL()), thread, 9)
	keys, err := new(srv.Do(t, "KEYS", "*")).AsStrSlice()
	if err != nil || len(keys) != 1 || keys[0] != thread {
		t.Errorf("keys: got %q, %v, want the thread's name and nothing else", keys, err)
	}
}

func TestRedisURL(t *testing.T) {
	t.Parallel()
	srv, st := redistest.New(t), storetest.New(t)
	for _, url := range []string{"redis://" + srv.Addr(), "redis://" + srv.Addr() + "/", "redis://" + srv.Addr() + "/3", "redis://" + srv.Addr() + "?db=2"} {
		if err := open(t, st, url).Ping(t.Context()); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, url := range []string{"host:6379", "http://user:hunter2@host", "redis://user:hunter2@host/zero", "redis://user:hunter2@ho st\x7f/0", "redis://:hunter2@host/0/1"} {
		_, err := checkpoint.New(st, checkpoint.Config{RedisURL: url})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %v, want an error without the password", url, err)
		}
	}
}

// turnCommands is what a turn may cost, commands within scripts included.
const turnCommands = 4

func TestRedisTurnCost(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	m, s := interview(t), open(t, storetest.New(t), srv.URL())
	alone, counts := turnCost(t, srv, m.Thread(s, newThread()))
	if alone > turnCommands {
		t.Errorf("a turn costs %d commands, want at most %d: %v", alone, turnCommands, counts)
	}
	others := srv.Do(t, "EVAL", `for i = 1, 100000 do redis.call('SET', 'other:' .. i, i) end return redis.call('DBSIZE')`, "0")
	if n, err := others.AsInt64(); err != nil || n < 100_000 {
		t.Fatalf("other keys: got %d, %v", n, err)
	}
	n, counts := turnCost(t, srv, m.Thread(s, newThread()))
	if n != alone {
		t.Errorf("among 100,000 other keys a turn costs %d commands, and alone %d: %v", n, alone, counts)
	}
	t.Logf("a turn costs %d commands, those within scripts included: %v", n, counts)
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

package app_test

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/embedded"
)

// Redis goes and comes back empty, and goes again together with the process, in
// the middle of twelve checks: nobody notices.
func TestHealthChecksWithoutRedis(t *testing.T) {
	t.Parallel()
	c := newClinic(t, clinicOptions{})
	cat, client := newCatalogue(c.packs), callers(t)
	var people []*patient
	for i := range 12 {
		p := c.newPatient(t, cat, client, killSeed+2, i)
		p.breaks = false
		people = append(people, p)
	}
	over := playAll(t, people, len(people))
	for _, act := range []func(){
		c.redis.Kill,
		func() { c.redis.Start(t) },
		c.redis.Stop,
		c.restart, // without Redis, from PostgreSQL
		func() { c.redis.Start(t) },
		c.restart,
	} {
		c.awaitTurns(over, 24)
		act()
	}
	<-over
	c.awaitAftermath(people)
	for _, p := range people {
		p.check()
		if p.calm > 0 {
			t.Errorf("person %d was asked to say it again %d times", p.n, p.calm)
		}
	}
}

// awaitTurns waits until so many more turns have begun, or all is over.
func (c *clinic) awaitTurns(over <-chan struct{}, n int64) {
	for target := c.turns.Load() + n; c.turns.Load() < target; {
		select {
		case <-c.begun:
		case <-over:
			c.t.Error("the checks were over before all had happened to them")
			return
		}
	}
}

// A call over the telephone goes on while Redis, then PostgreSQL is stopped and
// started, and when the process is killed it is picked up at the open question. It
// ends when the check's own goodbye was heard.
func TestHealthCheckOnTheLineWithoutStores(t *testing.T) {
	t.Parallel()
	needsProcess(t)
	cluster := newOwnCluster(t)
	c := newClinic(t, clinicOptions{redis: redistest.New(t), database: cluster.url, audio: true})
	p := c.newPatient(t, newCatalogue(c.packs), callers(t), killSeed+3, 8)
	ada := c.phone(p)
	ada.hears(t, "Am I speaking with Margaret?")
	ada.says(t, "Yes, this is Margaret.")
	said := ada.hears(t, "moment?")
	acts := map[int]func(){
		1: c.redis.Stop,
		2: func() { c.redis.Start(t) },
		3: func() { cluster.stop(t) },
		4: func() { cluster.start(t) },
		5: func() {
			c.restart()
			said = ada.hears(t, "the line broke")
		},
		6: func() {
			c.redis.Kill()
			c.redis.Start(t)
		},
	}
	for words := "Yes, go ahead."; ; {
		if act := acts[len(p.asked)]; act != nil {
			delete(acts, len(p.asked))
			act()
			if strings.Contains(said, "the line broke") {
				words, p.sent = "That's all right, go on.", nil // the question was heard, and is not answered yet
			}
		}
		said = ada.replies(t, words, p.cat)
		for _, id := range p.sent {
			p.settled[id] = true
		}
		if partsWell(said) {
			break
		}
		words, p.sent, _ = p.respond(heard{text: said}, words)
	}
	ada.waitsForEnd(t)
	if end := c.ended(p.calls[0].call.ID.String()); end.EndedCause != "goodbye" || end.EndedBy != "naiber" {
		t.Errorf("the call ended by %s of %s, want naiber's goodbye", end.EndedCause, end.EndedBy)
	}
	if len(acts) > 0 {
		t.Errorf("the call was over before all had happened to it; asked: %v", p.asked)
	}
	c.awaitAftermath([]*patient{p})
	p.check()
}

// phone has a person phoned and answers.
func (c *clinic) phone(p *patient) *elder {
	c.t.Helper()
	var out struct{ CallID string }
	code, text := c.request(http.MethodPost, "/call", object{"userId": p.person.ID.String(), "callType": "health_check"}, &out)
	if code != http.StatusAccepted {
		c.t.Fatalf("POST /call: %d %s", code, text)
	}
	id, err := store.ParseCallID(out.CallID)
	if err != nil {
		c.t.Fatal(err)
	}
	p.calls = []*line{{c: c, t: c.t, call: calls.Call{ID: id}}}
	return c.answer()
}

// replies says something, by voice or keys, and returns what is asked then.
func (e *elder) replies(t *testing.T, words string, cat *catalogue) string {
	t.Helper()
	if keys, ok := strings.CutPrefix(words, "[keypad: "); ok {
		if err := e.set.Press(strings.TrimSuffix(keys, "]")); err != nil {
			t.Fatal(err)
		}
	} else {
		e.says(t, words)
	}
	for said := ""; ; {
		said += " " + e.listens(t)
		if _, ok := cat.asked(said); ok || partsWell(said) {
			return said
		}
	}
}

// partsWell reports whether the last words were a check's closing to their end.
func partsWell(said string) bool {
	return strings.HasSuffix(strings.ToLower(strings.TrimSpace(said)), "goodbye.")
}

// ownCluster is a PostgreSQL that the test stops and starts.
type ownCluster struct {
	cfg     embedded.Config
	cluster *embedded.Cluster
	url     string
}

func newOwnCluster(t *testing.T) *ownCluster {
	t.Helper()
	o := &ownCluster{cfg: embedded.Config{Dir: filepath.Join(dataDir(t), "own"), Port: freePort(t), Fast: true}}
	o.start(t)
	o.url = o.cluster.URL()
	t.Cleanup(func() { o.stop(t) })
	return o
}

func (o *ownCluster) start(t *testing.T) {
	t.Helper()
	var err error
	if o.cluster, err = embedded.Start(context.Background(), o.cfg); err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	if o.url != "" && o.url != o.cluster.URL() {
		t.Fatal("PostgreSQL came back elsewhere")
	}
}

func (o *ownCluster) stop(t *testing.T) {
	t.Helper()
	if o.cluster == nil {
		return
	}
	if err := o.cluster.Stop(context.Background()); err != nil {
		t.Errorf("stop PostgreSQL: %v", err)
	}
	o.cluster = nil
}

// A turn costs Redis a GET and one script, which runs a GET and a SET: four commands,
// those within the script included, and none of them a search, however much else is in
// Redis. Only the first turn after an earlier call may cost one GET more.
func TestHealthCheckCommandsToRedis(t *testing.T) {
	t.Parallel()
	const most, others = 4, 100_000
	c := newClinic(t, clinicOptions{})
	cat, client := newCatalogue(c.packs), callers(t)
	c.redis.Do(t, "EVAL", "for i = 1, tonumber(ARGV[1]) do redis.call('SET', 'other:' .. i, i) end", "0", strconv.Itoa(others))
	first := c.newPatient(t, cat, client, killSeed+4, 0) // Redis comes to know the scripts
	if err := first.play(); err != nil {
		t.Fatal(err)
	}
	c.awaitAftermath([]*patient{first})
	p := c.newPatient(t, cat, client, killSeed+4, 8)
	turns := 0
	p.atTurn = func() {
		turns++
		counts, total := c.redis.Commands(t), 0
		for name, n := range counts {
			if slices.Contains([]string{"keys", "scan", "sscan", "hscan", "zscan", "randomkey"}, name) {
				t.Errorf("%d × %s: Redis was searched", n, name)
			}
			// The test's own commands, a client that asks now and then whether Redis is there,
			// and the sweep of threads that were deleted.
			if !slices.Contains([]string{"config|resetstat", "info", "hello", "client|setname", "client|setinfo", "ping", "del"}, name) {
				total += n
			}
		}
		if total < 1 || total > most {
			t.Errorf("turn %d cost %d commands, want at most %d: %v", turns, total, most, counts)
		}
		c.redis.Do(t, "CONFIG", "RESETSTAT")
	}
	c.redis.Do(t, "CONFIG", "RESETSTAT")
	if err := p.play(); err != nil {
		t.Fatal(err)
	}
	if turns == 0 {
		t.Error("there was no turn")
	}
	c.awaitAftermath([]*patient{p})
	p.check()
	size := c.redis.Do(t, "DBSIZE")
	if n, err := size.AsInt64(); err != nil || n != others {
		t.Errorf("%d keys in Redis, %v, want the %d others", n, err, others)
	}
}

package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/store/checks"
)

const killSeed = 20261121

// atOnce is how many checks are held at a time.
func atOnce() int {
	if raceDetector {
		return 10
	}
	return 24
}

// howMany says how many checks are held, and how often the process dies; fewer
// with the race detector, which makes a start of the process ten times as long.
func howMany() (checks, kills int) {
	if raceDetector {
		return 50, 8
	}
	return 200, 32
}

// Two hundred checks are held while the process is killed again and again, at
// moments that nobody chose: what is on record in the end is what was said, each
// answer once, and nothing was asked again that had been answered. A question
// counts as answered once the reply to the answer was heard: a person who was cut
// off before that cannot know, and may be asked once more.
//
// For a third of the people the model is down. Some ask back, mumble, refuse,
// answer several questions at once, take answers back, press keys, stop, hang up,
// or are cut off by the crash and call again; some of their turns come twice at a
// time, or again with more words.
func TestHealthChecksSurviveKills(t *testing.T) {
	t.Parallel()
	c := newClinic(t, clinicOptions{})
	cat, client := newCatalogue(c.packs), callers(t)
	checks, times := howMany()
	people := make([]*patient, checks)
	for i := range people {
		people[i] = c.newPatient(t, cat, client, killSeed, i)
	}
	began := time.Now()
	over := playAll(t, people, atOnce())
	kills := c.killNowAndThen(over, checks, times)
	<-over
	played := time.Since(began)
	c.awaitAftermath(people)
	for _, p := range people {
		p.check()
	}
	if !t.Failed() && kills < times*3/4 {
		t.Errorf("the process was killed %d times, want about %d", kills, times)
	}
	hit, cut := c.cuts()
	if cut < kills || hit < checks/5 {
		t.Errorf("%d kills hit %d turns in %d calls, want one turn a kill and a fifth of %d checks at least", kills, cut, hit, checks)
	}
	if c.model.failed.Load() == 0 || c.model.asked.Load() == c.model.failed.Load() {
		t.Errorf("of %d requests the model failed %d, want some of each", c.model.asked.Load(), c.model.failed.Load())
	}
	calls, asked := 0, 0
	for _, p := range people {
		calls, asked = calls+len(p.calls), asked+len(p.asked)
	}
	t.Logf("%d checks in %d calls: %d questions put, %d requests for a turn, %d kills that hit %d turns in %d calls; %v, and %v until all was on record",
		len(people), calls, asked, c.turns.Load(), kills, cut, hit, played.Round(time.Second), time.Since(began).Round(time.Second))
}

// playAll holds the checks of all, some at a time, and returns what is closed when
// they are over.
func playAll(t *testing.T, people []*patient, atOnce int) <-chan struct{} {
	t.Helper()
	over := make(chan struct{})
	next := make(chan *patient)
	var all sync.WaitGroup
	for range min(atOnce, len(people)) {
		all.Go(func() {
			for p := range next {
				if err := p.play(); err != nil {
					t.Errorf("person %d: %v", p.n, err)
				}
			}
		})
	}
	go func() {
		defer close(over)
		for _, p := range people {
			next <- p
		}
		close(next)
		all.Wait()
	}()
	t.Cleanup(func() { <-over })
	return over
}

// killNowAndThen kills the process after a random number of turns, soon after one
// has begun, and starts it again, until the checks are over.
func (c *clinic) killNowAndThen(over <-chan struct{}, checks, times int) int {
	c.t.Helper()
	r := rand.New(rand.NewPCG(killSeed, 1))
	const turnsOfCheck = 15
	gap := checks * turnsOfCheck / times
	for n := range times {
		target := c.turns.Load() + int64(gap/2+r.IntN(gap))
		for c.turns.Load() < target {
			select {
			case <-c.begun: // so a turn is under way
			case <-over:
				return n
			}
		}
		select {
		case <-time.After(time.Duration(r.IntN(15_000)) * time.Microsecond):
		case <-over:
			return n
		}
		c.restart()
	}
	return times
}

// awaitAftermath waits until the work that follows all calls is done.
func (c *clinic) awaitAftermath(people []*patient) {
	c.t.Helper()
	var ids []string
	for _, p := range people {
		for _, l := range p.calls {
			ids = append(ids, l.call.ID.String())
		}
	}
	limit := time.After(linePatience)
	for began := time.Now(); ; {
		c.hurry()
		if time.Since(began) > 8*time.Second {
			c.rescue()
		}
		var done int
		err := c.db.Pool().QueryRow(context.Background(),
			`select count(*) from river_job where kind = 'post_call' and state = 'completed' and args->>'callId' = any($1)`, ids).Scan(&done)
		if err != nil {
			c.t.Fatal(err)
		}
		if done >= len(ids) {
			break
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-limit:
			var left string
			err := c.db.Pool().QueryRow(context.Background(), `select string_agg(concat_ws(' ', state, attempt, attempted_at, scheduled_at, errors[cardinality(errors)]), E'\n')
				from river_job where kind = 'post_call' and state <> 'completed' and args->>'callId' = any($1)`, ids).Scan(&left)
			c.t.Fatalf("work after %d of %d calls is done; left: %s %v", done, len(ids), left, err)
		}
	}
	var threads int
	if err := c.db.Pool().QueryRow(context.Background(), `select count(data) from checkpoint_threads`).Scan(&threads); err != nil || threads != 0 {
		c.t.Errorf("%d threads are left in the database, %v", threads, err)
	}
	left := c.redis.Do(c.t, "KEYS", "health_check:*")
	keys, err := left.AsStrSlice()
	if err != nil {
		c.t.Fatal(err)
	}
	// Where Redis did not answer in time, its copy counts no more and goes with the next sweep.
	var deleted int
	if err := c.db.Pool().QueryRow(context.Background(), `select count(*) from checkpoint_threads where data is null and thread = any($1)`, keys).Scan(&deleted); err != nil || deleted != len(keys) {
		c.t.Errorf("threads are left in Redis, %d of them deleted: %q, %v", deleted, keys, err)
	}
}

// check compares what is on record of a person with what they said.
func (p *patient) check() {
	p.t.Helper()
	list, err := p.c.db.HealthChecks(context.Background(), p.person.ID, checks.Query{Limit: 20})
	if err != nil || len(list) == 0 || len(list) > len(p.calls) {
		p.t.Errorf("person %d: %d checks are on record of %d calls, %v", p.n, len(list), len(p.calls), err)
		return
	}
	want := map[string]checks.Status{endsWell: checks.Completed, endsStop: checks.Stopped, endsHangUp: checks.InProgress}[p.ending]
	last := list[0]
	if last.CallID != p.calls[len(p.calls)-1].call.ID || last.Status != want {
		p.t.Errorf("person %d: the last check is %s of call %s, want %s", p.n, last.Status, last.CallID, want)
	}
	found := p.compare(last, false)
	for id := range p.settled {
		if id != "correction" && !found[id] {
			p.t.Errorf("person %d: the answer to %s is lost", p.n, id)
		}
	}
	for _, old := range list[1:] {
		p.compare(old, true)
	}
	p.checkHistory(len(found))
}

// compare holds each answer of a check against what was said, and returns those
// that are there.
func (p *patient) compare(hc checks.Check, broken bool) map[string]bool {
	p.t.Helper()
	found, seen := map[string]bool{}, map[string]bool{}
	for _, a := range hc.Answers {
		if seen[a.QuestionID] {
			p.t.Errorf("person %d: %s is on record twice", p.n, a.QuestionID)
		}
		seen[a.QuestionID] = true
		if a.Status == "not_reached" || a.Status == "unclear" {
			if slices.Contains(p.asked, a.QuestionID) && p.settled[a.QuestionID] && !broken {
				p.t.Errorf("person %d: %s is %s, and was answered", p.n, a.QuestionID, a.Status)
			}
			continue
		}
		found[a.QuestionID] = true
		said, ok := p.truth[a.QuestionID]
		before, changed := p.earlier[a.QuestionID]
		switch {
		case !ok:
			p.t.Errorf("person %d: %s is on record as %s %s, and was never answered", p.n, a.QuestionID, a.Status, a.Value)
		case sameAnswer(a, said), broken && changed && sameAnswer(a, before):
		default:
			p.t.Errorf("person %d: %s is on record as %s %s on %q, want %s %s", p.n, a.QuestionID, a.Status, a.Value, a.Quote, said.status, said.value)
		}
		if !broken && changed != (len(a.Earlier) > 0) {
			p.t.Errorf("person %d: of %s there are %d earlier readings, want one: %v", p.n, a.QuestionID, len(a.Earlier), changed)
		}
	}
	return found
}

func sameAnswer(a checks.Answer, said reply) bool {
	return a.Status == said.status && (said.value == "" && len(a.Value) == 0 || bytes.Equal(compact(a.Value), []byte(said.value)))
}

func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// checkHistory sees to it that each answer is one point in the course of time.
func (p *patient) checkHistory(most int) {
	p.t.Helper()
	points, err := p.c.db.HealthHistory(context.Background(), p.person.ID, time.Now().Add(-24*time.Hour))
	if err != nil {
		p.t.Error(err)
		return
	}
	var ids []string
	for _, pt := range points {
		ids = append(ids, pt.QuestionID)
	}
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != len(ids) || len(ids) > most {
		p.t.Errorf("person %d: the history has %s", p.n, strings.Join(ids, " "))
	}
}

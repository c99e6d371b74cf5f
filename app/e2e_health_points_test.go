package app_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/storetest"
)

// point is one moment at which the process is killed: right before a store hears
// of a write, or right after it was done and before the process hears that.
type point struct {
	boundary
	redis bool
}

// duringCall are the writes of a call that is under way, and of its end.
func duringCall() []point {
	var list []point
	add := func(redis bool, command string, skips ...int) {
		for _, skip := range skips {
			for _, done := range []bool{false, true} {
				list = append(list, point{boundary: boundary{command: command, skip: skip, done: done}, redis: redis})
			}
		}
	}
	add(true, "put", 1, 8)      // the first one may be tried twice: Redis does not know the script yet
	add(false, "TurnInsert", 3) // what was heard
	add(false, "TurnFinish", 6) // what was answered
	add(false, "CheckpointPut", 0, 5)
	add(false, "CallFinish", 0) // its end, with what is to follow
	add(false, "commit CallFinish", 0)
	return list
}

// afterCall are the writes of the work that follows a call.
func afterCall() []point {
	var list []point
	add := func(redis bool, command string, skip int, done ...bool) {
		for _, d := range done {
			list = append(list, point{boundary: boundary{command: command, skip: skip, done: d}, redis: redis})
		}
	}
	add(false, "HealthCheckUpsert", 0, false)
	add(false, "HealthAnswerInsert", 5, true)
	add(false, "commit PersonForgottenUntil", 0, false, true) // a check is written in the transaction that begins so
	add(false, "CheckpointsDelete", 0, false, true)
	add(true, "DEL", 0, false, true)
	add(false, "JobSetStateIfRunningMany", 0, false, true)
	add(false, "HealthScoreInsert", 0, false)
	for _, done := range []bool{false, true} { // between the check's tables and the end of its thread
		list = append(list, point{boundary: boundary{command: "CallEventInsert", after: "commit PersonForgottenUntil", done: done}})
	}
	return list
}

// The process is killed once at each boundary of a write, and started again: what
// is on record in the end is what was said, as if nothing had happened.
func TestHealthCheckKilledAtEachWrite(t *testing.T) {
	t.Parallel()
	e := newEdged(t)
	cat, client := newCatalogue(e.packs), callers(t)
	var people []*patient
	var playing []<-chan struct{}
	began := time.Now()
	for i, pt := range slices.Concat(duringCall(), afterCall()) {
		p := e.newPatient(t, cat, client, killSeed+1, i)
		p.ending, p.breaks = endsWell, false
		people = append(people, p)
		struck := e.await(pt)
		over := playAll(t, []*patient{p}, 1)
		playing = append(playing, over)
		if !e.struck(struck, over) {
			t.Fatalf("the process never came to %s of %s (skipping %d)", side(pt.done), pt.command, pt.skip)
		}
		e.reclaim()
		e.start()
		<-over
	}
	for _, over := range playing {
		<-over
	}
	e.awaitAftermath(people)
	for _, p := range people {
		p.check()
	}
	t.Logf("%d kills at %d boundaries in %v", len(e.lives)-1, len(people), time.Since(began).Round(time.Second))
}

func side(done bool) string {
	if done {
		return "the end"
	}
	return "the beginning"
}

// edged is a clinic with an edge before each of its stores.
type edged struct {
	*clinic
	toRedis, toPostgres *edge
}

func newEdged(t *testing.T) *edged {
	t.Helper()
	redis, database := redistest.New(t), storetest.URL(t)
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	e := new(edged)
	strike := func() { e.crash() }
	e.toRedis = newEdge(t, redis.Addr(), newRESP, strike)
	e.toPostgres = newEdge(t, u.Host, newPG, strike)
	u.Host = e.toPostgres.addr
	e.clinic = newClinic(t, clinicOptions{
		redis: redis, redisURL: fmt.Sprintf("redis://%s/0", e.toRedis.addr), database: database, process: u.String(),
	})
	return e
}

// await has the process killed at a point; what it returns is closed when it was.
func (e *edged) await(pt point) <-chan struct{} {
	if pt.redis {
		return e.toRedis.strikeAt(pt.boundary)
	}
	return e.toPostgres.strikeAt(pt.boundary)
}

// struck waits until the process was killed, and hurries the work after the call,
// in case that is where it will be.
func (e *edged) struck(struck, over <-chan struct{}) bool {
	limit := time.After(patience)
	for {
		select {
		case <-struck:
			return true
		case <-limit:
			return false
		case <-time.After(100 * time.Millisecond):
		}
		select {
		case <-over:
			e.hurry()
		default:
		}
	}
}

package orchestration

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

// keptGenerations is how many finished replies of a conversation can be replayed. Up to eight
// repeats of one turn were seen at once, and repeats are of the last turn or two.
const keptGenerations = 8

// abandonGrace is how long a generation continues without listeners: a client that repeats its
// request drops the old connection first.
const abandonGrace = 250 * time.Millisecond

// flightIdle is how long after its last request a conversation is forgotten. Calls end long before
// (the time limit of a call is minutes).
const flightIdle = time.Hour

// The reasons for stopping a generation.
var (
	errReplaced   = errors.New("the turn was asked again with other words")
	errSuperseded = errors.New("the conversation moved on")
	errAbandoned  = errors.New("nobody listens any more")
	errNoWord     = errors.New("no word came in time")
	errTooLong    = errors.New("the reply took too long")
)

// flightKey identifies a conversation: after a reconnect the history starts from the beginning.
type flightKey struct {
	call         store.CallID
	conversation string
}

// flight holds the turns of one conversation.
type flight struct {
	mu sync.Mutex // guards all below
	// gens holds the generations that run, and the last ones that ended, oldest first.
	gens []*generation
	// top is the highest place requested so far.
	top int
	// covered is the place of the last turn whose dead air was covered.
	covered  int
	fillers  int // how many were said, which selects the next one
	lastUsed time.Time
}

// generation is one reply, running or finished.
type generation struct {
	turn    *Turn
	sum     uint64
	speech  *Speech
	reply   reply // without usage, which each client sets
	persona string
	log     *slog.Logger
	stop    context.CancelCauseFunc
	// after holds the generations that must have ended before this one begins.
	after []*generation
	// done is closed when the persona has returned and result is set.
	done   chan struct{}
	result calls.TurnResult

	mu        sync.Mutex // guards all below
	listeners int
	joined    int
	stopped   bool // it was cancelled and can no longer be joined
	why       error
	finished  bool
	grace     *time.Timer
}

// attach counts a listener, unless the generation was stopped. It reports whether it was counted.
func (g *generation) attach(again bool) (ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return false
	}
	if g.grace != nil {
		g.grace.Stop()
		g.grace = nil
	}
	g.listeners++
	if again {
		g.joined++
	}
	return true
}

// detach removes a listener from the count. If it was the last one of a running generation, that is
// stopped after abandonGrace.
func (g *generation) detach() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.listeners--
	if g.listeners == 0 && !g.finished && !g.stopped {
		g.grace = time.AfterFunc(abandonGrace, g.abandon)
	}
}

func (g *generation) abandon() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listeners == 0 && !g.finished && !g.stopped {
		g.cancel(errAbandoned)
	}
}

// halt stops the generation for the given reason, unless it was stopped or has finished.
func (g *generation) halt(cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.finished && !g.stopped {
		g.cancel(cause)
	}
}

// cancel stops the generation for the given reason. The caller must hold g.mu.
func (g *generation) cancel(cause error) {
	g.stopped, g.why = true, cause
	g.speech.close()
	g.stop(cause)
}

// running reports whether the generation has not ended.
func (g *generation) running() bool {
	select {
	case <-g.done:
		return false
	default:
		return true
	}
}

// join returns the generation that answers t, or halts those that t replaces or supersedes, and
// calls build for a new one. It reports whether an existing one was joined.
func (f *flight) join(t *Turn, sum uint64, build func() *generation) (g *generation, joined bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lastUsed = t.At
	for _, old := range slices.Backward(f.gens) {
		if old.turn.Place == t.Place && old.sum == sum && old.attach(true) {
			return old, true
		}
	}
	t.Late = t.Place < f.top
	f.top = max(f.top, t.Place)
	var after []*generation
	for _, old := range f.gens {
		switch {
		case old.turn.Place == t.Place:
			t.Replaces = true
			t.Attempt = max(t.Attempt, old.turn.Attempt+1)
			old.halt(errReplaced)
		case !t.Late && old.turn.Place < t.Place:
			old.halt(errSuperseded)
		default:
			continue
		}
		if old.running() {
			after = append(after, old)
		}
	}
	t.Interrupted = f.interrupted(t)
	g = build()
	g.sum, g.after = sum, after
	g.attach(false)
	f.keep(g)
	return g, false
}

// keep adds g, and removes the oldest that have ended. The caller must hold f.mu.
func (f *flight) keep(g *generation) {
	f.gens = append(f.gens, g)
	ended := 0
	for i, v := range slices.Backward(f.gens) {
		if v.running() {
			continue
		}
		if ended++; ended > keptGenerations {
			f.gens = append(f.gens[:i], f.gens[i+1:]...)
		}
	}
}

// interrupted reports whether the last words in t's history are fewer than were said. The caller
// must hold f.mu.
func (f *flight) interrupted(t *Turn) bool {
	heard := t.LastSaid()
	if heard == "" {
		return false
	}
	return slices.ContainsFunc(f.gens, func(g *generation) bool {
		return g.turn.Place < t.Place && cutShort(g.speech.Text(), heard)
	})
}

// cover returns the filler for the dead air of t, and whether it may be covered.
func (f *flight) cover(t *Turn, fillers []string) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	// The turn before this one is two messages back, or fewer if the person spoke twice.
	if f.fillers > 0 && t.Place-f.covered <= 2 {
		return "", false
	}
	f.covered = t.Place
	f.fillers++
	return fillers[(f.fillers-1)%len(fillers)], true
}

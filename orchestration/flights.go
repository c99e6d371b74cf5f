package orchestration

import (
	"slices"
	"sync"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

// flights holds the conversations under way.
type flights struct {
	mu    sync.Mutex // guards all below
	all   map[flightKey]*flight
	swept time.Time
}

// sweepEvery is the least time between two removals of idle conversations.
const sweepEvery = 5 * time.Minute

// of returns the flight of a conversation, creating it if there is none.
func (fs *flights) of(line calls.Line, now time.Time) *flight {
	key := flightKey{line.Call.ID, line.ConversationID}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if now.Sub(fs.swept) > sweepEvery {
		fs.sweep(now)
	}
	f := fs.all[key]
	if f == nil {
		f = fs.unnamed(key.call)
		if f == nil {
			f = &flight{lastUsed: now}
		}
		fs.all[key] = f
	}
	return f
}

// unnamed removes and returns the flight of turns that came before their conversation's id was
// known, or nil: they belong to the first conversation that is named. The caller must hold fs.mu.
func (fs *flights) unnamed(call store.CallID) *flight {
	key := flightKey{call: call}
	f := fs.all[key]
	delete(fs.all, key)
	return f
}

// sweep removes conversations without a request for flightIdle. The caller must hold fs.mu.
func (fs *flights) sweep(now time.Time) {
	fs.swept = now
	for key, f := range fs.all {
		f.mu.Lock()
		idle := now.Sub(f.lastUsed) > flightIdle
		f.mu.Unlock()
		if idle {
			delete(fs.all, key)
		}
	}
}

// halt stops everything that runs for a call, or for all calls if id is nil, and removes their
// conversations.
func (fs *flights) halt(id *store.CallID) {
	fs.mu.Lock()
	var gone []*flight
	for key, f := range fs.all {
		if id == nil || key.call == *id {
			gone = append(gone, f)
			delete(fs.all, key)
		}
	}
	fs.mu.Unlock()
	for _, f := range gone {
		f.mu.Lock()
		gens := slices.Clone(f.gens)
		f.mu.Unlock()
		for _, g := range gens {
			g.halt(errAbandoned)
		}
	}
}

// Package profile recalls what is on record about people, without a search.
package profile

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/survive"
)

// Source provides the data of profiles. [store.Store] implements it.
type Source interface {
	Contacts(ctx context.Context, id store.PersonID) ([]people.Contact, error)
	LastSummaries(ctx context.Context, id store.PersonID, limit int) ([]memories.Summary, error)
	Topics(ctx context.Context, id store.PersonID, limit int) ([]memories.Topic, error)
}

// Consents provides what a person allows. [store.Store] implements it.
type Consents interface {
	ConsentScopes(ctx context.Context, id store.PersonID) (map[people.Scope]bool, error)
}

// Defaults for zero fields of a [Config].
const (
	DefaultKeep   = 2 * time.Minute
	DefaultPeople = 512
)

const (
	// loadDeadline limits one load. A load continues after its caller gives up, so the next
	// caller finds it done.
	loadDeadline = 3 * time.Second

	lastSummaries   = 3
	lastTopics      = 8
	recallLimit     = 5
	recollectLimit  = 12
	latestMentioned = 2 // how many facts Recall adds that share no word with the query
)

// Config configures a [Profile]. Source, Consents and Log are required.
type Config struct {
	Source   Source
	Consents Consents
	// Keep is how long a profile is cached; a consent withdrawn elsewhere takes effect then
	// at the latest. Default [DefaultKeep].
	Keep time.Duration
	// People is the maximum number of cached profiles. Default [DefaultPeople].
	People int
	// Log receives panics of loads; required.
	Log *slog.Logger
}

// Profile recalls what is on record about people. It may be used concurrently.
type Profile struct {
	cfg   Config
	loads sync.WaitGroup

	mu      sync.Mutex // guards all fields below
	entries map[store.PersonID]*entry
	closed  bool
}

// entry is one person's profile, loaded or being loaded.
type entry struct {
	ready   chan struct{} // closed when facts and err are set
	facts   []fact
	err     error
	version time.Time // UpdatedAt of the person's record that was used
	until   time.Time
	used    time.Time
}

// New returns a Profile. It loads nothing yet.
func New(cfg Config) *Profile {
	if cfg.Keep == 0 {
		cfg.Keep = DefaultKeep
	}
	if cfg.People == 0 {
		cfg.People = DefaultPeople
	}
	return &Profile{cfg: cfg, entries: make(map[store.PersonID]*entry)}
}

// Recall returns the facts about p that match the query, best first. It returns nothing,
// and no error, for an unknown person or without consent.
func (m *Profile) Recall(ctx context.Context, p people.Person, query string) ([]string, error) {
	facts, err := m.facts(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("recall %s: %w", p.ID, err)
	}
	return rank(facts, query, recallLimit, latestMentioned), nil
}

// Recollect returns what the opening of a call may use about p, best first.
func (m *Profile) Recollect(ctx context.Context, p people.Person) ([]string, error) {
	facts, err := m.facts(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("recollect %s: %w", p.ID, err)
	}
	return rank(facts, "", recollectLimit, recollectLimit), nil
}

// Invalidate drops the cached profile of a person, or all of them for the zero id. Call it
// when something was learned or forgotten, or a consent has changed.
func (m *Profile) Invalidate(id store.PersonID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !id.Known() {
		clear(m.entries)
		return
	}
	delete(m.entries, id)
}

// Close waits for running loads. Later calls return nothing.
func (m *Profile) Close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.loads.Wait()
}

func (m *Profile) facts(ctx context.Context, p people.Person) ([]fact, error) {
	if !p.ID.Known() {
		return nil, nil
	}
	e := m.entry(ctx, p)
	if e == nil {
		return nil, nil
	}
	select {
	case <-e.ready:
		return e.facts, e.err
	default:
	}
	select {
	case <-e.ready:
		return e.facts, e.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// entry returns the cached profile, or starts a load that concurrent callers share. It
// returns nil once the Profile is closed.
func (m *Profile) entry(ctx context.Context, p people.Person) *entry {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.entries[p.ID]; e != nil && now.Before(e.until) && e.version.Equal(p.UpdatedAt) {
		e.used = now
		return e
	}
	if m.closed {
		return nil
	}
	m.evict()
	e := &entry{ready: make(chan struct{}), version: p.UpdatedAt, until: now.Add(m.cfg.Keep), used: now}
	m.entries[p.ID] = e
	ctx = context.WithoutCancel(ctx)
	m.loads.Go(func() { m.load(ctx, p, e) })
	return e
}

// evict makes room for one more profile. The caller must hold mu.
func (m *Profile) evict() {
	if len(m.entries) < m.cfg.People {
		return
	}
	var oldest store.PersonID
	var when time.Time
	for id, e := range m.entries {
		if when.IsZero() || e.used.Before(when) {
			oldest, when = id, e.used
		}
	}
	delete(m.entries, oldest)
}

func (m *Profile) load(ctx context.Context, p people.Person, e *entry) {
	ctx, cancel := context.WithTimeout(ctx, loadDeadline)
	defer cancel()
	e.err = survive.Try(m.cfg.Log, "profile", func() (err error) {
		e.facts, err = m.read(ctx, p)
		return err
	})
	close(e.ready)
	if e.err == nil {
		return
	}
	m.mu.Lock() // failures are not cached
	defer m.mu.Unlock()
	if m.entries[p.ID] == e {
		delete(m.entries, p.ID)
	}
}

func (m *Profile) read(ctx context.Context, p people.Person) ([]fact, error) {
	scopes, err := m.cfg.Consents.ConsentScopes(ctx, p.ID)
	if err != nil || !scopes[people.ScopeMemory] {
		return nil, err
	}
	contacts, err := m.cfg.Source.Contacts(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	summaries, err := m.cfg.Source.LastSummaries(ctx, p.ID, lastSummaries)
	if err != nil {
		return nil, err
	}
	topics, err := m.cfg.Source.Topics(ctx, p.ID, lastTopics)
	if err != nil {
		return nil, err
	}
	return facts(p, contacts, summaries, topics, time.Now()), nil
}

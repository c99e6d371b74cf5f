// Package profile recalls what is on record about people, without any search.
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

// Source is where a profile comes from; [store.Store] is one.
type Source interface {
	Contacts(ctx context.Context, id store.PersonID) ([]people.Contact, error)
	LastSummaries(ctx context.Context, id store.PersonID, limit int) ([]memories.Summary, error)
	Topics(ctx context.Context, id store.PersonID, limit int) ([]memories.Topic, error)
}

// Consents says what a person allows; [store.Store] does.
type Consents interface {
	ConsentScopes(ctx context.Context, id store.PersonID) (map[people.Scope]bool, error)
}

// What a zero [Config] field means.
const (
	DefaultKeep   = 2 * time.Minute
	DefaultPeople = 512
)

const (
	// loadDeadline bounds one load; it goes on when its caller gives up, so that
	// the next caller finds it done.
	loadDeadline = 3 * time.Second

	lastSummaries   = 3
	lastTopics      = 8
	recallLimit     = 5
	recollectLimit  = 12
	latestMentioned = 2 // how many facts Recall gives that no word of the query meets
)

// Config is what a [Profile] works with. Source and Consents are required.
type Config struct {
	Source   Source
	Consents Consents
	// Keep is how long a profile is used before it is read again; a consent that
	// is taken back elsewhere holds at the latest then. Default [DefaultKeep].
	Keep time.Duration
	// People is how many profiles are kept. Default [DefaultPeople].
	People int
	// Log is where a load that panics is told of; required.
	Log *slog.Logger
}

// Profile recalls what is on record about people. It may be used concurrently.
type Profile struct {
	cfg   Config
	loads sync.WaitGroup

	mu      sync.Mutex // guards all below
	entries map[store.PersonID]*entry
	closed  bool
}

// entry is one person's profile, loaded or being loaded.
type entry struct {
	ready   chan struct{} // closed when facts and err are set
	facts   []fact
	err     error
	version time.Time // the person's record that it was made from
	until   time.Time
	used    time.Time
}

// New makes a Profile; it reads nothing yet.
func New(cfg Config) *Profile {
	if cfg.Keep == 0 {
		cfg.Keep = DefaultKeep
	}
	if cfg.People == 0 {
		cfg.People = DefaultPeople
	}
	return &Profile{cfg: cfg, entries: make(map[store.PersonID]*entry)}
}

// Recall returns what is known about p that fits the query, best first. It
// returns nothing, and no error, for somebody unknown or without consent.
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

// Invalidate forgets the copy kept of a person's profile, or with the zero id all
// copies: something was learnt or forgotten, or a consent has changed.
func (m *Profile) Invalidate(id store.PersonID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !id.Known() {
		clear(m.entries)
		return
	}
	delete(m.entries, id)
}

// Close waits for loads that run; later calls know nothing.
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

// entry returns the kept profile, or starts the one load that all who ask
// meanwhile wait for. It returns nil once the Profile is closed.
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

// evict makes room for one more. The caller holds mu.
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
	m.mu.Lock() // a failure is not kept
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

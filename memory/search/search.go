// Package search finds what was said again: by the words of a question, by its
// meaning and by the days that it names.
package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/days"
	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/index"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// Config is what a [Searcher] works with; all of it is required.
type Config struct {
	Store    *store.Store
	Index    *index.Index
	Settings Settings
	// VectorWait is how long a search waits for vectors before it does without them.
	VectorWait time.Duration
	Log        *slog.Logger
	Metrics    *memory.Metrics
}

// Searcher finds turns. It may be used concurrently.
type Searcher struct {
	cfg Config

	remembered struct {
		sync.Mutex // guards people

		people map[store.PersonID]bool // of whom there was something to recall
	}
	topics struct {
		sync.Mutex // guards vectors

		vectors map[string][]float32 // what the topics of limits mean
	}
}

// New makes a Searcher.
func New(cfg Config) *Searcher { return &Searcher{cfg: cfg} }

// Settings are those of queries that have none.
func (s *Searcher) Settings() Settings { return s.cfg.Settings }

// The lists that find windows.
const (
	ListKeyword = "keyword"
	ListVector  = "vector"
	ListDate    = "date"
)

// Query is one question to the memory.
type Query struct {
	Scope memories.Scope
	Text  string
	// Vector is what Text means, where the caller has it already; nil: it is made.
	Vector []float32
	// Now is when it is asked, for "yesterday". Zero: now.
	Now time.Time
	// Limit is how many turns are wanted, BudgetTokens what they may fill. Zero:
	// as the settings say.
	Limit, BudgetTokens int
	// Exclude are turns that are not wanted: they are in front of the model anyway.
	Exclude []uuid.UUID
	// Graph asks for whom and what the question names, and what is one step away
	// from them. Entities is how many of those take part that the question may be
	// about by its meaning, at most.
	Graph    bool
	Entities int
	// Known are other texts that may be told: they come back in [Found.Known],
	// without those that speak of what may not come up.
	Known    []string
	Settings *Settings // nil: the service's
}

// Hit is one turn that a search found. Where the turns of a search fill more than
// its budget, the text of long ones is an excerpt; "…" stands where it was cut.
type Hit struct {
	memories.Turn
	// Source are the ids of the turns that it was found in the midst of, its own
	// the first.
	Source []uuid.UUID
	// Score is for comparing the hits of one search.
	Score float64
	// Lists say what found it. A turn that is there only because it asks what
	// the next one answers, or answers what the one before asked, has the lists of that.
	Lists []string
	// Block counts groups of turns that follow each other, best group first.
	Block int
	// Outdated is set where all that was learned from the turn has ended.
	Outdated *Outdated
}

// Found is the answer to a question.
type Found struct {
	// Hits stand in groups of turns that follow each other, the best group first,
	// and in a group in the order of speaking. A group in which something is true
	// now stands in front of one in which it took the place of something.
	Hits []Hit
	// Graph begins with no more than [MaxStarts] entities.
	Graph memories.Graph
	Known []string
	// Degraded names what did not take part: "keywords", "embedder", "vectors", "graph".
	Degraded []string
}

// Search finds the turns that fit a question. Words and meaning are looked for
// at the same time and fused; the days that the question names count in favour
// of what was said then. No model speaks on the way. Where the words cannot be looked
// for, the meaning does alone, and the other way round; where neither can, the graph
// and what is known come with the error.
//
// It takes four round trips to PostgreSQL at most: one for what a recall begins
// with, one each for the vectors and for the words, and one for what is told. It
// takes a single one where there is nothing to recall of a person, and asks that
// until there is something. Only where limits bar most of what is found it reads on,
// and where a copy of vectors is behind it is brought up to date first.
//
// It finds nothing, without an error, of a person who does not allow being
// remembered or whom nobody knows, and nothing that a limit forbids.
func (s *Searcher) Search(ctx context.Context, q Query) (Found, error) {
	begun := time.Now()
	if q.Scope.Empty() {
		return Found{}, fmt.Errorf("search memory: %w", memory.ErrEmptyScope)
	}
	if q.Now.IsZero() {
		q.Now = begun
	}
	set, err := s.settingsOf(&q)
	if err != nil {
		return Found{}, fmt.Errorf("search memory: %w", err)
	}
	q.Text = Question(q.Text)
	if q.Text == "" {
		return Found{}, nil
	}
	found, err := s.search(ctx, q, set)
	if err != nil {
		return found, fmt.Errorf("search memory of %v: %w", q.Scope.Owners(), err)
	}
	s.cfg.Metrics.Search.Observe(time.Since(begun).Seconds())
	return found, nil
}

// Around is [Searcher.Search] for the graph alone.
func (s *Searcher) Around(ctx context.Context, in memories.Scope, question string) (Found, error) {
	return s.search(ctx, Query{Scope: in, Text: Question(question), Now: time.Now(), Graph: true}, Settings{})
}

// maxQuestionRunes bounds a question: a long monologue still has its gist in it.
const maxQuestionRunes = 4000

// Question returns a text as it is searched for: clean, and not too long.
func Question(text string) string { return english.Shorten(memory.Clean(text), maxQuestionRunes) }

// settingsOf returns the settings of a query, and completes it by them.
func (s *Searcher) settingsOf(q *Query) (Settings, error) {
	set := s.cfg.Settings
	if q.Settings != nil {
		set = *q.Settings
	}
	if q.Limit != 0 {
		set.Limit = q.Limit
	}
	if q.BudgetTokens != 0 {
		set.Budget = q.BudgetTokens
	}
	return set, set.Validate()
}

func (s *Searcher) search(ctx context.Context, q Query, set Settings) (Found, error) {
	consented, blank, err := s.blank(ctx, q.Scope)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Found{}, nil
	case err != nil || !consented:
		return Found{}, err
	case blank:
		return Found{Known: q.Known}, nil
	}
	start, err := s.cfg.Store.StartRecall(ctx, ask(q, set))
	if errors.Is(err, store.ErrNotFound) {
		return Found{}, nil
	}
	if err != nil || !start.Frame.Consented {
		return Found{}, err
	}
	r := &recall{Searcher: s, Outset: start, q: q, set: set, counts: telling(strings.Fields(q.Text), start.Frame)}
	near := r.nearbySoon(ctx)
	if r.needsNearby() {
		near.wait()
	}
	if err := r.seek(ctx, near); err != nil {
		return Found{}, err
	}
	near.wait()
	ranked, failed := r.ranked(ctx, near)
	if err := r.tell(ctx, near, ranked); err != nil {
		return Found{}, err
	}
	return r.found, failed
}

// maxRemembered bounds the people of whom it is kept that there is something to
// recall of them; each costs a round trip when it is asked again.
const maxRemembered = 10_000

// blank reports whether a person consents to being remembered and nothing is there
// to be recalled. It is not asked again of whom something was there to recall:
// consent is, with all else.
func (s *Searcher) blank(ctx context.Context, in memories.Scope) (consented, blank bool, err error) {
	if in.Session != uuid.Nil || in.Project != uuid.Nil || !in.Person.Known() {
		return true, false, nil
	}
	s.remembered.Lock()
	known := s.remembered.people[in.Person]
	s.remembered.Unlock()
	if known {
		return true, false, nil
	}
	if consented, blank, err = s.cfg.Store.RecallBlank(ctx, in.Person); err != nil || blank {
		return consented, blank, err
	}
	s.remembered.Lock()
	defer s.remembered.Unlock()
	if s.remembered.people == nil || len(s.remembered.people) >= maxRemembered {
		s.remembered.people = map[store.PersonID]bool{}
	}
	s.remembered.people[in.Person] = true
	return consented, false, nil
}

// ask is a question as it is read first.
func ask(q Query, set Settings) memories.Ask {
	a := memories.Ask{Scope: q.Scope, Text: q.Text, At: q.Now}
	if set.KeywordWeight > 0 {
		a.Words = strings.Fields(q.Text)
		a.Callings, a.MaxNames = callings(q.Text), maxNames
	}
	if q.Graph {
		a.Aliases, a.MaxNamed = memory.Alias(q.Text), MaxStarts
	}
	return a
}

// recall is one search on its way.
type recall struct {
	*Searcher
	memories.Outset

	q     Query
	set   Settings
	found Found

	counts map[int]bool  // the places, from 1, of the words that tell something
	when   *english.Span // that the question names
	places memories.Places
}

// degrade counts what the answer does without, and names it there.
func (r *recall) degrade(ctx context.Context, reason string, err error) {
	r.cfg.Metrics.Degraded(ctx, reason, err)
	r.found.Degraded = append(r.found.Degraded, reason)
}

// byMeaning reports whether meaning takes part.
func (r *recall) byMeaning() bool { return r.cfg.Index.Enabled() && r.set.VectorWeight > 0 }

// needsNearby reports whether the next step asks about what lies close in meaning;
// else both are done at once.
func (r *recall) needsNearby() bool {
	if r.set.DateWeight > 0 {
		if p, ok := days.Period(r.Frame.Config, r.q.Text, r.q.Now.In(r.Frame.Location)); ok {
			r.when = &p
		}
	}
	return r.byMeaning() && (r.q.Entities > 0 || r.when != nil)
}

// seek looks for windows by words and by their time, and for the graph.
func (r *recall) seek(ctx context.Context, near *nearby) error {
	if r.TermsErr == nil && r.CalledErr != nil {
		r.cfg.Metrics.Degraded(ctx, "names", r.CalledErr)
	}
	seek := memories.Seek{Scope: r.q.Scope, Relations: maxNeighbours}
	r.words(&seek)
	if r.when != nil {
		seek.Since, seek.Until = r.when.From, r.when.To
		seek.Among = near.ids()
	}
	if r.q.Graph {
		seek.Entities = r.Named
		for _, id := range near.entities {
			if len(seek.Entities) < MaxStarts && !slices.Contains(seek.Entities, id) {
				seek.Entities = append(seek.Entities, id)
			}
		}
	}
	var err error
	if r.places, err = r.cfg.Store.SeekMemory(ctx, seek); err != nil {
		return err
	}
	if err := errors.Join(r.NamedErr, r.places.GraphErr); err != nil {
		r.degrade(ctx, "graph", err)
	}
	return nil
}

// ranked fuses the lists. It fails where neither words nor meaning could be looked for.
func (r *recall) ranked(ctx context.Context, near *nearby) ([]ranking, error) {
	if err := errors.Join(r.TermsErr, r.places.WindowsErr); err != nil {
		if !r.byMeaning() || near.err != nil || ctx.Err() != nil {
			return nil, errors.Join(err, near.err)
		}
		r.degrade(ctx, "keywords", err)
	}
	if near.err != nil {
		r.degrade(ctx, near.reason, near.err)
	}
	words := make([]uuid.UUID, len(r.places.Windows))
	for i, w := range r.places.Windows {
		words[i] = w.ID
	}
	all := fuse(r.set.RRFK, list{ListKeyword, r.set.KeywordWeight, words}, list{ListVector, r.set.VectorWeight, near.ids()})
	all = slices.DeleteFunc(all, func(w ranking) bool { // what the words found as well needs no likeness
		return len(w.lists) == 1 && w.lists[0] == ListVector && near.score(w.id) < r.set.Similarity
	})
	if r.when != nil {
		all = r.boost(all)
	}
	return all, nil
}

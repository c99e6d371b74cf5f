// Package search finds what was said, by the words of a question, by its meaning and by the
// days that it names.
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

// Config holds the dependencies and settings of a [Searcher]. All fields are required.
type Config struct {
	Store    *store.Store
	Index    *index.Index
	Settings Settings
	// VectorWait is how long a search waits for vectors before it continues without them.
	VectorWait time.Duration
	Log        *slog.Logger
	Metrics    *memory.Metrics
}

// Searcher finds turns. It may be used concurrently.
type Searcher struct {
	cfg Config

	remembered struct {
		sync.Mutex // guards people

		people map[store.PersonID]bool // those with anything to recall
	}
	topics struct {
		sync.Mutex // guards vectors

		vectors map[string][]float32 // vectors of the topics of limits
	}
}

// New returns a Searcher.
func New(cfg Config) *Searcher { return &Searcher{cfg: cfg} }

// Settings returns the settings for queries without their own.
func (s *Searcher) Settings() Settings { return s.cfg.Settings }

// Names of the lists that find windows.
const (
	ListKeyword = "keyword"
	ListVector  = "vector"
	ListDate    = "date"
)

// Query is one question to the memory.
type Query struct {
	Scope memories.Scope
	Text  string
	// Vector is the embedding of Text, if the caller has it already; if nil, it is made.
	Vector []float32
	// Now is the time of the question, for "yesterday". Zero means the current time.
	Now time.Time
	// Limit is the maximum number of turns, BudgetTokens the maximum number of tokens. Zero
	// means the value from the settings.
	Limit, BudgetTokens int
	// Exclude are turns that are not wanted because the prompt already has them.
	Exclude []uuid.UUID
	// Graph asks for the people and things that the question names, and for their
	// neighbours. Entities is the maximum number of entities that are added because the
	// question may be about them by its meaning.
	Graph    bool
	Entities int
	// Known are other texts that may be told: [Found.Known] returns those that mention
	// nothing that must not come up.
	Known    []string
	Settings *Settings // if nil, the Searcher's
}

// Hit is one turn that a search found. If the turns of a search exceed its budget, the text
// of long ones is an excerpt; "…" marks what was cut.
type Hit struct {
	memories.Turn
	// Source are the ids of the turns in the window in which it was found, its own id
	// first.
	Source []uuid.UUID
	// Score is comparable only within one search.
	Score float64
	// Lists names the lists that found it. A turn that is included only as the question or
	// answer of its neighbour has that neighbour's lists.
	Lists []string
	// Block numbers the groups of consecutive turns, best group first.
	Block int
	// Outdated is set if all that was learned from the turn has ended.
	Outdated *Outdated
}

// Found is the answer to a question.
type Found struct {
	// Hits are in groups of consecutive turns, the best group first, each in the order of
	// speaking. A group that says what is true now comes before one with what it replaced.
	Hits []Hit
	// Graph starts from at most [MaxStarts] entities.
	Graph memories.Graph
	Known []string
	// Degraded names what was unavailable: "keywords", "embedder", "vectors", "graph".
	Degraded []string
}

// Search finds the turns that match a question. Words and meaning are searched at the same
// time and fused; the days that the question names count in favour of what was said then.
// No model call is needed. If the words cannot be searched, meaning is used alone, and the
// reverse; if neither can, the graph and the known texts are returned with the error.
//
// It takes at most four round trips to PostgreSQL: one for the start of a recall, one each
// for the vectors and for the words, and one for what is told. It takes a single one if a
// person has nothing to recall, and repeats that one on each search until there is
// something. It reads more only if limits bar most of what is found, and first updates a
// copy of vectors that is stale.
//
// It finds nothing, without an error, for a person who does not allow being remembered or
// who is unknown, and nothing that a limit forbids.
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

// Around is like [Searcher.Search], but returns only the graph.
func (s *Searcher) Around(ctx context.Context, in memories.Scope, question string) (Found, error) {
	return s.search(ctx, Query{Scope: in, Text: Question(question), Now: time.Now(), Graph: true}, Settings{})
}

// maxQuestionRunes limits the length of a question: a long monologue cut to it still has
// its gist.
const maxQuestionRunes = 4000

// Question returns a text in the form in which it is searched for: cleaned, and cut to a
// maximum length.
func Question(text string) string { return english.Shorten(memory.Clean(text), maxQuestionRunes) }

// settingsOf returns the settings of a query, with the query's own limits applied.
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

// maxRemembered limits the set of people known to have something to recall; checking one of
// them again costs a round trip.
const maxRemembered = 10_000

// blank reports whether a person consents to being remembered, and whether there is nothing
// to recall. For a person with something to recall it is not asked again: StartRecall
// checks consent anyway.
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

// ask returns what the first read of a search asks for.
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

// recall is the state of one search.
type recall struct {
	*Searcher
	memories.Outset

	q     Query
	set   Settings
	found Found

	counts map[int]bool            // positions, from 1, of the significant words
	terms  []memories.WeightedTerm // what is searched for by words
	when   *english.Span           // the period that the question names
	places memories.Places
}

// degrade counts what the search continues without, and names it in the answer.
func (r *recall) degrade(ctx context.Context, reason string, err error) {
	r.cfg.Metrics.Degraded(ctx, reason, err)
	r.found.Degraded = append(r.found.Degraded, reason)
}

// byMeaning reports whether meaning takes part.
func (r *recall) byMeaning() bool { return r.cfg.Index.Enabled() && r.set.VectorWeight > 0 }

// needsNearby reports whether the next step depends on what is close in meaning; otherwise
// both run at the same time.
func (r *recall) needsNearby() bool {
	if r.set.DateWeight > 0 {
		if p, ok := days.Period(r.Frame.Config, r.q.Text, r.q.Now.In(r.Frame.Location)); ok {
			r.when = &p
		}
	}
	return r.byMeaning() && (r.q.Entities > 0 || r.when != nil)
}

// seek searches for windows by words and by time, and for the graph.
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

// ranked fuses the lists. It fails if neither words nor meaning could be searched.
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
	byWords := r.set.KeywordWeight
	if len(r.Called) > 0 {
		byWords *= calledWords
	}
	all := fuse(r.set.RRFK, list{ListKeyword, byWords, words}, list{ListVector, r.set.VectorWeight, near.ids()})
	all = slices.DeleteFunc(all, func(w ranking) bool { // a window that words found too needs no minimum cosine
		return len(w.lists) == 1 && w.lists[0] == ListVector && near.score(w.id) < r.set.Similarity
	})
	if r.when != nil {
		all = r.boost(all)
	}
	return all, nil
}

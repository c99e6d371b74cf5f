package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/survive"
)

// The lists that find windows.
const (
	ListKeyword = "keyword"
	ListVector  = "vector"
	ListDate    = "date"
)

// Query is one question to the memory.
type Query struct {
	Scope Scope
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
	// Entities is how many are wanted of whom and what the question may be about
	// by its meaning, at most.
	Entities int
	Settings *Settings // nil: the service's
}

// Hit is one turn that a search found. Where the turns of a search fill more than
// its budget, the text of long ones is an excerpt; "…" stands where it was cut.
type Hit struct {
	Turn
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
	// Entities are whom and what the question may be about, the most alike first.
	Entities []uuid.UUID
	// Degraded names what did not take part: "keywords", "embedder", "vectors".
	Degraded []string
}

// Search finds the turns that fit a question. Words and meaning are looked for
// at the same time and fused; the days that the question names count in favour
// of what was said then. No model speaks on the way. Where the words cannot be looked
// for, the meaning does alone, and the other way round.
//
// It finds nothing, without an error, of a person who does not allow being
// remembered or whom nobody knows, and nothing that a limit forbids.
func (s *Service) Search(ctx context.Context, q Query) (Found, error) {
	begun := time.Now()
	if q.Scope.Empty() {
		return Found{}, fmt.Errorf("search memory: %w", ErrEmptyScope)
	}
	if q.Now.IsZero() {
		q.Now = begun
	}
	set, err := s.settingsOf(&q)
	if err != nil {
		return Found{}, fmt.Errorf("search memory: %w", err)
	}
	q.Text = clip(clean(q.Text), maxQuestionRunes)
	if q.Text == "" {
		return Found{}, nil
	}
	found, err := s.search(ctx, q, set)
	if err != nil {
		return Found{}, fmt.Errorf("search memory of %v: %w", q.Scope.Owners(), err)
	}
	s.metrics.search.Observe(time.Since(begun).Seconds())
	return found, nil
}

// maxQuestionRunes bounds a question: a long monologue still has its gist in it.
const maxQuestionRunes = 4000

// settingsOf returns the settings of a query, and completes it by them.
func (s *Service) settingsOf(q *Query) (Settings, error) {
	set := s.settings
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

func (s *Service) search(ctx context.Context, q Query, set Settings) (Found, error) {
	names := s.namesSoon(ctx, q, set) // they need not wait for anything
	frame, err := s.frame(ctx, nil, q.Scope)
	if errors.Is(err, store.ErrNotFound) {
		return Found{}, nil
	}
	if err != nil || !frame.Consented {
		return Found{}, err
	}
	q.Text = nameless(q.Text, frame.Name)
	var near nearby
	var wait sync.WaitGroup
	if s.cfg.Vectors != nil && set.VectorWeight > 0 {
		vctx, cancel := context.WithTimeout(ctx, s.cfg.VectorWait)
		defer cancel()
		wait.Go(func() {
			if err := survive.Try(s.cfg.Log, "nearby", func() error { near = s.nearby(vctx, q, set); return nil }); err != nil {
				near = nearby{reason: "vectors", err: err}
			}
		})
	}
	words, err := s.words(ctx, q, set, frame.Config, names)
	wait.Wait()
	found := Found{Entities: near.entities}
	if err != nil {
		if s.cfg.Vectors == nil || set.VectorWeight == 0 || near.err != nil || ctx.Err() != nil {
			return Found{}, errors.Join(err, near.err)
		}
		s.degraded(ctx, "keywords", err)
		found.Degraded = append(found.Degraded, "keywords")
	}
	if near.err != nil {
		s.degraded(ctx, near.reason, near.err)
		found.Degraded = append(found.Degraded, near.reason)
	}
	ranked := fuse(set.RRFK, list{ListKeyword, set.KeywordWeight, words}, list{ListVector, set.VectorWeight, near.ids()})
	ranked = slices.DeleteFunc(ranked, func(r ranking) bool { // what the words found as well needs no likeness
		return len(r.lists) == 1 && r.lists[0] == ListVector && near.score(r.id) < set.Similarity
	})
	if ranked, err = s.boost(ctx, q, set, frame.Location, ranked); err != nil {
		return Found{}, err
	}
	found.Hits, err = s.turns(ctx, q, set, frame, ranked)
	return found, err
}

// nearby is what lies close to a question in meaning.
type nearby struct {
	hits     []vectors.Hit
	entities []uuid.UUID
	reason   string // of err
	err      error
}

func (n nearby) ids() []uuid.UUID {
	ids := make([]uuid.UUID, len(n.hits))
	for i, h := range n.hits {
		ids[i] = h.ID
	}
	return ids
}

func (n nearby) score(id uuid.UUID) float64 {
	for _, h := range n.hits {
		if h.ID == id {
			return float64(h.Score)
		}
	}
	return -1
}

func (s *Service) nearby(ctx context.Context, q Query, set Settings) nearby {
	meaning := q.Vector
	var err error
	if meaning == nil {
		if meaning, err = s.means(ctx, q.Text); err != nil {
			return nearby{reason: "embedder", err: err}
		}
	}
	var near nearby
	near.hits, err = s.closest(ctx, q, meaning, store.MemoryWindowKind, set.Candidates)
	if err == nil && q.Entities > 0 {
		var alike []vectors.Hit
		alike, err = s.closest(ctx, q, meaning, store.MemoryEntityKind, q.Entities)
		for _, h := range alike {
			if float64(h.Score) >= set.Similarity {
				near.entities = append(near.entities, h.ID)
			}
		}
	}
	if err != nil {
		s.dims.Store(0) // what was set up may be gone: see to it at the next search
		near.reason, near.err = "vectors", err
	}
	return near
}

// closest are the vectors of a kind that lie closest to what a question means.
func (s *Service) closest(ctx context.Context, q Query, meaning []float32, kind string, limit int) ([]vectors.Hit, error) {
	return s.near(ctx, vectors.Query{
		Vector: meaning, Scope: vectorScope(q.Scope), Kinds: []string{kind}, Model: s.cfg.Model, Limit: limit,
	})
}

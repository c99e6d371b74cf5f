package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Fact is a short sentence about a person. It has two timelines: when it was true, and when
// it was learned and closed.
type Fact struct {
	ID         uuid.UUID
	PersonID   pg.PersonID
	Text       string
	Kind       string // "person", "place", "pet", "health", "routine", "like", "plan", "worry", "life", "other"
	Topic      string
	Confidence float64
	ValidFrom  *time.Time // nil if unknown
	ValidTo    *time.Time // nil if it still holds, as far as is known
	LearnedAt  time.Time
	ClosedAt   *time.Time // nil if open
	ClosedBy   uuid.UUID  // the fact that ended it
	Replaces   uuid.UUID
	Stale      bool // a fact that it depends on has changed
	// Only [Store.ListFacts] sets the fields below.
	Sources   []uuid.UUID // turns, in the order in which they were said
	DependsOn []uuid.UUID // facts
}

// LearnedSteps returns the steps of learning from a call that are done.
func (s *Store) LearnedSteps(ctx context.Context, id pg.CallID) (map[string]bool, error) {
	rows, err := s.db.Q.LearnedSteps(ctx, s.db.Conn, id)
	return stepsDone(rows), err
}

func stepsDone(steps []string) map[string]bool {
	done := make(map[string]bool, len(steps))
	for _, st := range steps {
		done[st] = true
	}
	return done
}

// MarkLearned marks a step as done, in the transaction that does it. It returns false if it
// was done before.
func (s *Store) MarkLearned(ctx context.Context, tx pg.Tx, id pg.CallID, step string) (bool, error) {
	return pg.Any(s.db.Q.LearnedMark(ctx, s.db.Handle(tx), db.LearnedMarkParams{CallID: id, Step: step}))
}

// MemoryConversation returns the stored turns of one conversation of a person, in order.
func (s *Store) MemoryConversation(ctx context.Context, person pg.PersonID, conversation string) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryConversation(ctx, s.db.Conn, db.MemoryConversationParams{PersonID: person.UUID, Conversation: conversation}))
}

// AddMemoryFact stores a fact with its source turns and the facts that it depends on. A
// fact with the same id is left unchanged, but gets the turns.
func (s *Store) AddMemoryFact(ctx context.Context, tx pg.Tx, f Fact, turns, dependsOn []uuid.UUID) error {
	_, err := s.db.Q.MemoryFactInsert(ctx, tx, db.MemoryFactInsertParams{
		ID: f.ID, PersonID: f.PersonID, Text: f.Text, Kind: f.Kind, Topic: f.Topic, Confidence: f.Confidence,
		ValidFrom: f.ValidFrom, ValidTo: f.ValidTo, LearnedAt: f.LearnedAt, ClosedAt: f.ClosedAt,
		ClosedBy: f.ClosedBy, Replaces: f.Replaces, Stale: f.Stale,
	})
	if err == nil && len(dependsOn) > 0 {
		err = s.db.Q.MemoryFactLinksInsert(ctx, tx, db.MemoryFactLinksInsertParams{FactID: f.ID, DependsOn: dependsOn, PersonID: f.PersonID})
	}
	if err != nil {
		return err
	}
	return s.SourceMemoryFact(ctx, tx, f.PersonID, f.ID, turns)
}

// SourceMemoryFact adds source turns to a fact.
func (s *Store) SourceMemoryFact(ctx context.Context, tx pg.Tx, person pg.PersonID, fact uuid.UUID, turns []uuid.UUID) error {
	return s.db.Q.MemoryFactSourcesInsert(ctx, tx, db.MemoryFactSourcesInsertParams{FactID: fact, Turns: turns, PersonID: person.UUID})
}

// ConfirmMemoryFact records that a fact was said again at a time: it is no longer stale
// because of what ended before. If it was over by then, it now holds until the day until,
// or indefinitely.
func (s *Store) ConfirmMemoryFact(ctx context.Context, tx pg.Tx, person pg.PersonID, fact uuid.UUID, at time.Time, until *time.Time) error {
	return s.db.Q.MemoryFactConfirm(ctx, tx, db.MemoryFactConfirmParams{ID: fact, PersonID: person, At: at, ValidTo: until})
}

// CloseMemoryFact closes an open fact, ended by another at a time, marks the facts that
// depend on it as stale, and ends the relations based on it. It reports whether the fact
// was open.
func (s *Store) CloseMemoryFact(ctx context.Context, tx pg.Tx, person pg.PersonID, fact, by uuid.UUID, learned, until time.Time) (bool, error) {
	n, err := s.db.Q.MemoryFactClose(ctx, tx, db.MemoryFactCloseParams{ID: fact, PersonID: person, ClosedAt: learned, ClosedBy: by, ValidTo: until})
	if err != nil || n == 0 {
		return false, err
	}
	if _, err := s.db.Q.MemoryFactsStale(ctx, tx, db.MemoryFactsStaleParams{ID: fact, PersonID: person}); err != nil {
		return true, err
	}
	return true, s.db.Q.MemoryRelationsEnd(ctx, tx, db.MemoryRelationsEndParams{FactID: fact, ValidTo: until})
}

// SimilarMemoryFacts returns a person's open facts that share words with a text, the most
// similar first.
func (s *Store) SimilarMemoryFacts(ctx context.Context, person pg.PersonID, config, text string, limit int) ([]uuid.UUID, error) {
	return s.db.Q.MemoryFactsLike(ctx, s.db.Conn, db.MemoryFactsLikeParams{PersonID: person, Config: config, Body: text, MaxRows: limit})
}

// MemoryFacts returns those of the facts that are the person's, earliest learned first.
// Inside a transaction (tx may be nil), they are locked.
func (s *Store) MemoryFacts(ctx context.Context, tx pg.Tx, person pg.PersonID, ids []uuid.UUID) ([]Fact, error) {
	if tx != nil {
		return memoryFacts(s.db.Q.MemoryFactsByIDLock(ctx, tx, db.MemoryFactsByIDLockParams{PersonID: person, Ids: ids}))
	}
	return memoryFacts(s.db.Q.MemoryFactsByID(ctx, s.db.Conn, db.MemoryFactsByIDParams{PersonID: person, Ids: ids}))
}

// KnownMemoryFacts returns a person's facts that hold at a time and mention none of the
// topics, matched with a text search configuration: first those that are not stale, then
// the newest.
func (s *Store) KnownMemoryFacts(ctx context.Context, person pg.PersonID, at time.Time, limit int, config string, without []string) ([]Fact, error) {
	return memoryFacts(s.db.Q.MemoryFactsKnown(ctx, s.db.Conn, db.MemoryFactsKnownParams{PersonID: person, At: at, Config: config, Topics: pg.List(without), MaxRows: limit}))
}

// MemoryFactsFrom returns a person's open facts that were learned from any of
// the turns. tx may be nil.
func (s *Store) MemoryFactsFrom(ctx context.Context, tx pg.Tx, person pg.PersonID, turns []uuid.UUID) ([]Fact, error) {
	return memoryFacts(s.db.Q.MemoryFactsFrom(ctx, s.db.Handle(tx), db.MemoryFactsFromParams{PersonID: person, Turns: turns}))
}

// MemoryFactsEnded reports whether something known of a person at a time was ended by what
// they told since.
func (s *Store) MemoryFactsEnded(ctx context.Context, person pg.PersonID, at time.Time) (bool, error) {
	return s.db.Q.MemoryFactsEnded(ctx, s.db.Conn, db.MemoryFactsEndedParams{PersonID: person, At: at})
}

func memoryFacts(rows []db.MemoryFact, err error) ([]Fact, error) {
	return pg.Each(rows, memoryFact), err
}

func memoryFact(r db.MemoryFact) Fact {
	return Fact{
		ID: r.ID, PersonID: r.PersonID, Text: r.Text, Kind: r.Kind, Topic: r.Topic, Confidence: r.Confidence,
		ValidFrom: r.ValidFrom, ValidTo: r.ValidTo, LearnedAt: r.LearnedAt, ClosedAt: r.ClosedAt,
		ClosedBy: r.ClosedBy, Replaces: r.Replaces, Stale: r.Stale,
	}
}

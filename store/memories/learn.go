package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Fact is a short sentence about a person. It has two time lines: when it
// was true, and when it was learned and given up.
type Fact struct {
	ID         uuid.UUID
	PersonID   pg.PersonID
	Text       string
	Kind       string // "person", "place", "pet", "health", "routine", "like", "plan", "worry", "life", "other"
	Topic      string
	Confidence float64
	ValidFrom  *time.Time // nil: not known
	ValidTo    *time.Time // nil: it still holds, as far as is known
	LearnedAt  time.Time
	ClosedAt   *time.Time // nil: open
	ClosedBy   uuid.UUID  // the fact that ended it
	Replaces   uuid.UUID
	Stale      bool // something that it depends on has changed
	// What follows is only read by [Store.ListFacts].
	Sources   []uuid.UUID // turns, in the order in which they were said
	DependsOn []uuid.UUID // facts
}

// LearnedSteps returns which steps of learning from a call are done.
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

// MarkLearned notes that a step is done, in the transaction that does it. It
// reports false where it was done before.
func (s *Store) MarkLearned(ctx context.Context, tx pg.Tx, id pg.CallID, step string) (bool, error) {
	return pg.Any(s.db.Q.LearnedMark(ctx, s.db.Handle(tx), db.LearnedMarkParams{CallID: id, Step: step}))
}

// MemoryConversation returns what is kept of one conversation of a person, in order.
func (s *Store) MemoryConversation(ctx context.Context, person pg.PersonID, conversation string) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryConversation(ctx, s.db.Conn, db.MemoryConversationParams{PersonID: person.UUID, Conversation: conversation}))
}

// AddMemoryFact keeps a fact with the turns that it comes from and the facts
// that it depends on. One with the same id stays as it is; it gets the turns.
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

// SourceMemoryFact notes further turns that a fact was heard in.
func (s *Store) SourceMemoryFact(ctx context.Context, tx pg.Tx, person pg.PersonID, fact uuid.UUID, turns []uuid.UUID) error {
	return s.db.Q.MemoryFactSourcesInsert(ctx, tx, db.MemoryFactSourcesInsertParams{FactID: fact, Turns: turns, PersonID: person.UUID})
}

// ConfirmMemoryFact has a fact hold again that was said again at a time: what
// ended before does not make it doubtful any more. Where it was over by then, it
// holds until another day, or for good.
func (s *Store) ConfirmMemoryFact(ctx context.Context, tx pg.Tx, person pg.PersonID, fact uuid.UUID, at time.Time, until *time.Time) error {
	return s.db.Q.MemoryFactConfirm(ctx, tx, db.MemoryFactConfirmParams{ID: fact, PersonID: person, At: at, ValidTo: until})
}

// CloseMemoryFact ends an open fact at a time by another one, marks as stale
// what depends on it, and ends the relations that stood on it. It reports
// whether the fact was open.
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

// SimilarMemoryFacts returns a person's open facts that share words with a text,
// the most alike first.
func (s *Store) SimilarMemoryFacts(ctx context.Context, person pg.PersonID, config, text string, limit int) ([]uuid.UUID, error) {
	return s.db.Q.MemoryFactsLike(ctx, s.db.Conn, db.MemoryFactsLikeParams{PersonID: person, Config: config, Body: text, MaxRows: limit})
}

// MemoryFacts returns those of the facts that are the person's, earliest learned
// first. Inside a transaction (tx may be nil) they are locked.
func (s *Store) MemoryFacts(ctx context.Context, tx pg.Tx, person pg.PersonID, ids []uuid.UUID) ([]Fact, error) {
	if tx != nil {
		return memoryFacts(s.db.Q.MemoryFactsByIDLock(ctx, tx, db.MemoryFactsByIDLockParams{PersonID: person, Ids: ids}))
	}
	return memoryFacts(s.db.Q.MemoryFactsByID(ctx, s.db.Conn, db.MemoryFactsByIDParams{PersonID: person, Ids: ids}))
}

// KnownMemoryFacts returns a person's facts that hold at a time and speak of none
// of the topics, read in a text search configuration: those that nothing makes
// doubtful first, then the newest.
func (s *Store) KnownMemoryFacts(ctx context.Context, person pg.PersonID, at time.Time, limit int, config string, without []string) ([]Fact, error) {
	return memoryFacts(s.db.Q.MemoryFactsKnown(ctx, s.db.Conn, db.MemoryFactsKnownParams{PersonID: person, At: at, Config: config, Topics: pg.List(without), MaxRows: limit}))
}

// MemoryFactsFrom returns a person's open facts that were learned from any of
// the turns. tx may be nil.
func (s *Store) MemoryFactsFrom(ctx context.Context, tx pg.Tx, person pg.PersonID, turns []uuid.UUID) ([]Fact, error) {
	return memoryFacts(s.db.Q.MemoryFactsFrom(ctx, s.db.Handle(tx), db.MemoryFactsFromParams{PersonID: person, Turns: turns}))
}

// MemoryFactsEnded reports whether some of what was known of a person at a time
// was ended by what they told since.
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

package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
)

// MemoryFact is a short sentence about a person. It has two time lines: when it
// was true, and when it was learned and given up.
type MemoryFact struct {
	ID         uuid.UUID
	PersonID   PersonID
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
}

// LearnedSteps returns which steps of learning from a call are done.
func (s *Store) LearnedSteps(ctx context.Context, id CallID) (map[string]bool, error) {
	rows, err := s.q.LearnedSteps(ctx, s.pool, id.UUID)
	return stepsDone(rows), said(err, "steps learned of call %s", id)
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
func (s *Store) MarkLearned(ctx context.Context, tx Tx, id CallID, step string) (bool, error) {
	n, err := s.q.LearnedMark(ctx, s.handle(tx), db.LearnedMarkParams{CallID: id.UUID, Step: step})
	return n > 0, said(err, "mark step %s of call %s", step, id)
}

// MemoryConversation returns what is kept of one conversation of a person, in order.
func (s *Store) MemoryConversation(ctx context.Context, person PersonID, conversation string) ([]MemoryTurn, error) {
	rows, err := s.q.MemoryConversation(ctx, s.pool, db.MemoryConversationParams{PersonID: person.UUID, Conversation: conversation})
	return each(rows, memoryTurn), said(err, "conversation %s in memory", conversation)
}

// AddMemoryFact keeps a fact with the turns that it comes from and the facts
// that it depends on. One with the same id stays as it is; it gets the turns.
func (s *Store) AddMemoryFact(ctx context.Context, tx Tx, f MemoryFact, turns, dependsOn []uuid.UUID) error {
	_, err := s.q.MemoryFactInsert(ctx, tx, db.MemoryFactInsertParams{
		ID: f.ID, PersonID: f.PersonID.UUID, Text: f.Text, Kind: f.Kind, Topic: f.Topic, Confidence: float32(f.Confidence),
		ValidFrom: f.ValidFrom, ValidTo: f.ValidTo, LearnedAt: f.LearnedAt, ClosedAt: f.ClosedAt,
		ClosedBy: optionalID(f.ClosedBy), Replaces: optionalID(f.Replaces), Stale: f.Stale,
	})
	if err != nil {
		return said(err, "keep fact %s", f.ID)
	}
	if len(dependsOn) > 0 {
		err = s.q.MemoryFactLinksInsert(ctx, tx, db.MemoryFactLinksInsertParams{FactID: f.ID, DependsOn: dependsOn, PersonID: f.PersonID.UUID})
		if err != nil {
			return said(err, "link fact %s", f.ID)
		}
	}
	return s.SourceMemoryFact(ctx, tx, f.PersonID, f.ID, turns)
}

// SourceMemoryFact notes further turns that a fact was heard in.
func (s *Store) SourceMemoryFact(ctx context.Context, tx Tx, person PersonID, fact uuid.UUID, turns []uuid.UUID) error {
	err := s.q.MemoryFactSourcesInsert(ctx, tx, db.MemoryFactSourcesInsertParams{FactID: fact, Turns: turns, PersonID: person.UUID})
	return said(err, "sources of fact %s", fact)
}

// ConfirmMemoryFact has a fact hold again that was said again at a time: what
// ended before does not make it doubtful any more. Where it was over by then, it
// holds until another day, or for good.
func (s *Store) ConfirmMemoryFact(ctx context.Context, tx Tx, person PersonID, fact uuid.UUID, at time.Time, until *time.Time) error {
	err := s.q.MemoryFactConfirm(ctx, tx, db.MemoryFactConfirmParams{ID: fact, PersonID: person.UUID, At: at, ValidTo: until})
	return said(err, "confirm fact %s", fact)
}

// CloseMemoryFact ends an open fact at a time by another one, marks as stale
// what depends on it, and ends the relations that stood on it. It reports
// whether the fact was open.
func (s *Store) CloseMemoryFact(ctx context.Context, tx Tx, person PersonID, fact, by uuid.UUID, learned, until time.Time) (bool, error) {
	n, err := s.q.MemoryFactClose(ctx, tx, db.MemoryFactCloseParams{
		ID: fact, PersonID: person.UUID, ClosedAt: learned, ClosedBy: by, ValidTo: until,
	})
	if err != nil || n == 0 {
		return false, said(err, "close fact %s", fact)
	}
	if _, err := s.q.MemoryFactsStale(ctx, tx, db.MemoryFactsStaleParams{ID: fact, PersonID: person.UUID}); err != nil {
		return true, said(err, "mark what depends on fact %s", fact)
	}
	err = s.q.MemoryRelationsEnd(ctx, tx, db.MemoryRelationsEndParams{FactID: fact, ValidTo: until})
	return true, said(err, "end relations of fact %s", fact)
}

// SimilarMemoryFacts returns a person's open facts that share words with a text,
// the most alike first.
func (s *Store) SimilarMemoryFacts(ctx context.Context, person PersonID, config, text string, limit int) ([]uuid.UUID, error) {
	ids, err := s.q.MemoryFactsLike(ctx, s.pool, db.MemoryFactsLikeParams{
		PersonID: person.UUID, Config: config, Body: text, MaxRows: int32(limit), //nolint:gosec // a few
	})
	return ids, said(err, "facts like another of %s", person)
}

// MemoryFacts returns those of the facts that are the person's, earliest learned
// first. Inside a transaction (tx may be nil) they are locked.
func (s *Store) MemoryFacts(ctx context.Context, tx Tx, person PersonID, ids []uuid.UUID) ([]MemoryFact, error) {
	var rows []db.MemoryFact
	var err error
	if tx != nil {
		rows, err = s.q.MemoryFactsByIDLock(ctx, tx, db.MemoryFactsByIDLockParams{PersonID: person.UUID, Ids: ids})
	} else {
		rows, err = s.q.MemoryFactsByID(ctx, s.pool, db.MemoryFactsByIDParams{PersonID: person.UUID, Ids: ids})
	}
	return each(rows, memoryFact), said(err, "%d facts of %s", len(ids), person)
}

// KnownMemoryFacts returns a person's facts that hold at a time and speak of none
// of the topics, read in a text search configuration: those that nothing makes
// doubtful first, then the newest.
func (s *Store) KnownMemoryFacts(ctx context.Context, person PersonID, at time.Time, limit int, config string, without []string) ([]MemoryFact, error) {
	rows, err := s.q.MemoryFactsKnown(ctx, s.pool, db.MemoryFactsKnownParams{
		PersonID: person.UUID, At: at, Config: config, Topics: list(without), MaxRows: int32(limit), //nolint:gosec // a page
	})
	return each(rows, memoryFact), said(err, "facts of %s", person)
}

// MemoryFactsFrom returns a person's open facts that were learned from any of
// the turns. tx may be nil.
func (s *Store) MemoryFactsFrom(ctx context.Context, tx Tx, person PersonID, turns []uuid.UUID) ([]MemoryFact, error) {
	rows, err := s.q.MemoryFactsFrom(ctx, s.handle(tx), db.MemoryFactsFromParams{PersonID: person.UUID, Turns: turns})
	return each(rows, memoryFact), said(err, "facts from %d turns", len(turns))
}

// MemoryFactsEnded reports whether some of what was known of a person at a time
// was ended by what they told since.
func (s *Store) MemoryFactsEnded(ctx context.Context, person PersonID, at time.Time) (bool, error) {
	ended, err := s.q.MemoryFactsEnded(ctx, s.pool, db.MemoryFactsEndedParams{PersonID: person.UUID, At: at})
	return ended, said(err, "facts of %s that ended", person)
}

func memoryFact(r db.MemoryFact) MemoryFact {
	return MemoryFact{
		ID: r.ID, PersonID: PersonID{r.PersonID}, Text: r.Text, Kind: r.Kind, Topic: r.Topic, Confidence: float64(r.Confidence),
		ValidFrom: r.ValidFrom, ValidTo: r.ValidTo, LearnedAt: r.LearnedAt, ClosedAt: r.ClosedAt,
		ClosedBy: uuidOf(r.ClosedBy), Replaces: uuidOf(r.Replaces), Stale: r.Stale,
	}
}

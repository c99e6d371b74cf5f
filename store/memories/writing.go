package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Writing is a stretch of a session of the text channel: what a person and nAIber wrote
// after After, up to and including Through. The session may belong to no person.
type Writing struct {
	Session  uuid.UUID
	PersonID pg.PersonID
	After    time.Time
	Through  time.Time
}

// owner returns the id of the conversation's owner in memory: the person, or else the
// session.
func (w Writing) owner() uuid.UUID {
	if w.PersonID.Known() {
		return w.PersonID.UUID
	}
	return w.Session
}

// WritingDue returns stretches that were not yet given out to learn from, in sessions that
// have been idle since before a time, the longest idle first.
func (s *Store) WritingDue(ctx context.Context, before time.Time, limit int) ([]Writing, error) {
	rows, err := s.db.Q.WritingDue(ctx, s.db.Conn, db.WritingDueParams{Before: before, MaxRows: limit})
	return pg.Each(rows, func(r db.WritingDueRow) Writing {
		return Writing{Session: r.ID, PersonID: r.PersonID, After: r.After, Through: r.Through}
	}), err
}

// TakeWriting marks a stretch as given out to learn from. It returns false if it already
// was, or if the stretch has grown since.
func (s *Store) TakeWriting(ctx context.Context, tx pg.Tx, w Writing) (bool, error) {
	return pg.Any(s.db.Q.WritingTaken(ctx, tx, db.WritingTakenParams{ID: w.Session, After: w.After, Through: w.Through}))
}

// LearnedWriting returns the steps of learning from a stretch that are done.
func (s *Store) LearnedWriting(ctx context.Context, w Writing) (map[string]bool, error) {
	rows, err := s.db.Q.WritingLearned(ctx, s.db.Conn, db.WritingLearnedParams{SessionID: w.Session, Through: w.Through})
	return stepsDone(rows), err
}

// MarkLearnedWriting marks a step as done, in the transaction that does it. It returns
// false if it was done before.
func (s *Store) MarkLearnedWriting(ctx context.Context, tx pg.Tx, w Writing, step string) (bool, error) {
	return pg.Any(s.db.Q.WritingLearnedMark(ctx, s.db.Handle(tx), db.WritingLearnedMarkParams{SessionID: w.Session, Through: w.Through, Step: step}))
}

// WritingTexts returns the episodes of a stretch as stored by the text channel, including
// what memory must not keep.
func (s *Store) WritingTexts(ctx context.Context, w Writing) ([]string, error) {
	return s.db.Q.WritingTexts(ctx, s.db.Conn, db.WritingTextsParams{SessionID: w.Session, After: w.After, Through: w.Through})
}

// MemoryWriting returns the stored turns of a stretch, in order, after at most before turns
// that precede it in the session.
func (s *Store) MemoryWriting(ctx context.Context, w Writing, before int) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryConversationSpan(ctx, s.db.Conn, db.MemoryConversationSpanParams{OwnerID: w.owner(), Conversation: w.Session.String(), After: w.After, Through: w.Through, Overlap: before}))
}

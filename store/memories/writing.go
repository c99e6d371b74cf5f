package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Writing is a stretch of a session of the text channel: what a person and nAIber
// wrote after one moment, until and with another. The session may be nobody's.
type Writing struct {
	Session  uuid.UUID
	PersonID pg.PersonID
	After    time.Time
	Through  time.Time
}

// owner is whose conversation it is in memory.
func (w Writing) owner() uuid.UUID {
	if w.PersonID.Known() {
		return w.PersonID.UUID
	}
	return w.Session
}

// WritingDue returns what people wrote that nobody was asked to learn from, in
// sessions where nothing was said since a time; the longest ago first.
func (s *Store) WritingDue(ctx context.Context, before time.Time, limit int) ([]Writing, error) {
	rows, err := s.db.Q.WritingDue(ctx, s.db.Conn, db.WritingDueParams{Before: before, MaxRows: limit})
	return pg.Each(rows, func(r db.WritingDueRow) Writing {
		return Writing{Session: r.ID, PersonID: r.PersonID, After: r.After, Through: r.Through}
	}), err
}

// TakeWriting notes that somebody is asked to learn from a stretch. It reports
// false where somebody was before, or where the stretch has grown since.
func (s *Store) TakeWriting(ctx context.Context, tx pg.Tx, w Writing) (bool, error) {
	return pg.Any(s.db.Q.WritingTaken(ctx, tx, db.WritingTakenParams{ID: w.Session, After: w.After, Through: w.Through}))
}

// LearnedWriting returns which steps of learning from a stretch are done.
func (s *Store) LearnedWriting(ctx context.Context, w Writing) (map[string]bool, error) {
	rows, err := s.db.Q.WritingLearned(ctx, s.db.Conn, db.WritingLearnedParams{SessionID: w.Session, Through: w.Through})
	return stepsDone(rows), err
}

// MarkLearnedWriting notes that a step is done, in the transaction that does it.
// It reports false where it was done before.
func (s *Store) MarkLearnedWriting(ctx context.Context, tx pg.Tx, w Writing, step string) (bool, error) {
	return pg.Any(s.db.Q.WritingLearnedMark(ctx, s.db.Handle(tx), db.WritingLearnedMarkParams{SessionID: w.Session, Through: w.Through, Step: step}))
}

// WritingTexts returns a stretch as the text channel has it, an episode each:
// with what memory may not keep.
func (s *Store) WritingTexts(ctx context.Context, w Writing) ([]string, error) {
	return s.db.Q.WritingTexts(ctx, s.db.Conn, db.WritingTextsParams{SessionID: w.Session, After: w.After, Through: w.Through})
}

// MemoryWriting returns what is kept of a stretch, in order, and at most so many
// turns of the session from before it.
func (s *Store) MemoryWriting(ctx context.Context, w Writing, before int) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryConversationSpan(ctx, s.db.Conn, db.MemoryConversationSpanParams{OwnerID: w.owner(), Conversation: w.Session.String(), After: w.After, Through: w.Through, Overlap: before}))
}

package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// InSnapshot runs do in a read-only transaction that sees the database as of its start.
func (s *Store) InSnapshot(ctx context.Context, do func(tx pg.Tx) error) error {
	return s.db.InSnapshot(ctx, do)
}

// Within runs do in a savepoint of tx: if do fails, only its changes are undone, and tx may
// continue.
func (s *Store) Within(ctx context.Context, tx pg.Tx, do func(tx pg.Tx) error) error {
	return pg.Within(ctx, tx, do)
}

// MemoryTurnsInOrder lists a person's turns in chronological order, starting after the
// given time and id.
func (s *Store) MemoryTurnsInOrder(ctx context.Context, tx pg.Tx, person pg.PersonID, at time.Time, id uuid.UUID, limit int) ([]Turn, error) {
	return memoryTurns(s.db.Q.MemoryTurnsInOrder(ctx, s.db.Handle(tx), db.MemoryTurnsInOrderParams{PersonID: person.UUID, AfterAt: at, AfterID: id, MaxRows: limit}))
}

// KnownCalls returns those of the calls that are the person's.
func (s *Store) KnownCalls(ctx context.Context, tx pg.Tx, person pg.PersonID, ids []uuid.UUID) ([]uuid.UUID, error) {
	return s.db.Q.MemoryCallsKnown(ctx, s.db.Handle(tx), db.MemoryCallsKnownParams{PersonID: person.UUID, Ids: ids})
}

// KnownSessions returns those of the sessions that are the person's, each with its project,
// or the zero id.
func (s *Store) KnownSessions(ctx context.Context, tx pg.Tx, person pg.PersonID, ids []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	rows, err := s.db.Q.MemorySessionsKnown(ctx, s.db.Handle(tx), db.MemorySessionsKnownParams{PersonID: person.UUID, Ids: ids})
	known := make(map[uuid.UUID]uuid.UUID, len(rows))
	for _, r := range rows {
		known[r.ID] = r.ProjectID
	}
	return known, err
}

// RestoreFact stores an imported fact with its sources. Its references to other facts are
// set by [Store.ReferFact], when all facts exist. RestoreFact and the other Restore methods
// return [ErrConflict] if the id belongs to someone else.
func (s *Store) RestoreFact(ctx context.Context, tx pg.Tx, f Fact) error {
	n, err := s.db.Q.MemoryFactRestore(ctx, tx, db.MemoryFactRestoreParams{
		ID: f.ID, PersonID: f.PersonID, Text: f.Text, Kind: f.Kind, Topic: f.Topic, Confidence: f.Confidence,
		ValidFrom: f.ValidFrom, ValidTo: f.ValidTo, LearnedAt: f.LearnedAt, ClosedAt: f.ClosedAt, Stale: f.Stale,
	})
	if err = taken(n, err); err == nil {
		err = s.db.Q.MemoryFactSourcesInsert(ctx, tx, db.MemoryFactSourcesInsertParams{FactID: f.ID, Turns: f.Sources, PersonID: f.PersonID.UUID})
	}
	return pg.WrapErr(err, "restore fact %s", f.ID)
}

// ReferFact records which facts ended a fact, which it replaces, and on which it depends.
func (s *Store) ReferFact(ctx context.Context, tx pg.Tx, f Fact) error {
	err := s.db.Q.MemoryFactRefer(ctx, tx, db.MemoryFactReferParams{ID: f.ID, PersonID: f.PersonID, ClosedBy: f.ClosedBy, Replaces: f.Replaces})
	if err == nil && len(f.DependsOn) > 0 {
		err = s.db.Q.MemoryFactLinksInsert(ctx, tx, db.MemoryFactLinksInsertParams{FactID: f.ID, DependsOn: f.DependsOn, PersonID: f.PersonID})
	}
	return pg.WrapErr(err, "restore what fact %s refers to", f.ID)
}

// RestoreEntity stores an imported entity of a person.
func (s *Store) RestoreEntity(ctx context.Context, tx pg.Tx, person pg.PersonID, e Entity) error {
	n, err := s.db.Q.MemoryEntityRestore(ctx, tx, db.MemoryEntityRestoreParams{
		ID: e.ID, PersonID: person.UUID, Kind: e.Kind, Name: e.Name, Notes: e.Notes, FirstSeen: e.FirstSeen, LastSeen: e.LastSeen,
		CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	})
	return pg.WrapErr(s.describeEntity(ctx, tx, taken(n, err), person, e, e.Sources), "restore entity %s", e.ID)
}

// RestoreRelation stores an imported relation between two of a person's entities.
func (s *Store) RestoreRelation(ctx context.Context, tx pg.Tx, person pg.PersonID, r StoredRelation) error {
	n, err := s.db.Q.MemoryRelationRestore(ctx, tx, db.MemoryRelationRestoreParams{
		ID: r.ID, PersonID: person.UUID, From: r.From, To: r.To, Label: r.Label, FactID: r.FactID,
		ValidFrom: r.ValidFrom, ValidTo: r.ValidTo, CreatedAt: r.CreatedAt,
	})
	return pg.WrapErr(taken(n, err), "restore relation %s", r.ID)
}

// RestoreSummary stores an imported summary of a person.
func (s *Store) RestoreSummary(ctx context.Context, tx pg.Tx, m MemorySummary) error {
	n, err := s.db.Q.MemorySummaryRestore(ctx, tx, db.MemorySummaryRestoreParams{
		ID: m.ID, PersonID: m.PersonID.UUID, Text: m.Text, FromTurn: m.FromTurn, ToTurn: m.ToTurn,
		FromAt: m.FromAt, ToAt: m.ToAt, Turns: m.Turns, Tokens: m.Tokens, Model: m.Model, CreatedAt: m.CreatedAt,
	})
	return pg.WrapErr(taken(n, err), "restore summary %s", m.ID)
}

// CallSummaries returns the summaries of a person's calls, oldest first.
func (s *Store) CallSummaries(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]Summary, error) {
	return s.db.Q.CallSummariesOf(ctx, s.db.Handle(tx), person)
}

// RestoreCallSummary stores the imported summary of a call of the person.
func (s *Store) RestoreCallSummary(ctx context.Context, tx pg.Tx, m Summary) error {
	n, err := s.db.Q.CallSummaryRestore(ctx, tx, db.CallSummaryRestoreParams{ID: m.ID, PersonID: m.PersonID.UUID, CallID: m.CallID.UUID, Text: m.Text, Model: m.Model, CreatedAt: m.CreatedAt})
	return pg.WrapErr(taken(n, err), "restore summary of call %s", m.CallID)
}

// CallMention holds how often a call mentioned a topic, and when.
type CallMention struct {
	TopicMention

	CallID pg.CallID
	At     time.Time
}

// CallMentions returns the topics that a person's calls mentioned, oldest first.
func (s *Store) CallMentions(ctx context.Context, tx pg.Tx, person pg.PersonID) ([]CallMention, error) {
	rows, err := s.db.Q.TopicMentionsOf(ctx, s.db.Handle(tx), person)
	return pg.Each(rows, func(r db.TopicMentionsOfRow) CallMention {
		return CallMention{TopicMention{r.Label, r.Mentions}, r.CallID, r.At}
	}), err
}

// RestoreMentions stores imported mentions of topics in calls of the person.
func (s *Store) RestoreMentions(ctx context.Context, tx pg.Tx, person pg.PersonID, mentions ...CallMention) error {
	for _, m := range mentions {
		n, err := s.db.Q.TopicMentionRestore(ctx, tx, db.TopicMentionRestoreParams{
			ID: pg.NewID(), PersonID: person.UUID, CallID: m.CallID.UUID, Key: topicKey(m.Label), Label: m.Label, Mentions: m.Mentions, At: m.At,
		})
		if err := taken(n, err); err != nil {
			return pg.WrapErr(err, "restore topic of call %s", m.CallID)
		}
	}
	return s.db.Q.TopicsRecount(ctx, tx, person)
}

// RestorePromise stores an imported promise.
func (s *Store) RestorePromise(ctx context.Context, tx pg.Tx, p Promise) error {
	n, err := s.db.Q.MemoryPromiseRestore(ctx, tx, db.MemoryPromiseRestoreParams{
		ID: p.ID, PersonID: p.PersonID, Text: p.Text, Kind: p.Kind, DueOn: p.DueOn, DueAt: p.DueAt, Recurrence: p.Recurrence, Status: p.Status,
		CallID: p.CallID.UUID, TurnID: p.TurnID, UsedCall: p.UsedCall.UUID, UsedAt: p.UsedAt,
		CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	})
	return pg.WrapErr(taken(n, err), "restore promise %s", p.ID)
}

// RestoreLimit stores an imported limit.
func (s *Store) RestoreLimit(ctx context.Context, tx pg.Tx, l Limit) error {
	n, err := s.db.Q.MemoryLimitRestore(ctx, tx, db.MemoryLimitRestoreParams(l))
	return pg.WrapErr(taken(n, err), "restore limit %s", l.ID)
}

// taken returns [ErrConflict] if no row was written, since the id belongs to someone else.
func taken(rows int64, err error) error {
	if err == nil && rows == 0 {
		return pg.ErrConflict
	}
	return err
}

package memories

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// ForgetScope is what of a person is meant: what is of a time, or what speaks of
// one of the topics and is from before its end.
type ForgetScope struct {
	Person       pg.PersonID
	Topics       []string // none: all of the time
	Since, Until time.Time
	Config       string // the text search configuration of the person's language
}

func (f ForgetScope) about() bool { return len(f.Topics) > 0 }

// ForgottenFrom counts what was learned from turns and went with them.
type ForgottenFrom struct {
	// Facts are those that do not stand any more, with the turns that they came from.
	Facts, Sources                      []uuid.UUID
	Entities, Relations, Notes, Aliases int
	Promises, Summaries                 int
}

// MemoryTurnsIn returns which of a person's turns a scope means.
func (s *Store) MemoryTurnsIn(ctx context.Context, tx pg.Tx, f ForgetScope) ([]uuid.UUID, error) {
	return s.db.Q.MemoryTurnsIn(ctx, s.db.Handle(tx), db.MemoryTurnsInParams{PersonID: f.Person.UUID, Since: f.Since, Until: f.Until, Config: f.Config, Topics: pg.List(f.Topics)})
}

// MemoryFactsIn returns which of a person's facts a scope means.
func (s *Store) MemoryFactsIn(ctx context.Context, tx pg.Tx, f ForgetScope) ([]uuid.UUID, error) {
	return s.db.Q.MemoryFactsIn(ctx, s.db.Handle(tx), db.MemoryFactsInParams{PersonID: f.Person, Since: f.Since, Until: f.Until, Config: f.Config, Topics: pg.List(f.Topics)})
}

// MemoryTopicNames returns what else those are called whom the topics name.
func (s *Store) MemoryTopicNames(ctx context.Context, tx pg.Tx, people []pg.PersonID, config string, topics []string) ([]string, error) {
	if len(topics) == 0 || len(people) == 0 {
		return nil, nil
	}
	return s.db.Q.MemoryTopicNames(ctx, s.db.Handle(tx), db.MemoryTopicNamesParams{People: pg.UUIDs(people), Config: config, Topics: topics})
}

// MemoryFactSources returns the turns that facts came from.
func (s *Store) MemoryFactSources(ctx context.Context, tx pg.Tx, facts []uuid.UUID) ([]uuid.UUID, error) {
	return s.db.Q.MemoryFactSourcesOf(ctx, s.db.Handle(tx), facts)
}

// ForgetMemoryFacts deletes facts, and marks as stale what depends on them.
func (s *Store) ForgetMemoryFacts(ctx context.Context, tx pg.Tx, facts []uuid.UUID) (int, error) {
	return pg.Count(s.db.Q.MemoryFactsForget(ctx, tx, facts))
}

// ForgetFromTurns deletes what was learned from turns that are about to be
// forgotten and does not stand without them: facts, entities, relations,
// promises, and the summaries of the owners that reach that far. What others
// say as well stays, with these as its sources.
func (s *Store) ForgetFromTurns(ctx context.Context, tx pg.Tx, config string, owners, turns []uuid.UUID, since time.Time) (ForgottenFrom, error) {
	var out ForgottenFrom
	var err error
	if out.Facts, err = s.db.Q.MemoryFactsLosing(ctx, tx, db.MemoryFactsLosingParams{Turns: turns, Config: config}); err != nil {
		return out, err
	}
	if out.Sources, err = s.MemoryFactSources(ctx, tx, out.Facts); err != nil {
		return out, err
	}
	if _, err := s.ForgetMemoryFacts(ctx, tx, out.Facts); err != nil {
		return out, err
	}
	var errs [6]error
	out.Relations, errs[0] = pg.Count(s.db.Q.MemoryRelationsForget(ctx, tx, turns))
	out.Entities, errs[1] = pg.Count(s.db.Q.MemoryEntitiesForget(ctx, tx, turns))
	out.Notes, errs[2] = pg.Count(s.db.Q.MemoryNotesForget(ctx, tx, db.MemoryNotesForgetParams{Config: config, Turns: turns}))
	out.Aliases, errs[3] = pg.Count(s.db.Q.MemoryAliasesForget(ctx, tx, turns))
	out.Promises, errs[4] = pg.Count(s.db.Q.MemoryPromisesForget(ctx, tx, db.MemoryPromisesForgetParams{Turns: turns, Config: config}))
	out.Summaries, errs[5] = pg.Count(s.db.Q.MemorySummariesForget(ctx, tx, db.MemorySummariesForgetParams{Since: since, Owners: owners}))
	return out, cmp.Or(errs[:]...) // what follows the first failure failed for it
}

// ForgetGraph deletes what a scope means of entities, relations and promises,
// beyond what goes with their turns.
func (s *Store) ForgetGraph(ctx context.Context, tx pg.Tx, f ForgetScope, all bool) (entities, promises, summaries int, err error) {
	id := f.Person.UUID
	if !f.about() {
		var errs [3]error
		if all {
			entities, errs[0] = pg.Count(s.db.Q.MemoryEntitiesForgetAll(ctx, tx, id))
		}
		promises, errs[1] = pg.Count(s.db.Q.MemoryPromisesBetweenForget(ctx, tx, db.MemoryPromisesBetweenForgetParams{PersonID: f.Person, Since: f.Since, Until: f.Until}))
		summaries, errs[2] = pg.Count(s.db.Q.MemorySummariesForget(ctx, tx, db.MemorySummariesForgetParams{Since: f.Since, Owners: []uuid.UUID{id}}))
		return entities, promises, summaries, cmp.Or(errs[:]...)
	}
	var errs [5]error
	entities, errs[0] = pg.Count(s.db.Q.MemoryEntitiesNamedForget(ctx, tx, db.MemoryEntitiesNamedForgetParams{PersonID: id, Until: f.Until, Config: f.Config, Topics: f.Topics}))
	_, errs[1] = s.db.Q.MemoryNotesAboutForget(ctx, tx, db.MemoryNotesAboutForgetParams{PersonID: id, Config: f.Config, Topics: f.Topics})
	_, errs[2] = s.db.Q.MemoryRelationsAboutForget(ctx, tx, db.MemoryRelationsAboutForgetParams{PersonID: id, Config: f.Config, Topics: f.Topics})
	promises, errs[3] = pg.Count(s.db.Q.MemoryPromisesAboutForget(ctx, tx, db.MemoryPromisesAboutForgetParams{PersonID: f.Person, Until: f.Until, Config: f.Config, Topics: f.Topics}))
	summaries, errs[4] = pg.Count(s.db.Q.MemorySummariesAboutForget(ctx, tx, db.MemorySummariesAboutForgetParams{PersonID: id, Config: f.Config, Topics: f.Topics}))
	return entities, promises, summaries, cmp.Or(errs[:]...)
}

// AddMemoryTombstones notes that turns were forgotten, so that no one keeps them again.
func (s *Store) AddMemoryTombstones(ctx context.Context, tx pg.Tx, person pg.PersonID, turns []uuid.UUID) error {
	return s.db.Q.MemoryTombstonesInsert(ctx, tx, db.MemoryTombstonesInsertParams{Turns: turns, PersonID: person.UUID})
}

// MemoryTombstones returns which of the turns were forgotten. It knows the ids of
// facts, entities, relations, promises and summaries as well.
func (s *Store) MemoryTombstones(ctx context.Context, tx pg.Tx, turns []uuid.UUID) ([]uuid.UUID, error) {
	return s.db.Q.MemoryTombstonesOf(ctx, s.db.Handle(tx), turns)
}

// TouchPerson has every copy of a person's record read anew, in all processes, and
// what is kept of it besides dropped; see [Follower.OnTouch].
func (s *Store) TouchPerson(ctx context.Context, tx pg.Tx, id pg.PersonID) error {
	return s.db.Q.PersonTouch(ctx, tx, id.UUID)
}

// NoteForgotten notes that something which a person said until a time is being
// forgotten: answers from before it that wait in a health check's thread are
// written without words from now on. It comes before what is forgotten is looked
// for, so that whoever writes such answers at the same time is waited for.
func (s *Store) NoteForgotten(ctx context.Context, tx pg.Tx, id pg.PersonID, until time.Time) error {
	return s.db.Q.PersonForget(ctx, tx, db.PersonForgetParams{ID: id.UUID, Until: until})
}

// Resurfacing asks what is still there of what was forgotten.
type Resurfacing struct {
	ForgetScope

	Turns, Facts, Calls []uuid.UUID
	Lines, Episodes     []int64
	Everything          bool
	// Noted is the time given to [Store.NoteForgotten], if it was.
	Noted time.Time
}

// Found is how many things are in a place.
type Found struct {
	Place string
	Count int
}

// Resurfacing counts by place what is still there of what was forgotten.
func (s *Store) Resurfacing(ctx context.Context, r Resurfacing) ([]Found, error) {
	rows, err := s.db.Q.MemoryResurfacing(ctx, s.db.Conn, db.MemoryResurfacingParams{
		PersonID: r.Person.UUID, Turns: r.Turns, Topics: pg.List(r.Topics), Until: r.Until, Since: r.Since, Config: r.Config,
		Facts: r.Facts, Everything: r.Everything, Calls: r.Calls, Lines: r.Lines, Episodes: r.Episodes, Marked: r.Noted,
	})
	return pg.Each(rows, func(r db.MemoryResurfacingRow) Found { return Found{r.Place, int(r.Found)} }), err
}

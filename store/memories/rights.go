package memories

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// ForgetScope selects what to forget of a person: everything from a period or, with topics,
// what mentions one of them and is from before Until.
type ForgetScope struct {
	Person       pg.PersonID
	Topics       []string // empty means everything in the period
	Since, Until time.Time
	Config       string // the text search configuration of the person's language
}

func (f ForgetScope) about() bool { return len(f.Topics) > 0 }

// ForgottenFrom counts what was learned from turns and deleted with them.
type ForgottenFrom struct {
	// Facts are those that were deleted, Sources the turns that they came from.
	Facts, Sources                      []uuid.UUID
	Entities, Relations, Notes, Aliases int
	Promises, Summaries                 int
}

// MemoryTurnsIn returns the person's turns that f selects.
func (s *Store) MemoryTurnsIn(ctx context.Context, tx pg.Tx, f ForgetScope) ([]uuid.UUID, error) {
	return s.db.Q.MemoryTurnsIn(ctx, s.db.Handle(tx), db.MemoryTurnsInParams{PersonID: f.Person.UUID, Since: f.Since, Until: f.Until, Config: f.Config, Topics: pg.List(f.Topics)})
}

// MemoryFactsIn returns the person's facts that f selects.
func (s *Store) MemoryFactsIn(ctx context.Context, tx pg.Tx, f ForgetScope) ([]uuid.UUID, error) {
	return s.db.Q.MemoryFactsIn(ctx, s.db.Handle(tx), db.MemoryFactsInParams{PersonID: f.Person, Since: f.Since, Until: f.Until, Config: f.Config, Topics: pg.List(f.Topics)})
}

// MemoryTopicNames returns the other names of the people and things that the topics name.
func (s *Store) MemoryTopicNames(ctx context.Context, tx pg.Tx, people []pg.PersonID, config string, topics []string) ([]string, error) {
	if len(topics) == 0 || len(people) == 0 {
		return nil, nil
	}
	return s.db.Q.MemoryTopicNames(ctx, s.db.Handle(tx), db.MemoryTopicNamesParams{People: pg.UUIDs(people), Config: config, Topics: topics})
}

// MemoryFactSources returns the source turns of facts.
func (s *Store) MemoryFactSources(ctx context.Context, tx pg.Tx, facts []uuid.UUID) ([]uuid.UUID, error) {
	return s.db.Q.MemoryFactSourcesOf(ctx, s.db.Handle(tx), facts)
}

// ForgetMemoryFacts deletes facts, and marks the facts that depend on them as stale. It
// returns the number of deleted facts.
func (s *Store) ForgetMemoryFacts(ctx context.Context, tx pg.Tx, facts []uuid.UUID) (int, error) {
	return pg.Count(s.db.Q.MemoryFactsForget(ctx, tx, facts))
}

// ForgetFromTurns deletes what was learned only from turns that are about to be forgotten:
// facts, entities, relations, promises, and the summaries of the owners that reach back to
// since. What other turns say as well stays, with those as its sources.
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
	return out, cmp.Or(errs[:]...) // after the first failure the others fail too
}

// ForgetGraph deletes the entities, relations, promises and summaries that f selects,
// beyond those that are deleted with their turns.
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

// AddMemoryTombstones records that turns were forgotten, which keeps them from being stored
// again.
func (s *Store) AddMemoryTombstones(ctx context.Context, tx pg.Tx, person pg.PersonID, turns []uuid.UUID) error {
	return s.db.Q.MemoryTombstonesInsert(ctx, tx, db.MemoryTombstonesInsertParams{Turns: turns, PersonID: person.UUID})
}

// MemoryTombstones returns which of the turns were forgotten. It also accepts the ids of
// facts, entities, relations, promises and summaries.
func (s *Store) MemoryTombstones(ctx context.Context, tx pg.Tx, turns []uuid.UUID) ([]uuid.UUID, error) {
	return s.db.Q.MemoryTombstonesOf(ctx, s.db.Handle(tx), turns)
}

// TouchPerson makes all processes reread their copies of a person's record, and drop what
// else they cache of the person; see [Follower.OnTouch].
func (s *Store) TouchPerson(ctx context.Context, tx pg.Tx, id pg.PersonID) error {
	return s.db.Q.PersonTouch(ctx, tx, id.UUID)
}

// NoteForgotten records that something the person said until a time is being forgotten:
// earlier answers that wait in a health check's thread are stored without words from now
// on. It must be called before searching for what to forget, which makes it wait for
// concurrent writers of such answers.
func (s *Store) NoteForgotten(ctx context.Context, tx pg.Tx, id pg.PersonID, until time.Time) error {
	return s.db.Q.PersonForget(ctx, tx, db.PersonForgetParams{ID: id.UUID, Until: until})
}

// Resurfacing selects what was forgotten, to search for what is left of it.
type Resurfacing struct {
	ForgetScope

	Turns, Facts, Calls []uuid.UUID
	Lines, Episodes     []int64
	Everything          bool
	// Noted is the time given to [Store.NoteForgotten], if any.
	Noted time.Time
}

// Found is the number of findings in a place.
type Found struct {
	Place string
	Count int
}

// Resurfacing counts, by place, what is left of what was forgotten.
func (s *Store) Resurfacing(ctx context.Context, r Resurfacing) ([]Found, error) {
	rows, err := s.db.Q.MemoryResurfacing(ctx, s.db.Conn, db.MemoryResurfacingParams{
		PersonID: r.Person.UUID, Turns: r.Turns, Topics: pg.List(r.Topics), Until: r.Until, Since: r.Since, Config: r.Config,
		Facts: r.Facts, Everything: r.Everything, Calls: r.Calls, Lines: r.Lines, Episodes: r.Episodes, Marked: r.Noted,
	})
	return pg.Each(rows, func(r db.MemoryResurfacingRow) Found { return Found{r.Place, int(r.Found)} }), err
}

package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
)

// MemoryTerm is a lexeme of a question, and in how many windows it stands.
type MemoryTerm struct {
	Lexeme  string
	Windows int
	keys    []memoryKey
}

// memoryKey is under what an owner's windows with a lexeme are found.
type memoryKey struct {
	owner uuid.UUID
	key   int64
}

// MemoryTerms reads a question by the given text search configuration. It
// returns the lexemes that the scope's windows have, rarest first, and how many
// windows there are.
func (s *Store) MemoryTerms(ctx context.Context, in MemoryScope, config, question string) ([]MemoryTerm, int, error) {
	rows, err := s.q.MemoryTerms(ctx, s.pool, db.MemoryTermsParams{Owners: in.Owners(), Config: config, Question: question})
	all, at := 0, make(map[string]int, len(rows))
	var terms []MemoryTerm
	for _, r := range rows {
		if r.Lexeme == "" {
			all += int(r.Windows)
			continue
		}
		i, ok := at[r.Lexeme]
		if !ok {
			i = len(terms)
			at[r.Lexeme] = i
			terms = append(terms, MemoryTerm{Lexeme: r.Lexeme})
		}
		terms[i].Windows += int(r.Windows)
		terms[i].keys = append(terms[i].keys, memoryKey{owner: r.OwnerID, key: r.Key})
	}
	slices.SortStableFunc(terms, func(a, b MemoryTerm) int { return a.Windows - b.Windows })
	return terms, all, said(err, "read question for %v", in.Owners())
}

// WeightedTerm is a term and what finding it is worth.
type WeightedTerm struct {
	MemoryTerm
	Weight float64
}

// MemoryMatch asks for windows that have any of the terms. The common ones find
// nothing by themselves; they count among the Pool best that the others found.
type MemoryMatch struct {
	Terms, Common []WeightedTerm
	// Flatten is how much a window's length counts against it, from 0 to 1, and
	// Typical the length, in lexemes, at which it does not.
	Flatten, Typical float64
	Pool, Limit      int
}

// MatchMemoryWindows returns the windows that a scope sees and that match, best first.
func (s *Store) MatchMemoryWindows(ctx context.Context, in MemoryScope, m MemoryMatch) ([]uuid.UUID, error) {
	p := db.MemoryWindowsByTermsParams{
		PersonID: in.Person.ptr(), SessionID: optionalID(in.Session), ProjectID: optionalID(in.Project),
		Flatten: m.Flatten, Typical: m.Typical, Pool: int32(m.Pool), MaxRows: int32(m.Limit), //nolint:gosec // hundreds
		Common: []string{}, CommonWeights: []float64{},
	}
	for _, t := range m.Terms {
		for _, k := range t.keys {
			p.Owners, p.Keys, p.Weights = append(p.Owners, k.owner), append(p.Keys, k.key), append(p.Weights, t.Weight)
		}
	}
	for _, t := range m.Common {
		p.Common, p.CommonWeights = append(p.Common, quoteLexeme(t.Lexeme)), append(p.CommonWeights, t.Weight)
	}
	rows, err := s.q.MemoryWindowsByTerms(ctx, s.pool, p)
	return each(rows, func(r db.MemoryWindowsByTermsRow) uuid.UUID { return r.ID }), said(err, "match windows of %v", in.Owners())
}

// NewestMemoryWindows returns the newest windows that have the lexeme.
func (s *Store) NewestMemoryWindows(ctx context.Context, in MemoryScope, lexeme string, limit int) ([]uuid.UUID, error) {
	ids, err := s.q.MemoryWindowsNewest(ctx, s.pool, db.MemoryWindowsNewestParams{
		PersonID: in.Person.ptr(), SessionID: optionalID(in.Session), ProjectID: optionalID(in.Project),
		Query: quoteLexeme(lexeme), MaxRows: int32(limit), //nolint:gosec // hundreds
	})
	return ids, said(err, "newest windows of %v", in.Owners())
}

// MemoryWindowsBetween returns the windows of a period, newest first.
func (s *Store) MemoryWindowsBetween(ctx context.Context, in MemoryScope, since, until time.Time, limit int) ([]uuid.UUID, error) {
	ids, err := s.q.MemoryWindowsBetween(ctx, s.pool, db.MemoryWindowsBetweenParams{
		PersonID: in.Person.ptr(), SessionID: optionalID(in.Session), ProjectID: optionalID(in.Project),
		Since: since, Until: until, MaxRows: int32(limit), //nolint:gosec // hundreds
	})
	return ids, said(err, "windows of %v in a period", in.Owners())
}

// WindowTurns are the turns of one window, in order.
type WindowTurns struct {
	ID    uuid.UUID
	Turns []MemoryTurn
}

// MemoryWindowTurns returns windows with their turns, in the order asked for.
// It leaves out what there is not, what the scope does not see, and the windows
// of people who do not consent to being remembered.
func (s *Store) MemoryWindowTurns(ctx context.Context, in MemoryScope, ids []uuid.UUID) ([]WindowTurns, error) {
	rows, err := s.q.MemoryWindowTurns(ctx, s.pool, db.MemoryWindowTurnsParams{
		Ids: ids, PersonID: in.Person.ptr(), SessionID: optionalID(in.Session), ProjectID: optionalID(in.Project),
	})
	var windows []WindowTurns
	for _, r := range rows {
		if n := len(windows); n == 0 || windows[n-1].ID != r.WindowID {
			windows = append(windows, WindowTurns{ID: r.WindowID})
		}
		w := &windows[len(windows)-1]
		w.Turns = append(w.Turns, MemoryTurn{
			ID:     r.ID,
			Scope:  MemoryScope{Person: personID(r.PersonID), Session: uuidOf(r.SessionID), Project: uuidOf(r.ProjectID)},
			CallID: CallID{uuidOf(r.CallID)}, Conversation: r.Conversation, Seq: int(r.Seq), Speaker: Role(r.Speaker), Name: r.Name,
			Text: r.Text, At: r.At, Source: MemorySource(r.Source), SourceKey: r.SourceKey,
		})
	}
	return windows, said(err, "turns of %d windows", len(ids))
}

// quoteLexeme writes a lexeme as a tsquery that asks for exactly it.
func quoteLexeme(l string) string {
	quoted := make([]byte, 0, len(l)+2)
	quoted = append(quoted, '\'')
	for i := range len(l) {
		if l[i] == '\'' || l[i] == '\\' {
			quoted = append(quoted, l[i])
		}
		quoted = append(quoted, l[i])
	}
	return string(append(quoted, '\''))
}

// MemoryWindowsAmong returns those of the windows that begin in a period.
func (s *Store) MemoryWindowsAmong(ctx context.Context, ids []uuid.UUID, since, until time.Time) ([]uuid.UUID, error) {
	in, err := s.q.MemoryWindowsAmong(ctx, s.pool, db.MemoryWindowsAmongParams{Ids: ids, Since: since, Until: until})
	return in, said(err, "windows in a period among %d", len(ids))
}

// NamesCalled returns what else those people and pets are called whom a person
// calls by one of the words: "my granddaughter" is "Isla". The words are in lower
// case, as aliases are.
func (s *Store) NamesCalled(ctx context.Context, person PersonID, words []string, limit int) ([]string, error) {
	names, err := s.q.MemoryNamesCalled(ctx, s.pool, db.MemoryNamesCalledParams{
		PersonID: person.UUID, Words: words, MaxRows: int32(limit), //nolint:gosec // a few
	})
	return names, said(err, "names that %s means", person)
}

package memories

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// RecallBlank reports whether a person consents to being remembered, and whether there is
// nothing to recall of them and no limit to respect; then nothing more need be read. It
// returns [ErrNotFound] for an unknown person.
func (s *Store) RecallBlank(ctx context.Context, id pg.PersonID) (consented, blank bool, err error) {
	row, err := s.db.Q.MemoryBlank(ctx, s.db.Conn, id.UUID)
	return row.Consented, row.Blank, pg.WrapErr(err, "what is known of %s", id)
}

// Ask is a question for the first read of a recall.
type Ask struct {
	Scope Scope
	Text  string
	At    time.Time
	// Words are the words to search for; none if empty.
	Words []string
	// Callings are the ways in which the question may call a person, in lower case, like
	// aliases. At most MaxNames of the names of the people meant are searched for.
	Callings []string
	MaxNames int
	// Aliases is the text in the form of aliases: lower case, single spaces, no
	// punctuation. At most MaxNamed entities that it names are returned; zero means none.
	Aliases  string
	MaxNamed int
}

// Outset is the result of the first read of a recall.
type Outset struct {
	Frame Frame
	// Terms are the lexemes of the words that the scope's windows have, the rarest first,
	// and Windows is the number of windows.
	Terms   []Term
	Windows int
	// Called are the terms of the names of the people that the question means.
	Called []Term
	// Named are the entities that the question names, the most recently met first.
	Named []uuid.UUID
	Barred
	// TermsErr, CalledErr and NamedErr say which of these could not be read.
	TermsErr, CalledErr, NamedErr error
}

// Barred holds the topics that must not come up in an answer, and the names of the people
// that they mean: a limit on the brother is also one on Karl.
type Barred struct{ Topics, Names []string }

// All returns the topics and the names.
func (b Barred) All() []string { return append(append([]string{}, b.Topics...), b.Names...) }

// StartRecall reads what a recall starts with, in one round trip. It returns [ErrNotFound]
// for an unknown person.
func (s *Store) StartRecall(ctx context.Context, ask Ask) (Outset, error) {
	out := Outset{Frame: nobodysFrame}
	questions := []pg.Question{s.askBarred(ctx, ask.Scope, ask.Text, ask.At, &out.Barred)}
	fatal := []bool{true}
	add := func(may *error, q pg.Question) {
		questions = append(questions, func(h db.DBTX) error {
			err := q(h)
			if may != nil {
				*may = err
			}
			return err
		})
		fatal = append(fatal, may == nil)
	}
	if ask.Scope.Person.Known() {
		add(nil, s.askFrame(ctx, ask.Scope.Person, &out.Frame))
	}
	if len(ask.Words) > 0 {
		add(&out.TermsErr, s.askTerms(ctx, ask, &out))
	}
	if ask.Scope.Person.Known() && len(ask.Callings) > 0 {
		add(&out.CalledErr, s.askCalled(ctx, ask, &out))
	}
	if ask.MaxNamed > 0 {
		add(&out.NamedErr, s.askNamed(ctx, ask, &out))
	}
	for i, err := range s.db.Exchange(ctx, questions...) {
		if err != nil && fatal[i] {
			return out, pg.WrapErr(err, "start recall of %v", ask.Scope.Owners())
		}
	}
	return out, nil
}

func (s *Store) askFrame(ctx context.Context, id pg.PersonID, to *Frame) pg.Question {
	return func(h db.DBTX) error {
		row, err := s.db.Q.MemoryFrame(ctx, h, id.UUID)
		if err == nil {
			*to = memoryFrame(row)
		}
		return err
	}
}

func (s *Store) askBarred(ctx context.Context, in Scope, text string, at time.Time, to *Barred) pg.Question {
	return func(h db.DBTX) error {
		rows, err := s.db.Q.MemoryTopicsUnraisable(ctx, h, db.MemoryTopicsUnraisableParams{
			PersonID: in.Person.UUID, SessionID: in.Session, ProjectID: in.Project, Question: text, At: at,
		})
		if err != nil {
			return err
		}
		*to = Barred{}
		for _, r := range rows {
			if !r.Asked {
				to.Topics, to.Names = append(to.Topics, r.Topics...), append(to.Names, r.Names...)
			}
		}
		return nil
	}
}

func (s *Store) askTerms(ctx context.Context, ask Ask, to *Outset) pg.Question {
	return func(h db.DBTX) error {
		rows, err := s.db.Q.MemoryTerms(ctx, h, db.MemoryTermsParams{PersonID: ask.Scope.Person.UUID, Owners: ask.Scope.Owners(), Words: ask.Words})
		if err != nil {
			return err
		}
		to.Windows = 0
		var terms terms
		for _, r := range rows {
			if r.Lexeme == "" {
				to.Windows += int(r.Windows)
				continue
			}
			terms.add(r.Lexeme, r.Windows, memoryKey{r.OwnerID, r.Key}, r.Places)
		}
		to.Terms = terms.rarestFirst()
		return nil
	}
}

func (s *Store) askCalled(ctx context.Context, ask Ask, to *Outset) pg.Question {
	return func(h db.DBTX) error {
		rows, err := s.db.Q.MemoryTermsCalled(ctx, h, db.MemoryTermsCalledParams{
			PersonID: ask.Scope.Person.UUID, Owners: ask.Scope.Owners(), Words: ask.Callings, MaxRows: ask.MaxNames,
		})
		if err != nil {
			return err
		}
		var terms terms
		for _, r := range rows {
			terms.add(r.Lexeme, r.Windows, memoryKey{r.OwnerID, r.Key}, nil)
		}
		to.Called = terms.rarestFirst()
		return nil
	}
}

func (s *Store) askNamed(ctx context.Context, ask Ask, to *Outset) pg.Question {
	return func(h db.DBTX) error {
		ids, err := s.db.Q.MemoryEntitiesNamed(ctx, h, db.MemoryEntitiesNamedParams{
			PersonID: ask.Scope.Person.UUID, SessionID: ask.Scope.Session, ProjectID: ask.Scope.Project,
			Body: ask.Aliases, MaxRows: ask.MaxNamed,
		})
		to.Named = ids
		return err
	}
}

// Seek says what a recall searches for.
type Seek struct {
	Scope Scope
	// Match finds windows by words. If Newest is set, the newest windows with that lexeme
	// are found instead.
	Match  Match
	Newest string
	// Since and Until are the period that the question names, if any. Among are windows
	// that were found already.
	Since, Until time.Time
	Among        []uuid.UUID
	// Entities are the start of a walk over at most Relations relations.
	Entities  []uuid.UUID
	Relations int
}

// Places holds what a recall found.
type Places struct {
	Windows []DatedWindow // by words, best first
	// Inside are those of Among that are in the period, and Period the newest windows in
	// it.
	Inside, Period []uuid.UUID
	Graph          Graph
	// WindowsErr and GraphErr say which of these could not be read. The graph then has the
	// start of the walk, if that could be read.
	WindowsErr, GraphErr error
}

// DatedWindow is a window with its start.
type DatedWindow struct {
	ID uuid.UUID
	At time.Time
}

// SeekMemory searches, in one round trip, for windows by words and by time, and for the
// neighbours of entities.
func (s *Store) SeekMemory(ctx context.Context, m Seek) (Places, error) {
	var out Places
	var questions []pg.Question
	var fate []*error
	var failed error
	add := func(to *error, q pg.Question) { questions, fate = append(questions, q), append(fate, to) }
	person, session, project := m.Scope.Person.UUID, m.Scope.Session, m.Scope.Project
	switch limit := m.Match.Limit; {
	case m.Newest != "":
		add(&out.WindowsErr, func(h db.DBTX) error {
			rows, err := s.db.Q.MemoryWindowsNewest(ctx, h, db.MemoryWindowsNewestParams{
				PersonID: person, SessionID: session, ProjectID: project, Query: quoteLexeme(m.Newest), MaxRows: limit,
			})
			out.Windows = pg.Each(rows, func(r db.MemoryWindowsNewestRow) DatedWindow { return DatedWindow(r) })
			return err
		})
	case len(m.Match.Terms) > 0:
		add(&out.WindowsErr, func(h db.DBTX) error {
			rows, err := s.db.Q.MemoryWindowsByTerms(ctx, h, m.Match.params(m.Scope))
			out.Windows = pg.Each(rows, func(r db.MemoryWindowsByTermsRow) DatedWindow { return DatedWindow{r.ID, r.At} })
			return err
		})
	}
	if !m.Until.IsZero() {
		if len(m.Among) > 0 {
			add(&failed, func(h db.DBTX) (err error) {
				out.Inside, err = s.db.Q.MemoryWindowsAmong(ctx, h, db.MemoryWindowsAmongParams{Ids: m.Among, Since: m.Since, Until: m.Until})
				return err
			})
		}
		add(&failed, func(h db.DBTX) (err error) {
			out.Period, err = s.db.Q.MemoryWindowsBetween(ctx, h, db.MemoryWindowsBetweenParams{
				PersonID: person, SessionID: session, ProjectID: project, Since: m.Since, Until: m.Until, MaxRows: m.Match.Limit,
			})
			return err
		})
	}
	var own []db.MemoryEntitiesByIDRow
	var related []db.MemoryNeighboursRow
	if len(m.Entities) > 0 {
		add(&out.GraphErr, func(h db.DBTX) (err error) {
			own, err = s.db.Q.MemoryEntitiesByID(ctx, h, db.MemoryEntitiesByIDParams{Ids: m.Entities, PersonID: person, SessionID: session, ProjectID: project})
			return err
		})
		add(&out.GraphErr, func(h db.DBTX) (err error) {
			related, err = s.db.Q.MemoryNeighbours(ctx, h, db.MemoryNeighboursParams{
				Ids: m.Entities, PersonID: person, SessionID: session, ProjectID: project, MaxRows: m.Relations,
			})
			return err
		})
	}
	if len(questions) == 0 {
		return out, nil
	}
	for i, err := range s.db.Exchange(ctx, questions...) {
		*fate[i] = errors.Join(*fate[i], err)
	}
	out.Graph = memoryGraph(own, related)
	return out, pg.WrapErr(failed, "look into memory of %v", m.Scope.Owners())
}

func (m Match) params(in Scope) db.MemoryWindowsByTermsParams {
	p := db.MemoryWindowsByTermsParams{
		PersonID: in.Person.UUID, SessionID: in.Session, ProjectID: in.Project,
		Flatten: m.Flatten, Typical: m.Typical, Pool: m.Pool, MaxRows: m.Limit,
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
	return p
}

// Read says what a recall wants to tell.
type Read struct {
	Scope   Scope
	Windows []uuid.UUID
	At      time.Time
	Config  string   // the text search configuration of the person's language
	Topics  []string // topics that must not come up
	Texts   []string // other texts that may be told
}

// Told holds what a recall may tell.
type Told struct {
	// Windows are in the order asked for, without those that do not exist, that the scope
	// does not see, or that belong to people who do not consent to being remembered.
	Windows []WindowTurns
	// Barred are the turns that mention a topic or that follow such a turn of nAIber's, and
	// the facts that mention one.
	Barred map[uuid.UUID]bool
	// Outdated are those of the turns all of whose facts have ended.
	Outdated []OutdatedTurn
	// Met reports for each of the texts whether it mentions a topic.
	Met []bool
}

// ReadMemory reads, in one round trip, windows with their turns, which of these are
// outdated, and which of all these must not be told.
func (s *Store) ReadMemory(ctx context.Context, r Read) (Told, error) {
	out := Told{Met: make([]bool, len(r.Texts)), Barred: map[uuid.UUID]bool{}}
	person, session, project := r.Scope.Person.UUID, r.Scope.Session, r.Scope.Project
	var questions []pg.Question
	if len(r.Windows) > 0 {
		questions = append(questions, func(h db.DBTX) error {
			rows, err := s.db.Q.MemoryWindowTurns(ctx, h, db.MemoryWindowTurnsParams{
				Ids: r.Windows, PersonID: person, SessionID: session, ProjectID: project, Config: r.Config, Topics: pg.List(r.Topics),
			})
			out.windows(rows)
			return err
		}, func(h db.DBTX) error {
			rows, err := s.db.Q.MemoryTurnsOutdated(ctx, h, db.MemoryTurnsOutdatedParams{
				Windows: r.Windows, At: r.At, PersonID: person, SessionID: session, ProjectID: project, Config: r.Config, Topics: pg.List(r.Topics),
			})
			out.outdated(rows)
			return err
		})
	}
	if len(r.Texts) > 0 && len(r.Topics) > 0 {
		questions = append(questions, func(h db.DBTX) error {
			places, err := s.db.Q.MemoryMatching(ctx, h, db.MemoryMatchingParams{Config: r.Config, Texts: r.Texts, Topics: r.Topics})
			for _, p := range places {
				out.Met[p-1] = true
			}
			return err
		})
	}
	if len(questions) == 0 {
		return out, nil
	}
	return out, pg.WrapErr(errors.Join(s.db.Exchange(ctx, questions...)...), "read %d windows of %v", len(r.Windows), r.Scope.Owners())
}

func (o *Told) windows(rows []db.MemoryWindowTurnsRow) {
	for _, r := range rows {
		if n := len(o.Windows); n == 0 || o.Windows[n-1].ID != r.WindowID {
			o.Windows = append(o.Windows, WindowTurns{ID: r.WindowID})
		}
		w := &o.Windows[len(o.Windows)-1]
		w.Turns = append(w.Turns, memoryTurn(db.MemoryTurn{
			ID: r.ID, PersonID: r.PersonID, SessionID: r.SessionID, ProjectID: r.ProjectID, CallID: r.CallID, Conversation: r.Conversation,
			Seq: r.Seq, Speaker: r.Speaker, Name: r.Name, Text: r.Text, At: r.At, Source: r.Source, SourceKey: r.SourceKey,
		}))
		if r.Barred {
			o.Barred[r.ID] = true
		}
	}
}

func (o *Told) outdated(rows []db.MemoryTurnsOutdatedRow) {
	for _, r := range rows {
		if n := len(o.Outdated); n == 0 || o.Outdated[n-1].Turn != r.TurnID {
			o.Outdated = append(o.Outdated, OutdatedTurn{Turn: r.TurnID, Since: r.Since})
		}
		if r.FactID != uuid.Nil {
			t := &o.Outdated[len(o.Outdated)-1]
			t.Later = append(t.Later, LaterFact{ID: r.FactID, Text: r.Body, Turns: r.Turns})
		}
		if r.Barred {
			o.Barred[r.FactID] = true
		}
	}
}

// OutdatedTurn is a turn all of whose facts have ended.
type OutdatedTurn struct {
	Turn  uuid.UUID
	Since time.Time
	// Later are the facts that replaced its own, and those that replaced these in turn, the
	// earliest learned first.
	Later []LaterFact
}

// LaterFact is a fact that replaced another.
type LaterFact struct {
	ID uuid.UUID
	// Text is empty if the fact no longer holds, or the scope does not see it.
	Text  string
	Turns []uuid.UUID // its source turns
}

// WindowTurns are the turns of one window, in order.
type WindowTurns struct {
	ID    uuid.UUID
	Turns []Turn
}

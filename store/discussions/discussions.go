// Package discussions stores the care council's discussions about people: their events and
// proposed actions.
package discussions

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Store stores them in PostgreSQL. It may be used concurrently.
type Store struct {
	db     *pg.DB
	append pg.Batcher[addition]
}

// New returns a store over an open database.
func New(db *pg.DB) *Store {
	s := &Store{db: db}
	s.append.Do, s.append.Log = s.addAll, db.Log
	return s
}

// The statuses of a discussion.
const (
	Running  = "running"
	Waiting  = "waiting" // for answers from carers
	Complete = "complete"
	Stopped  = "stopped"
	Failed   = "failed" // in a round, which can be retried
)

// The statuses of an action.
const (
	Proposed  = "proposed"
	Confirmed = "confirmed"
	Dismissed = "dismissed"
)

type (
	// Discussion is a discussion about a person. Its Record is what was known of them at
	// its start, in the council's own JSON.
	Discussion = db.Discussion
	// Event is an event in a discussion. Events are numbered from 1, without gaps.
	Event = db.DiscussionEventsAfterRow
	// Action is a proposal of a discussion.
	Action = db.DiscussionAction
)

// NewEvent is an event to be added. Its data is marshaled to JSON.
type NewEvent struct {
	Kind string
	Data any
}

// NewDiscussion is a discussion to be started.
type NewDiscussion struct {
	PersonID pg.PersonID
	Question string
	AskedBy  string
	Rounds   int
	Record   any // marshaled to JSON
	// Sources are the ids of what the record was made from: the discussion is forgotten
	// with any of them.
	Sources []uuid.UUID
	// AsOf is the person's UpdatedAt when the record was read. If anything was forgotten or
	// changed since, nothing is stored. Zero skips the check.
	AsOf time.Time
	// IdempotencyKey and RequestHash identify a repeated request; they may be empty.
	IdempotencyKey string
	RequestHash    []byte
}

// CreateDiscussion stores a new discussion inside tx. It returns [pg.ErrConflict] for a key
// that was used before, and [ErrMoved] for a record that is out of date.
func (s *Store) CreateDiscussion(ctx context.Context, tx pg.Tx, n NewDiscussion) (Discussion, error) {
	if !n.AsOf.IsZero() {
		// Forgetting is either earlier, and seen here, or later, and then finds the
		// discussion.
		if err := s.db.Q.MemoryLock(ctx, tx, n.PersonID.UUID); err != nil {
			return Discussion{}, err
		}
		at, err := s.db.Q.PersonUpdatedAt(ctx, tx, n.PersonID.UUID)
		if err == nil && !at.Equal(n.AsOf) {
			err = ErrMoved
		}
		if err != nil {
			return Discussion{}, err
		}
	}
	record, err := json.Marshal(n.Record)
	if err != nil {
		return Discussion{}, err
	}
	p := db.DiscussionInsertParams{
		DiscussionID: pg.NewID(), PersonID: n.PersonID, Question: pg.Storable(n.Question), AskedBy: pg.Storable(n.AskedBy), Rounds: n.Rounds,
		Record: record, RequestHash: n.RequestHash,
	}
	if n.IdempotencyKey != "" {
		p.IdempotencyKey = &n.IdempotencyKey
	}
	d, err := s.db.Q.DiscussionInsert(ctx, tx, p)
	if err != nil {
		return Discussion{}, err
	}
	return d, s.db.Q.DiscussionSourcesInsert(ctx, tx, db.DiscussionSourcesInsertParams{Sources: n.Sources, DiscussionID: d.DiscussionID})
}

// Discussion returns a discussion, or [pg.ErrNotFound].
func (s *Store) Discussion(ctx context.Context, id uuid.UUID) (Discussion, error) {
	return s.db.Q.DiscussionByID(ctx, s.db.Conn, id)
}

// DiscussionByKey returns the discussion started by a request with this key, or
// [pg.ErrNotFound].
func (s *Store) DiscussionByKey(ctx context.Context, key string) (Discussion, error) {
	return s.db.Q.DiscussionByKey(ctx, s.db.Conn, &key)
}

// Filter narrows a list. Zero fields do not.
type Filter struct {
	PersonID pg.PersonID
	Status   string
	Before   uuid.UUID // only older ones
	Limit    int
}

// Discussions lists discussions, newest first.
func (s *Store) Discussions(ctx context.Context, f Filter) ([]Discussion, error) {
	p := db.DiscussionsListParams{PersonID: f.PersonID.UUID, Before: f.Before, MaxRows: f.Limit}
	if f.Status != "" {
		p.Status = &f.Status
	}
	return s.db.Q.DiscussionsList(ctx, s.db.Conn, p)
}

// Appended holds additions to a discussion other than its events.
type Appended struct {
	Status  string   // the new status; empty leaves it unchanged
	Rounds  int      // the minimum to set
	Actions []Action // with their ids, kinds, texts and days
	// Within, if set, is called in the same transaction.
	Within func(tx pg.Tx) error
}

// ErrMoved says that the discussion, or its subject, has changed in the meantime.
var ErrMoved = errors.New("discussion has moved on")

// An addition is a set of additions to one discussion.
type addition struct {
	id     uuid.UUID
	last   int64
	status string
	rounds int
	events []Event
}

// AppendEvents adds events after the one with the number last, all or none, and returns
// them as stored. If other events were added first, it returns [ErrMoved].
func (s *Store) AppendEvents(ctx context.Context, id uuid.UUID, last int64, also Appended, events ...NewEvent) ([]Event, error) {
	add := addition{id: id, last: last, status: also.Status, rounds: also.Rounds}
	at := time.Now().UTC().Truncate(time.Microsecond)
	for i, e := range events {
		data, err := json.Marshal(e.Data)
		if err != nil {
			return nil, err
		}
		add.events = append(add.events, Event{Seq: last + int64(i) + 1, At: at, Kind: e.Kind, Data: pg.StorableJSON(data)})
	}
	if len(also.Actions) == 0 && also.Within == nil {
		// Batched: each commit that notifies waits for those before it.
		return add.events, s.append.Add(ctx, add)
	}
	a := db.DiscussionActionsInsertParams{DiscussionID: id}
	for _, x := range also.Actions {
		a.Ids, a.Kinds, a.Texts = append(a.Ids, x.ActionID), append(a.Kinds, x.Kind), append(a.Texts, pg.Storable(x.Text))
		a.Days = append(a.Days, x.Days)
	}
	return add.events, s.db.InTx(ctx, func(tx pg.Tx) error {
		if err := s.add(ctx, tx, []addition{add})[0]; err != nil {
			return err
		}
		if err := s.db.Q.DiscussionActionsInsert(ctx, tx, a); err != nil || also.Within == nil {
			return err
		}
		return also.Within(tx)
	})
}

// addAll adds to several discussions in one statement, or separately if the server refuses
// that.
func (s *Store) addAll(ctx context.Context, all []addition) []error {
	errs := s.add(ctx, s.db.Conn, all)
	if _, refused := errors.AsType[*pgconn.PgError](errs[0]); refused && len(all) > 1 {
		for i := range all {
			errs[i] = s.add(ctx, s.db.Conn, all[i:i+1])[0]
		}
	}
	return errs
}

// add adds to discussions in one statement, and returns an error for each.
func (s *Store) add(ctx context.Context, conn db.DBTX, all []addition) []error {
	p := db.DiscussionsAppendParams{Owners: []int{}} // not null, even without events
	errs := make([]error, len(all))
	for i, a := range all {
		p.Ids, p.LastSeqs, p.Statuses, p.Rounds = append(p.Ids, a.id), append(p.LastSeqs, a.last), append(p.Statuses, a.status), append(p.Rounds, a.rounds)
		for _, e := range a.events {
			p.Owners, p.Seqs, p.Ats = append(p.Owners, i+1), append(p.Seqs, e.Seq), append(p.Ats, e.At)
			p.Kinds, p.Datas = append(p.Kinds, e.Kind), append(p.Datas, string(e.Data))
		}
		errs[i] = ErrMoved
	}
	added, err := s.db.Q.DiscussionsAppend(ctx, conn, p)
	for _, n := range added {
		errs[n-1] = nil
	}
	for i := range errs {
		if err != nil {
			errs[i] = err
		}
	}
	return errs
}

// Alive records that a discussion is in progress.
func (s *Store) Alive(ctx context.Context, id uuid.UUID) error {
	return s.db.Q.DiscussionAlive(ctx, s.db.Conn, id)
}

// Stalled is a discussion that should be in progress, with its last event.
type Stalled = db.DiscussionsStalledRow

// Stalled returns the discussions, at most a hundred, that have not been heard of for a
// while.
func (s *Store) Stalled(ctx context.Context, since time.Duration) ([]Stalled, error) {
	return s.db.Q.DiscussionsStalled(ctx, s.db.Conn, since.Seconds())
}

// eventsAtOnce is the maximum number of events of one read.
const eventsAtOnce = 2000

// DiscussionEvents returns the events after the one with a number, in order, at most
// eventsAtOnce.
func (s *Store) DiscussionEvents(ctx context.Context, id uuid.UUID, after int64) ([]Event, error) {
	return s.db.Q.DiscussionEventsAfter(ctx, s.db.Conn, db.DiscussionEventsAfterParams{DiscussionID: id, Seq: after, MaxRows: eventsAtOnce})
}

// Actions returns a discussion's proposals, in the order in which it made them.
func (s *Store) Actions(ctx context.Context, id uuid.UUID) ([]Action, error) {
	return s.db.Q.DiscussionActions(ctx, s.db.Conn, id)
}

// Action returns one of a discussion's actions, or [pg.ErrNotFound]. tx may be nil.
func (s *Store) Action(ctx context.Context, tx pg.Tx, id, action uuid.UUID) (Action, error) {
	return s.db.Q.DiscussionAction(ctx, s.db.Handle(tx), db.DiscussionActionParams{ActionID: action, DiscussionID: id})
}

// DecideAction confirms or dismisses an action inside tx. It returns [pg.ErrNotFound] if
// there is no such action, or it was decided before.
func (s *Store) DecideAction(ctx context.Context, tx pg.Tx, id, action uuid.UUID, status, by, note string) (Action, error) {
	by, note = pg.Storable(by), pg.Storable(note)
	return s.db.Q.DiscussionActionDecide(ctx, tx, db.DiscussionActionDecideParams{
		Status: status, DecidedBy: &by, Note: &note, ActionID: action, DiscussionID: id,
	})
}

// Forgetting selects a person's discussions to forget: all, or those that used any of the
// sources, or that started before a time and mention a topic.
type Forgetting struct {
	Person  pg.PersonID
	All     bool
	Sources []uuid.UUID
	Topics  []string
	Until   time.Time
	Config  string // the text search configuration of the person's language
}

// ForgetDiscussions deletes discussions inside tx, with the threads of their rounds, and
// returns their ids.
func (s *Store) ForgetDiscussions(ctx context.Context, tx pg.Tx, f Forgetting) ([]uuid.UUID, error) {
	return s.db.Q.DiscussionsForget(ctx, tx, db.DiscussionsForgetParams{
		PersonID: f.Person, Everything: f.All, Sources: f.Sources, Topics: pg.List(f.Topics), Until: f.Until, Config: f.Config,
	})
}

package store

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/chats"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/embeddings"
	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/ids"
	"github.com/naiber/naiber/store/internal/pg"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/parts"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/repairs"
	"github.com/naiber/naiber/store/schedules"
	"github.com/naiber/naiber/store/webhooks"
)

// What the stores share.
type (
	// Tx is an open transaction, handed to whoever must take part in it.
	Tx = pg.Tx
	// PersonID names a person: somebody who is phoned.
	PersonID = pg.PersonID
	// CallID names a call, ours, from the decision to dial until its end.
	CallID = pg.CallID
	// TurnID names one request for a turn of a call.
	TurnID = pg.TurnID
)

// Errors of every store.
var (
	// ErrNotFound says that there is no such row. A query that failed is another error.
	ErrNotFound = pg.ErrNotFound
	// ErrConflict says that a rule of the schema (named in the text) forbids the change.
	ErrConflict = pg.ErrConflict
	// ErrUnstorable says that a value cannot be kept, whenever it is tried.
	ErrUnstorable = pg.ErrUnstorable
)

// NewPersonID returns a fresh id; later ids sort after earlier ones.
func NewPersonID() PersonID { return ids.NewPersonID() }

// NewCallID returns a fresh id; later ids sort after earlier ones.
func NewCallID() CallID { return ids.NewCallID() }

// NewTurnID returns a fresh id; later ids sort after earlier ones.
func NewTurnID() TurnID { return ids.NewTurnID() }

// ParsePersonID reads an id as it stands in URLs and JSON.
func ParsePersonID(s string) (PersonID, error) { return ids.ParsePersonID(s) }

// ParseCallID reads an id as it stands in URLs, JSON and call tokens.
func ParseCallID(s string) (CallID, error) { return ids.ParseCallID(s) }

// Storable returns text as PostgreSQL takes it: valid UTF-8 without NUL.
func Storable(text string) string { return pg.Storable(text) }

// Unreachable reports whether err means that the database could not be reached,
// or ended the conversation, rather than that it refused.
func Unreachable(err error) bool { return pg.Unreachable(err) }

// MaxConns bounds the pool, unless the address has a pool_max_conns.
func MaxConns(n int) func(*pgxpool.Config) { return pg.MaxConns(n) }

// Each has its name, so that one struct can embed them all.
type (
	peopleStore     = people.Store
	callStore       = calls.Store
	checkStore      = checks.Store
	cognitionStore  = cognition.Store
	alertStore      = alerts.Store
	memoryStore     = memories.Store
	chatStore       = chats.Store
	embeddingsStore = embeddings.Store
	discussionStore = discussions.Store
	repairStore     = repairs.Store
	mailStore       = mails.Store
	partStore       = parts.Store
	scheduleStore   = schedules.Store
	webhookStore    = webhooks.Store
)

// Store is the database with all that is kept in it. It may be used concurrently.
type Store struct {
	db *pg.DB
	*peopleStore
	*callStore
	*checkStore
	*cognitionStore
	*alertStore
	*memoryStore
	*chatStore
	*embeddingsStore
	*discussionStore
	*repairStore
	*mailStore
	*partStore
	*scheduleStore
	*webhookStore
}

// Open connects to the database at url and checks that it answers. It changes
// nothing there; see [Store.Migrate]. The options change the pool before it is made.
func Open(ctx context.Context, url string, log *slog.Logger, options ...func(*pgxpool.Config)) (*Store, error) {
	db, err := pg.Open(ctx, url, log, options...)
	if err != nil {
		return nil, err
	}
	p := people.New(db)
	c := calls.New(db, p)
	return &Store{db, p, c, checks.New(db), cognition.New(db), alerts.NewStore(db), memories.New(db), chats.New(db), embeddings.New(db), discussions.New(db), repairs.New(db), mails.New(db), parts.New(db), schedules.New(db), webhooks.New(db)}, nil
}

// Close waits for running queries and closes all connections.
func (s *Store) Close() { s.db.Pool.Close() }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// ServerVersion returns the version of the database's server, as a number such as
// 160004 and in words: 16.4.
func (s *Store) ServerVersion(ctx context.Context) (number int, words string, err error) {
	return s.db.ServerVersion(ctx)
}

// Pool lends the connections to what brings statements of its own: the job queue,
// which keeps its own tables, and checkpoints.
func (s *Store) Pool() *pgxpool.Pool { return s.db.Pool }

// Together asks one statement, in one round trip with those that others ask at the
// same time.
func (s *Store) Together(ctx context.Context, ask func(db.DBTX) error) error {
	return s.db.Together(ctx, ask)
}

// InTx runs do in one transaction: all of it happens, or none.
func (s *Store) InTx(ctx context.Context, do func(tx Tx) error) error { return s.db.InTx(ctx, do) }

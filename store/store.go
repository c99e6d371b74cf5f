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

// Types that the stores share.
type (
	// Tx is an open transaction.
	Tx = pg.Tx
	// PersonID identifies a person whom nAIber calls.
	PersonID = pg.PersonID
	// CallID is our id of a call, from the decision to dial until its end.
	CallID = pg.CallID
	// TurnID identifies one request for a turn of a call.
	TurnID = pg.TurnID
)

// Errors of every store.
var (
	// ErrNotFound says that there is no such row. A failed query returns another error.
	ErrNotFound = pg.ErrNotFound
	// ErrConflict says that a constraint of the schema (named in the text) forbids the
	// change.
	ErrConflict = pg.ErrConflict
	// ErrUnstorable says that a value cannot be stored, so a retry is useless.
	ErrUnstorable = pg.ErrUnstorable
)

// NewPersonID returns a new id; later ids sort after earlier ones.
func NewPersonID() PersonID { return ids.NewPersonID() }

// NewCallID returns a new id; later ids sort after earlier ones.
func NewCallID() CallID { return ids.NewCallID() }

// NewTurnID returns a new id; later ids sort after earlier ones.
func NewTurnID() TurnID { return ids.NewTurnID() }

// ParsePersonID parses an id in the form used in URLs and JSON.
func ParsePersonID(s string) (PersonID, error) { return ids.ParsePersonID(s) }

// ParseCallID parses an id in the form used in URLs, JSON and call tokens.
func ParseCallID(s string) (CallID, error) { return ids.ParseCallID(s) }

// Storable returns text in the form that PostgreSQL accepts: valid UTF-8 without NUL.
func Storable(text string) string { return pg.Storable(text) }

// Unreachable reports whether err means that the database could not be reached, or closed
// the connection, rather than that it refused a statement.
func Unreachable(err error) bool { return pg.Unreachable(err) }

// MaxConns returns an option that limits the pool, unless the URL has a pool_max_conns.
func MaxConns(n int) func(*pgxpool.Config) { return pg.MaxConns(n) }

// Each store has its own name, since one struct embeds them all.
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

// Store is the database with all stores. It may be used concurrently.
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

// Open connects to the database at url and checks that it answers. It changes nothing
// there; see [Store.Migrate]. The options modify the pool's configuration.
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

// Ping returns an error unless the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// ServerVersion returns the version of the database server, as a number such as 160004 and
// in words: 16.4.
func (s *Store) ServerVersion(ctx context.Context) (number int, words string, err error) {
	return s.db.ServerVersion(ctx)
}

// Pool returns the connection pool, for code with its own statements: the job queue, which
// has its own tables, and checkpoints.
func (s *Store) Pool() *pgxpool.Pool { return s.db.Pool }

// Together runs one statement, in one round trip with those that others run at the same
// time.
func (s *Store) Together(ctx context.Context, ask func(db.DBTX) error) error {
	return s.db.Together(ctx, ask)
}

// InTx runs do in one transaction, which is rolled back if do returns an error.
func (s *Store) InTx(ctx context.Context, do func(tx Tx) error) error { return s.db.InTx(ctx, do) }

// Package pg provides what the stores share: the connection, transactions, errors, ids, and
// conversions between rows and values.
package pg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/naiber/naiber/store/internal/db"
)

// DB is the database that the stores share. It may be used concurrently.
type DB struct {
	Pool *pgxpool.Pool
	Conn db.DBTX // the pool, with queries added to errors
	Q    *db.Queries
	Log  *slog.Logger

	together Batcher[Question]
}

// ConnectTimeout limits the first connection, so that a wrong address is reported; a right
// one may take a while on a machine that has just started.
const ConnectTimeout = 30 * time.Second

// Open connects to the database at url and checks that it answers. It changes nothing
// there. The options modify the pool's configuration.
func Open(ctx context.Context, url string, log *slog.Logger, options ...func(*pgxpool.Config)) (*DB, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("database url cannot be read (its text is kept out of the log, since it may hold a password)")
	}
	for _, option := range options {
		option(cfg)
	}
	return open(ctx, cfg, log)
}

// MaxConns returns an option that limits the pool, unless the URL has a pool_max_conns.
func MaxConns(n int) func(*pgxpool.Config) {
	return func(cfg *pgxpool.Config) {
		if !strings.Contains(cfg.ConnString(), "pool_max_conns=") {
			cfg.MaxConns = int32(n) //nolint:gosec // the configuration checks it
		}
	}
}

func open(ctx context.Context, cfg *pgxpool.Config, log *slog.Logger) (*DB, error) {
	if cfg.ConnConfig.RuntimeParams["application_name"] == "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = "naiber"
	}
	cfg.AfterConnect = knowUUIDs
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open database pool: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, ConnectTimeout)
	defer cancel()
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("reach database at %s:%d: %w", cfg.ConnConfig.Host, cfg.ConnConfig.Port, err)
	}
	s := &DB{Pool: pool, Conn: handle{pool}, Q: db.New(), Log: log}
	s.together.Do, s.together.Log = s.askAll, log
	return s, nil
}

// Ping returns an error unless the database answers.
func (s *DB) Ping(ctx context.Context) error {
	if err := s.Pool.Ping(ctx); err != nil {
		return fmt.Errorf("ping database: %w", err)
	}
	return nil
}

// ServerVersion returns the version of the database server, as a number such as 160004 and
// in words: 16.4.
func (s *DB) ServerVersion(ctx context.Context) (number int, words string, err error) {
	const sql = "select current_setting('server_version_num')::int, split_part(current_setting('server_version'), ' ', 1)"
	err = s.Conn.QueryRow(ctx, sql).Scan(&number, &words)
	return number, words, WrapErr(err, "version of the database")
}

// InTx runs do in one transaction, which is rolled back if do returns an error.
func (s *DB) InTx(ctx context.Context, do func(tx Tx) error) error {
	return pgx.BeginFunc(ctx, s.Pool, with(do))
}

// Within runs do in a savepoint of tx: if do fails, only its changes are undone, and tx may
// continue.
func Within(ctx context.Context, tx Tx, do func(tx Tx) error) error {
	return pgx.BeginFunc(ctx, tx.Driver(), with(do))
}

// InSnapshot runs do in a read-only transaction that sees the database as of its start.
func (s *DB) InSnapshot(ctx context.Context, do func(tx Tx) error) error {
	opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, s.Pool, opts, with(do))
}

// Handle returns tx, or the pool if tx is nil.
func (s *DB) Handle(tx Tx) db.DBTX {
	if tx == nil {
		return s.Conn
	}
	return tx
}

package pg

import (
	"context"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/naiber/naiber/store/internal/db"
)

// Tx is an open transaction.
type Tx interface {
	db.DBTX
	// Driver returns the driver's own transaction, for a library with its own statements,
	// such as the job queue.
	Driver() pgx.Tx
}

type transaction struct {
	handle
	tx pgx.Tx
}

// Driver implements [Tx].
func (t transaction) Driver() pgx.Tx { return t.tx }

// with returns a function that calls do with the driver's transaction as a [Tx].
func with(do func(Tx) error) func(pgx.Tx) error {
	return func(tx pgx.Tx) error { return do(transaction{handle{tx}, tx}) }
}

// handle wraps a database handle and adds the query to errors (see [WrapErr]), so a method
// with a single query need not add anything.
type handle struct{ to db.DBTX }

// Exec implements [db.DBTX].
func (h handle) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	tag, err := h.to.Exec(ctx, sql, args...)
	return tag, question{sql, args}.failed(err)
}

// Query implements [db.DBTX].
func (h handle) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	asked := question{sql, args}
	rows, err := h.to.Query(ctx, sql, args...)
	return answer{rows, asked}, asked.failed(err)
}

// QueryRow implements [db.DBTX].
func (h handle) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return answerRow{h.to.QueryRow(ctx, sql, args...), question{sql, args}}
}

type answer struct {
	pgx.Rows
	asked question
}

// Err implements [pgx.Rows].
func (a answer) Err() error { return a.asked.failed(a.Rows.Err()) }

// Scan implements [pgx.Rows].
func (a answer) Scan(to ...any) error { return a.asked.failed(a.Rows.Scan(to...)) }

type answerRow struct {
	row   pgx.Row
	asked question
}

// Scan implements [pgx.Row].
func (a answerRow) Scan(to ...any) error { return a.asked.failed(a.row.Scan(to...)) }

// question is a statement with its arguments.
type question struct {
	sql  string
	args []any
}

func (q question) failed(err error) error {
	if err == nil {
		return nil
	}
	return WrapErr(err, "%s", q)
}

// String returns the query's sqlc name, as words, and its id arguments; no other value
// belongs in a log.
func (q question) String() string {
	name, named := strings.CutPrefix(q.sql, "-- name: ")
	if !named {
		return "ask the database"
	}
	name, _, _ = strings.Cut(name, " ")
	var b strings.Builder
	lower := false
	for _, r := range name {
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	for _, arg := range q.args {
		if id, ok := idOf(arg); ok && id != uuid.Nil {
			b.WriteString(" " + id.String())
		}
	}
	return b.String()
}

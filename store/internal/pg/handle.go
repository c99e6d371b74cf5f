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

// Tx is an open transaction, handed to whoever must take part in it.
type Tx interface {
	db.DBTX
	// Driver returns the driver's own transaction, for a library that brings its own
	// statements, as the job queue does.
	Driver() pgx.Tx
}

type transaction struct {
	handle
	tx pgx.Tx
}

// Driver implements [Tx].
func (t transaction) Driver() pgx.Tx { return t.tx }

// with has do take part in a transaction of the driver.
func with(do func(Tx) error) func(pgx.Tx) error {
	return func(tx pgx.Tx) error { return do(transaction{handle{tx}, tx}) }
}

// handle asks the database, and makes errors say what was asked; see [WrapErr]. So
// a method that asks one query has nothing to add.
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

// question is a statement as it was asked.
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

// String returns the name that sqlc gives a query, as words, and the ids that it
// was asked of: no other value belongs into a log.
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

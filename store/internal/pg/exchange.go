package pg

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/naiber/naiber/store/internal/db"
)

// Question asks one statement of a handle. It is called more than once, and keeps
// what it read only where the statement succeeded.
type Question func(db.DBTX) error

// OnePlan has the statements that follow it in a batch planned once for all their
// values: those of a recall take longer to plan than to run, and each of their
// steps goes by an index whatever it is asked.
const OnePlan = "select set_config('plan_cache_mode', 'force_generic_plan', true)"

// Exchange asks several questions in one round trip and returns the error of each.
// A statement that the server refuses would take the others of a batch with it:
// then each that has no answer yet is asked by itself.
func (s *DB) Exchange(ctx context.Context, questions ...Question) []error {
	errs := make([]error, len(questions))
	var b pgx.Batch
	b.Queue(OnePlan)
	for _, ask := range questions {
		if err := ask(queue{&b}); !errors.Is(err, errQueued) {
			panic("a question of an exchange has to ask one statement, and return its error")
		}
	}
	sent := s.Pool.SendBatch(ctx, &b)
	_, _ = sent.Exec() // where it fails, so does the first question
	failed := len(questions)
	for i, ask := range questions {
		if errs[i] = ask(answers{sent}); errs[i] != nil && !errors.Is(errs[i], pgx.ErrNoRows) {
			failed = i
			break
		}
	}
	if err := sent.Close(); failed == len(questions) {
		if err != nil {
			errs[0] = err
		}
		return errs
	}
	cause := errs[failed]
	_, refused := errors.AsType[*pgconn.PgError](cause)
	for i, ask := range questions[failed:] {
		if errs[failed+i] = cause; refused && ctx.Err() == nil {
			errs[failed+i] = ask(s.Conn)
		}
	}
	return errs
}

// errQueued says that a statement waits to be sent.
var errQueued = errors.New("queued")

// queue is a handle that notes what it is asked.
type queue struct{ batch *pgx.Batch }

// Exec implements [db.DBTX].
func (q queue) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	q.batch.Queue(sql, args...)
	return pgconn.CommandTag{}, errQueued
}

// Query implements [db.DBTX].
func (q queue) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	q.batch.Queue(sql, args...)
	return nil, errQueued
}

// QueryRow implements [db.DBTX].
func (q queue) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	q.batch.Queue(sql, args...)
	return noRow{}
}

type noRow struct{}

// Scan implements [pgx.Row].
func (noRow) Scan(...any) error { return errQueued }

// answers is a handle that reads the answers to what was queued, in order.
type answers struct{ sent pgx.BatchResults }

// Exec implements [db.DBTX].
func (a answers) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return a.sent.Exec()
}

// Query implements [db.DBTX].
func (a answers) Query(context.Context, string, ...any) (pgx.Rows, error) { return a.sent.Query() }

// QueryRow implements [db.DBTX].
func (a answers) QueryRow(context.Context, string, ...any) pgx.Row { return a.sent.QueryRow() }

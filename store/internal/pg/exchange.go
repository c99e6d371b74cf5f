package pg

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/naiber/naiber/store/internal/db"
)

// Question runs one statement on a handle. It is called more than once, and must keep what
// it read only if the statement succeeded.
type Question func(db.DBTX) error

// OnePlan makes the statements that follow it in a batch use one plan for all values: those
// of a recall take longer to plan than to run, and each of their steps uses an index for
// any value.
const OnePlan = "select set_config('plan_cache_mode', 'force_generic_plan', true)"

// Exchange asks several questions in one round trip and returns the error of each. If the
// server refuses a statement, the rest of the batch fails with it: then each question
// without an answer is asked separately.
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
	_, _ = sent.Exec() // if it fails, so does the first question
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

// errQueued says that a statement is queued.
var errQueued = errors.New("queued")

// queue is a handle that queues statements.
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

// answers is a handle that reads the answers to the queued statements, in order.
type answers struct{ sent pgx.BatchResults }

// Exec implements [db.DBTX].
func (a answers) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return a.sent.Exec()
}

// Query implements [db.DBTX].
func (a answers) Query(context.Context, string, ...any) (pgx.Rows, error) { return a.sent.Query() }

// QueryRow implements [db.DBTX].
func (a answers) QueryRow(context.Context, string, ...any) pgx.Row { return a.sent.QueryRow() }

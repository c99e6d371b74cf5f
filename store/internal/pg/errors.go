package pg

import (
	"errors"
	"fmt"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrNotFound says that there is no such row. A query that failed is another error.
var ErrNotFound = errors.New("not found")

// ErrConflict says that a rule of the schema (named in the text) forbids the change.
var ErrConflict = errors.New("conflict")

// ErrUnstorable says that a value cannot be kept, whenever it is tried.
var ErrUnstorable = errors.New("cannot be kept")

// queryError is a driver's error as one of this package's, with what was being tried.
// The driver's own text is left out: it would quote the value.
type queryError struct {
	text        string
	kind, cause error
}

// Error implements error.
func (e *queryError) Error() string { return e.text + ": " + e.kind.Error() }

// Unwrap returns the kind of failure, and the driver's error.
func (e *queryError) Unwrap() []error { return []error{e.kind, e.cause} }

// WrapErr turns a driver's error into one of this package's, with what was being tried.
func WrapErr(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	what := fmt.Sprintf(format, args...)
	if errors.Is(err, pgx.ErrNoRows) {
		return &queryError{what, ErrNotFound, err}
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code {
		case pgerrcode.UniqueViolation, pgerrcode.ForeignKeyViolation, pgerrcode.CheckViolation, pgerrcode.NotNullViolation:
			return &queryError{what + ": " + pg.ConstraintName, ErrConflict, err}
		}
		if pgerrcode.IsDataException(pg.Code) || pgerrcode.IsProgramLimitExceeded(pg.Code) {
			return &queryError{what + ": " + pg.Code, ErrUnstorable, err}
		}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// OrAbsent returns [ErrNotFound] where a change met no row.
func OrAbsent(rows int64, err error) error {
	if err == nil && rows == 0 {
		return ErrNotFound
	}
	return err
}

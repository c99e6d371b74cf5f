package pg

import (
	"errors"
	"fmt"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrNotFound says that there is no such row. A failed query returns another error.
var ErrNotFound = errors.New("not found")

// ErrConflict says that a constraint of the schema (named in the text) forbids the change.
var ErrConflict = errors.New("conflict")

// ErrUnstorable says that a value cannot be stored, so a retry is useless.
var ErrUnstorable = errors.New("cannot be kept")

// queryError is a driver's error as one of this package's, with the operation that failed.
// It leaves out the driver's own text, which would quote the value.
type queryError struct {
	text        string
	kind, cause error
}

// Error returns the operation and the kind of failure.
func (e *queryError) Error() string { return e.text + ": " + e.kind.Error() }

// Unwrap returns the kind of failure, and the driver's error.
func (e *queryError) Unwrap() []error { return []error{e.kind, e.cause} }

// WrapErr converts a driver's error to one of this package's, with the operation that
// failed.
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

// OrAbsent returns [ErrNotFound] if a change affected no row.
func OrAbsent(rows int64, err error) error {
	if err == nil && rows == 0 {
		return ErrNotFound
	}
	return err
}

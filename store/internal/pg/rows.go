package pg

import (
	"errors"

	"github.com/google/uuid"
)

// Each maps rows to domain values; the result is never nil.
func Each[R, D any](rows []R, to func(R) D) []D {
	out := make([]D, len(rows))
	for i, r := range rows {
		out[i] = to(r)
	}
	return out
}

// UUIDs returns the ids of people in the type of array parameters.
func UUIDs(people []PersonID) []uuid.UUID {
	return Each(people, func(p PersonID) uuid.UUID { return p.UUID })
}

// List returns s, or an empty list for nil, for a not-null array column.
func List(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// Count converts a number of rows to an int.
func Count(rows int64, err error) (int, error) { return int(rows), err }

// Any reports whether a change affected a row.
func Any(rows int64, err error) (bool, error) { return rows > 0, err }

// IfAny returns a row and true, or false without an error if there is none.
func IfAny[R any](row R, err error) (_ R, found bool, _ error) {
	if errors.Is(err, ErrNotFound) {
		err = nil
	} else {
		found = err == nil
	}
	return row, found, err
}

// Optional returns nil for the empty string; [Value] is its inverse.
func Optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Value returns the empty string for nil.
func Value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

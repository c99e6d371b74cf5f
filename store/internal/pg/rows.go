package pg

import "github.com/google/uuid"

// Each maps rows to domain values; the result is never nil.
func Each[R, D any](rows []R, to func(R) D) []D {
	out := make([]D, len(rows))
	for i, r := range rows {
		out[i] = to(r)
	}
	return out
}

// List is what a not-null array column wants for "none".
func List(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// OrAbsent is [ErrNotFound] where a change met no row.
func OrAbsent(rows int64, err error) error {
	if err == nil && rows == 0 {
		return ErrNotFound
	}
	return err
}

// Optional is how an empty string becomes null; value is its way back.
func Optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func Value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// OptionalID is null for the zero id.
func OptionalID(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

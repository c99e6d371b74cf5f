package pg

// Each maps rows to domain values; the result is never nil.
func Each[R, D any](rows []R, to func(R) D) []D {
	out := make([]D, len(rows))
	for i, r := range rows {
		out[i] = to(r)
	}
	return out
}

// List returns s, or an empty list for nil: what a not-null array column takes for "none".
func List(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// OrAbsent returns [ErrNotFound] where a change met no row.
func OrAbsent(rows int64, err error) error {
	if err == nil && rows == 0 {
		return ErrNotFound
	}
	return err
}

// Optional returns null for the empty string; [Value] is its way back.
func Optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Value returns the empty string for null.
func Value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

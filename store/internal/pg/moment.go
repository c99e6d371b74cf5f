package pg

import "time"

// Moment returns a pointer to t for a nullable column, or nil for the zero time.
func Moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Instant is the inverse of [Moment]: it returns the zero time for nil.
func Instant(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

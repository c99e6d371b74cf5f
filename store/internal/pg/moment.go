package pg

import "time"

// Moment is a time as a column takes it, in which null means that there is none.
func Moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Instant is the way back from [Moment].
func Instant(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

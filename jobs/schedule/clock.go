package schedule

import (
	"fmt"
	"time"
)

// day returns the date of a time in a zone, as midnight UTC.
func day(t time.Time, loc *time.Location) time.Time {
	y, m, d := t.In(loc).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// readClock parses "HH:MM" as the time since midnight.
func readClock(text string) (time.Duration, error) {
	t, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, fmt.Errorf("%q is not a time of day such as 09:30", text)
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, nil
}

// at returns the first moment of a date at which the clock in a zone shows a time of day
// or, if the clock skips it, the moment of the skip. ok is false if the zone skips the
// whole date.
func at(date time.Time, clock time.Duration, loc *time.Location) (moment time.Time, ok bool) {
	wall := date.Add(clock)
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), 0, 0, loc)
	begin, end := t.ZoneBounds()
	switch shown := onWall(t); {
	case shown.Equal(wall):
		// If the clock was set back, it may have been shown before.
		if !begin.IsZero() {
			_, before := begin.Add(-time.Second).In(loc).Zone()
			if earlier := wall.Add(-time.Duration(before) * time.Second); earlier.Before(begin) {
				t = earlier.In(loc)
			}
		}
	case shown.After(wall):
		t = begin // the clock jumped over wall
	default:
		t = end
	}
	return t, day(t, loc).Equal(date)
}

// onWall returns the local clock reading of t, as a time in UTC.
func onWall(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

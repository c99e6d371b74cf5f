package escalation

import (
	"testing"
	"time"
)

func TestWithinHours(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 3, day, hour, minute, 0, 0, berlin) }
	for _, c := range []struct {
		name      string
		now       time.Time
		from, to  string
		wantAfter time.Duration
	}{
		{"inside", at(3, 9, 0), "08:00", "20:00", 0},
		{"at the start", at(3, 8, 0), "08:00", "20:00", 0},
		{"at the end", at(3, 20, 0), "08:00", "20:00", 12 * time.Hour},
		{"before", at(3, 6, 30), "08:00", "20:00", 90 * time.Minute},
		{"after", at(3, 23, 0), "08:00", "20:00", 9 * time.Hour},
		{"over midnight, inside", at(3, 1, 0), "22:00", "06:00", 0},
		{"over midnight, outside", at(3, 12, 0), "22:00", "06:00", 10 * time.Hour},
		{"the whole day", at(3, 12, 0), "00:00", "00:00", 0},
		{"no hours", at(3, 12, 0), "", "", 0},
		{"the night that lacks an hour", at(28, 23, 0), "08:00", "20:00", 8 * time.Hour},
		{"an hour that there is not", at(28, 23, 0), "02:30", "02:45", 4*time.Hour - 30*time.Minute},
	} {
		if got := within(c.now, berlin, c.from, c.to).Sub(c.now); got != c.wantAfter {
			t.Errorf("%s: after %s; want %s", c.name, got, c.wantAfter)
		}
	}
}

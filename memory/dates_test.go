package memory

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPeriodIn(t *testing.T) {
	t.Parallel()
	loc, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, time.November, 3, 9, 30, 0, 0, loc) // a Tuesday
	for _, row := range []struct{ says, since, until string }{
		{"What did I eat yesterday?", "2026-11-02", "2026-11-03"},
		{"the day before yesterday", "2026-11-01", "2026-11-02"},
		{"What did we say this morning", "2026-11-03", "2026-11-04"},
		{"last Tuesday", "2026-10-27", "2026-10-28"},
		{"On Sunday, you know", "2026-11-01", "2026-11-02"},
		{"this Tuesday", "2026-11-03", "2026-11-04"},
		{"last week", "2026-10-26", "2026-11-02"},
		{"this month", "2026-11-01", "2026-12-01"},
		{"last year", "2025-01-01", "2026-01-01"},
		{"over the weekend", "2026-10-31", "2026-11-02"},
		{"three weeks ago", "2026-10-10", "2026-10-17"},
		{"10 days ago", "2026-10-24", "2026-10-25"},
		{"a few months ago", "2026-08-01", "2026-09-01"},
		{"in May", "2026-05-01", "2026-06-01"},
		{"Back in December 2024", "2024-12-01", "2025-01-01"},
		{"December was cold", "2025-12-01", "2026-01-01"},
		{"on the 5th of October", "2026-10-05", "2026-10-06"},
		{"November 20th", "2025-11-20", "2025-11-21"},
		{"March 3, 2026", "2026-03-03", "2026-03-04"},
		{"2026-02-14", "2026-02-14", "2026-02-15"},
		{"at Christmas", "2025-12-23", "2025-12-28"},
		{"last winter", "2025-12-01", "2026-03-01"},
		{"in 1952", "1952-01-01", "1953-01-01"},
		{"May I ask you something?", "", ""},
		{"I march along like an august lady", "", ""},
		{"What about on Tuesdays?", "", ""},
		{"Tell me about Tom", "", ""},
		{"", "", ""},
	} {
		got, ok := periodIn(row.says, now)
		if !ok && row.since == "" {
			continue
		}
		if since, until := got.since.Format(time.DateOnly), got.until.Format(time.DateOnly); !ok || since != row.since || until != row.until {
			t.Errorf("%q: %s to %s (%v), want %s to %s", row.says, since, until, ok, row.since, row.until)
		}
		if ok && got.since.Location() != loc {
			t.Errorf("%q: a day of %s", row.says, got.since.Location())
		}
	}
}

func FuzzPeriodIn(f *testing.F) {
	f.Add("last Tuesday the 31st of February 2024")
	f.Fuzz(func(t *testing.T, says string) {
		if p, ok := periodIn(says, november); ok && !p.until.After(p.since) {
			t.Errorf("%q: %v to %v", says, p.since, p.until)
		}
		lower := strings.ToLower(says)
		if slices.ContainsFunc(dateRules, func(r dateRule) bool { return r.says.MatchString(lower) }) && !mayDate(lower) {
			t.Errorf("%q is not looked at though a rule reads it", says)
		}
	})
}

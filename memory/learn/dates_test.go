package learn

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store/memories"
)

// evening is that of Tuesday, 3 November 2026, in an awkward time zone.
func evening(t *testing.T) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("Canada/Newfoundland")
	if err != nil {
		t.Fatal(err)
	}
	return time.Date(2026, time.November, 3, 23, 30, 0, 0, zone)
}

// A plan holds until the last of its days has passed.
func TestAPlanHoldsUntilItsLastDay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskFacts, facts(fact("Tom comes on Monday and leaves on Friday", "plan", 1)))
	h.learn(t, h.call(t, tuesday, "Tom comes on Monday and leaves on Friday."))
	want := []string{"Tom comes on Monday 9 November 2026 and leaves on Friday 13 November 2026 until 2026-11-14"}
	got := h.column(t, "select text || ' until ' || (valid_to at time zone 'America/New_York')::date from memory_facts")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Words that hang on the day of the call are told with that day.
func TestFactLine(t *testing.T) {
	t.Parallel()
	day := evening(t)
	for _, test := range []struct{ kind, text, want string }{
		{"person", "Tom comes on Monday", "Tom comes on Monday (told on Tuesday 3 November 2026)"},
		{"person", "Tom fell a few weeks ago", "Tom fell a few weeks ago (told on Tuesday 3 November 2026)"},
		{"person", "Tom fell last Monday", "Tom fell last Monday (told on Tuesday 3 November 2026)"},
		{"person", "Tom fell on Monday 2 November 2026", "Tom fell on Monday 2 November 2026"},
		{"routine", "Margaret goes to church on Sunday", "Margaret goes to church on Sunday"},
		{"like", "Margaret grows roses", "Margaret grows roses"},
	} {
		f := memories.Fact{Kind: test.kind, Text: test.text, LearnedAt: day.UTC()}
		if got := FactLine(f, day.Location()); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

package english_test

import (
	"testing"
	"time"

	"github.com/naiber/naiber/internal/english"
)

// evening is that of Tuesday, 3 November 2026, in an awkward time zone.
func evening(tb testing.TB) time.Time {
	tb.Helper()
	zone, err := time.LoadLocation("Canada/Newfoundland")
	if err != nil {
		tb.Fatal(err)
	}
	return time.Date(2026, time.November, 3, 23, 30, 0, 0, zone)
}

func TestPeriod(t *testing.T) {
	t.Parallel()
	now := evening(t)
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
		{"on 29 February", "2024-02-29", "2024-03-01"},
		{"on the 31st of April", "", ""},
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
		{"twenty five years ago", "2001-01-01", "2002-01-01"},
		{"a fortnight ago", "2026-10-17", "2026-10-24"},
		{"on Sunday the 25th of October", "2026-10-25", "2026-10-26"},
		{"What about next Friday?", "", ""},
		{"Will Tom come tomorrow?", "", ""},
		{"Did I tell you of Friday last week", "2026-10-30", "2026-10-31"},
	} {
		got, ok := english.Period(row.says, now)
		if !ok && row.since == "" {
			continue
		}
		if since, until := got.From.Format(time.DateOnly), got.To.Format(time.DateOnly); !ok || since != row.since || until != row.until {
			t.Errorf("%q: %s to %s (%v), want %s to %s", row.says, since, until, ok, row.since, row.until)
		}
		if ok && got.From.Location() != now.Location() {
			t.Errorf("%q: a day of %s", row.says, got.From.Location())
		}
	}
}

var readings = map[string]english.Reading{"": english.ByTense, "plan": english.Planned, "routine": english.Habitual}

func TestResolve(t *testing.T) {
	t.Parallel()
	day := evening(t)
	for _, test := range []struct {
		kind, in, want string // want empty: as it is
	}{
		{"", "Tom fell yesterday", "Tom fell on Monday 2 November 2026"},
		{"", "Yesterday Tom fell", "On Monday 2 November 2026 Tom fell"},
		{"", "Susan comes tomorrow afternoon", "Susan comes on Wednesday 4 November 2026"},
		{"", "Susan will come on Saturday", "Susan will come on Saturday 7 November 2026"},
		{"", "Susan came on Saturday", "Susan came on Saturday 31 October 2026"},
		{"", "She signed her will with the lawyer on Saturday", "She signed her will with the lawyer on Saturday 31 October 2026"},
		{"", "The nurse will sign her will on Saturday", "The nurse will sign her will on Saturday 7 November 2026"},
		{"", "Susan came last Tuesday", "Susan came on Tuesday 27 October 2026"},
		{"", "Susan comes next Tuesday", "Susan comes on Tuesday 10 November 2026"},
		{"", "She plays bridge on Saturdays", ""},
		{"", "Tom is away until tomorrow", "Tom is away until Wednesday 4 November 2026"},
		{"", "She moved here two weeks ago", "She moved here around 20 October 2026"},
		{"", "The operation is in three days", "The operation is on Friday 6 November 2026"},
		{"", "They married last year", "They married in 2025"},
		{"", "The roof leaked last month", "The roof leaked in October 2026"},
		{"", "The fair is next week", "The fair is in the week of 9 November 2026"},
		{"", "She was born on 12 March 1941", ""},
		{"", "Tom came yesterday and leaves tomorrow", "Tom came on Monday 2 November 2026 and leaves on Wednesday 4 November 2026"},
		{"", "He was ill the day before yesterday", "He was ill on Sunday 1 November 2026"},
		{"", "They came over last weekend", "They came over on the weekend of 31 October 2026"},

		// A simple present may be a habit, and a plan never lies behind.
		{"plan", "Tom comes on Monday and leaves on Friday", "Tom comes on Monday 9 November 2026 and leaves on Friday 13 November 2026"},
		{"", "Tom comes on Monday and leaves on Friday", ""},
		{"", "Tom arrives on Monday", ""},
		{"plan", "Tom arrives on Monday", "Tom arrives on Monday 9 November 2026"},
		{"plan", "The course starts on Thursday", "The course starts on Thursday 5 November 2026"},
		{"", "Tom is coming on Monday and leaving on Friday", "Tom is coming on Monday 9 November 2026 and leaving on Friday"},
		{"", "Tom is coming on Saturday and Susan is coming on Friday", "Tom is coming on Saturday 7 November 2026 and Susan is coming on Friday"},
		{"", "Tom will come on Friday and will stay until Sunday", "Tom will come on Friday 6 November 2026 and will stay until Sunday 8 November 2026"},
		{"", "Tom came on Monday and left on Friday", "Tom came on Monday and left on Friday 30 October 2026"},
		{"", "Tom came on Friday and left on Monday", "Tom came on Friday 30 October 2026 and left on Monday 2 November 2026"},
		{"", "Tom came on Sunday and will leave on Friday", "Tom came on Sunday 1 November 2026 and will leave on Friday 6 November 2026"},
		{"", "On Monday Tom came, and Susan will come on Friday", "On Monday 2 November 2026 Tom came, and Susan will come on Friday 6 November 2026"},
		{"", "Tom called yesterday and the day before yesterday", "Tom called on Monday 2 November 2026 and on Sunday 1 November 2026"},
		{"", "On Friday, Tom will come", "On Friday 6 November 2026, Tom will come"},

		// Habits.
		{"", "Margaret plays bridge on Thursday afternoons", ""},
		{"routine", "Margaret plays bridge on Thursday afternoons", ""},
		{"", "Margaret goes to church on Sunday", ""},
		{"routine", "Margaret goes to church on Sunday", ""},
		{"routine", "Margaret is going to church on Sunday", ""},
		{"plan", "Margaret goes swimming every Monday", ""},
		{"", "Margaret used to go dancing on Saturday", ""},
		{"", "Margaret's nurse always comes on Monday", ""},
		{"", "Margaret eats fried fish on Friday", ""},
		{"", "Margaret has boiled eggs on Sunday", ""},
		{"", "Meals are brought from Monday to Friday", ""},
		{"", "Margaret went to church and swims on Monday", ""},
		{"", "Margaret never went out on Sunday", ""},
		{"", "Fred sleeps on Sunday", ""},
		{"", "Margaret's club meets on the last Friday of the month", ""},

		// Names that look like tenses, and what was only said or meant.
		{"", "Will came on Monday", "Will came on Monday 2 November 2026"},
		{"", "Tom said he comes on Monday", ""},
		{"", "Tom promised to come on Saturday", ""},
		{"", "Tom was going to come on Saturday", ""},
		{"", "Tom would like to come on Saturday", ""},
		{"", "Tom should have come on Saturday", ""},
		{"", "Margaret has an appointment with Dr. Smith on Friday", "Margaret has an appointment with Dr. Smith on Friday 6 November 2026"},
		{"", "Margaret had an appointment on Friday", "Margaret had an appointment on Friday 30 October 2026"},
		{"", "The plumber is expected on Thursday", "The plumber is expected on Thursday 5 November 2026"},
		{"", "Tom must be picked up on Thursday", "Tom must be picked up on Thursday 5 November 2026"},

		// Bare weekdays.
		{"", "Tom fell Tuesday", "Tom fell on Tuesday 27 October 2026"},
		{"", "Tom has been in hospital since Friday", "Tom has been in hospital since Friday 30 October 2026"},
		{"", "Tom is in hospital until Friday", "Tom is in hospital until Friday 6 November 2026"},
		{"", "Margaret went to the Tuesday club", ""},
		{"", "Tom came on Easter Monday", ""},
		{"", "Margaret cooked Sunday lunch", ""},
		{"", "Tuesday is bin day", ""},
		{"", "Tom fell on Monday 2 November", ""},
		{"", "Tom fell on Monday the 2nd", ""},
		{"", "Tom will come on Monday week", ""},

		// What is counted from another day.
		{"", "Tom fell a week ago today", "Tom fell on Tuesday 27 October 2026"},
		{"", "Tom fell a year ago today", "Tom fell on Monday 3 November 2025"},
		{"", "Tom fell a week last Monday", ""},
		{"", "Tom fell a week ago last Monday", ""},
		{"", "Tom will come a week today", ""},
		{"", "Tom will come in a week and a half", ""},
		{"", "Tom will come in a week or two", ""},
		{"", "Tom fell two or three weeks ago", ""},
		{"", "Tom fell more than a year ago", ""},
		{"", "Tom fell a few years ago", ""},
		{"", "Tom fell a fortnight ago", "Tom fell around 20 October 2026"},
		{"", "Tom will come in a fortnight", "Tom will come around 17 November 2026"},
		{"", "Tom will come in two days' time", "Tom will come on Thursday 5 November 2026"},
		{"", "Tom walked it in two days", ""},
		{"", "Frank died ten years ago", "Frank died around 2016"},
		{"", "Frank died a year ago", "Frank died around November 2025"},
		{"", "Frank died twenty-five years ago", "Frank died around 2001"},
		{"", "Frank died two hundred and five years ago", ""},
		{"", "Tom moved two months ago", "Tom moved around September 2026"},

		// Longer stretches.
		{"", "Tom came last summer", "Tom came in the summer of 2026"},
		{"", "Tom came last winter", "Tom came in the winter of 2025/26"},
		{"", "Tom came last May", "Tom came in May 2026"},
		{"", "Tom came last October", ""},
		{"", "Tom came last November", "Tom came in November 2025"},
		{"", "Tom came last Christmas", "Tom came at Christmas 2025"},
		{"", "Tom has been here since last Christmas", "Tom has been here since Christmas 2025"},
		{"", "Margaret slept badly for the last week", ""},
		{"", "Margaret lost weight over the past month", ""},
		{"", "Tom will stay until next year", "Tom will stay until 2027"},
		{"", "Tom comes at the end of next month", "Tom comes at the end of December 2026"},
		{"", "Margaret lost last year's diary", ""},
		{"", "Margaret read yesterday's paper", ""},
		{"", "Tom comes this weekend", "Tom comes on the weekend of 7 November 2026"},

		// What is this week's to some, and another's to others.
		{"", "Tom comes next Friday", ""},
		{"", "Tom came last Monday", ""},
		{"", "Tom comes next weekend", ""},
		{"", "Tom comes this Friday", "Tom comes on Friday 6 November 2026"},
		{"", "Tom comes on Friday next week", "Tom comes on Friday 13 November 2026"},
		{"", "Tom came last week on Friday", "Tom came on Friday 30 October 2026"},
		{"", "Tom comes this coming Sunday", "Tom comes on Sunday 8 November 2026"},
	} {
		if test.want == "" {
			test.want = test.in
		}
		if got, _ := english.Resolve(test.in, day, readings[test.kind]); got != test.want {
			t.Errorf("%s %q: got %q, want %q", test.kind, test.in, got, test.want)
		}
	}
}

// South of the equator the last summer is another one; where the clocks stay, nobody knows.
func TestSeasonsAreThoseOfThePlace(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{
		"Europe/Dublin": "Tom came in the summer of 2026", "Australia/Sydney": "Tom came last summer", "Australia/Brisbane": "Tom came last summer",
	} {
		where, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := english.Resolve("Tom came last summer", time.Date(2026, time.November, 3, 15, 0, 0, 0, where), english.ByTense); got != want {
			t.Errorf("%s: got %q, want %q", zone, got, want)
		}
	}
}

func TestHangsOnDay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Tom comes on Monday": true, "Tom fell a few weeks ago": true, "Tom fell last Monday": true, "Tom came last summer": true,
		"Tom fell on Monday 2 November 2026": false, "Margaret grows roses": false, "Margaret was born on 12 March 1941": false,
	} {
		if got := english.HangsOnDay(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestNextOn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"her birthday is on the 12th of March": "2027-03-12", "It is November 3rd": "2026-11-03", "the second of May": "", "May the 2nd": "2027-05-02",
		"born on 29 February": "2028-02-29", "on 31 April": "", "next week": "",
	} {
		got, ok := english.NextOn(text, evening(t))
		if day := got.Format(time.DateOnly); ok != (want != "") || ok && day != want {
			t.Errorf("%q: got %s, want %q", text, day, want)
		}
	}
}

package memory

import (
	"strconv"
	"strings"
	"time"
)

// latest is the last period of its kind that had begun by today.
func latest(today time.Time, of func(year int) period) period {
	if p := of(today.Year()); !p.since.After(today) {
		return p
	}
	return of(today.Year() - 1)
}

func onDay(month, day, year string, today time.Time) (period, bool) {
	d, err := strconv.Atoi(day)
	if err != nil || d < 1 || d > 31 {
		return period{}, false
	}
	of := func(y int) period {
		return period{date(y, monthOf(month), d, today), date(y, monthOf(month), d+1, today)}
	}
	if y, err := strconv.Atoi(year); err == nil {
		return of(y), true
	}
	return latest(today, of), true
}

func inMonth(month, year string, today time.Time) (period, bool) {
	of := func(y int) period {
		return period{date(y, monthOf(month), 1, today), date(y, monthOf(month)+1, 1, today)}
	}
	if y, err := strconv.Atoi(year); err == nil {
		return of(y), true
	}
	return latest(today, of), true
}

func monthOf(name string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(m.String(), name) {
			return m
		}
	}
	return time.January
}

// someTimeAgo is as vague as people are: a week ago is some days around it.
func someTimeAgo(m []string, today time.Time) (period, bool) {
	n := count(m[1])
	switch m[2] {
	case "day":
		d := today.AddDate(0, 0, -n)
		return period{d, d.AddDate(0, 0, 1)}, true
	case "week":
		d := today.AddDate(0, 0, -7*n)
		return period{d.AddDate(0, 0, -3), d.AddDate(0, 0, 4)}, true
	case "month":
		first := date(today.Year(), today.Month()-time.Month(n), 1, today)
		return period{first, first.AddDate(0, 1, 0)}, true
	default:
		first := date(today.Year()-n, time.January, 1, today)
		return period{first, first.AddDate(1, 0, 0)}, true
	}
}

func count(word string) int {
	if n, err := strconv.Atoi(word); err == nil {
		return n
	}
	for n, w := range []string{"a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"} {
		if w == word {
			return max(n, 1)
		}
	}
	switch word {
	case "a couple of":
		return 2
	case "a few":
		return 3
	}
	return 1 // an
}

func lastWeekday(m []string, today time.Time) (period, bool) {
	d := today
	if m[1] == "" { // on a Tuesday, Tuesday is last week's, and "this Tuesday" today
		d = d.AddDate(0, 0, -1)
	}
	for !strings.EqualFold(d.Weekday().String(), m[2]) {
		d = d.AddDate(0, 0, -1)
	}
	return period{d, d.AddDate(0, 0, 1)}, true
}

func lastWeekend(_ []string, today time.Time) (period, bool) {
	p, _ := lastWeekday([]string{"", "", "saturday"}, today)
	return period{p.since, p.since.AddDate(0, 0, 2)}, true
}

func lastOrThis(m []string, today time.Time) (period, bool) {
	back := 1
	if m[1] == "this" {
		back = 0
	}
	switch m[2] {
	case "week": // it begins on Monday
		monday := today.AddDate(0, 0, -int(today.Weekday()+6)%7-7*back)
		return period{monday, monday.AddDate(0, 0, 7)}, true
	case "month":
		first := date(today.Year(), today.Month()-time.Month(back), 1, today)
		return period{first, first.AddDate(0, 1, 0)}, true
	default:
		first := date(today.Year()-back, time.January, 1, today)
		return period{first, first.AddDate(1, 0, 0)}, true
	}
}

func season(m []string, today time.Time) (period, bool) {
	begins := map[string]time.Month{
		"spring": time.March, "summer": time.June, "autumn": time.September, "fall": time.September, "winter": time.December,
	}[m[1]]
	return latest(today, func(year int) period {
		return period{date(year, begins, 1, today), date(year, begins+3, 1, today)}
	}), true
}

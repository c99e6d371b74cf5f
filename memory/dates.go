package memory

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// period is a stretch of time, without its end.
type period struct{ since, until time.Time }

// periodIn returns the period of the past that a question speaks of, if it does:
// "last Tuesday", "in May", "three weeks ago". now is in the time zone where the
// question is asked. It knows English. Libraries that read dates give one moment
// and mostly a coming one; what counts here is how long the period is, and that
// it is over.
func periodIn(text string, now time.Time) (period, bool) {
	text = strings.ToLower(text)
	if !mayDate(text) {
		return period{}, false
	}
	for _, r := range dateRules {
		if m := r.says.FindStringSubmatch(text); m != nil {
			if p, ok := r.means(m, midnight(now)); ok {
				return p, true
			}
		}
	}
	return period{}, false
}

// dateWords are the words besides numbers and days without one of which no rule
// reads a date.
var dateWords = set(`tonight night morning afternoon evening ago week month year weekend christmas spring summer autumn fall winter
	january february march april may june july august september october november december`)

// mayDate is quick to see that there is no date, as in most questions: a long one
// would be searched by each rule in turn.
func mayDate(text string) bool {
	for w := range strings.FieldsFuncSeq(text, betweenWords) {
		if dateWords[w] || strings.HasSuffix(w, "day") || strings.ContainsAny(w, "0123456789") {
			return true
		}
	}
	return false
}

// dateRule reads one way of speaking of a time. means gets the words and the
// begin of today.
type dateRule struct {
	says  *regexp.Regexp
	means func(m []string, today time.Time) (period, bool)
}

const (
	monthNames = `(january|february|march|april|may|june|july|august|september|october|november|december)`
	// Months that are no other word as well.
	plainMonths = `(january|february|april|june|july|september|october|november|december)`
	dayNames    = `(monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
	counts      = `(\d{1,3}|a couple of|a few|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)`
	dayNumber   = `(\d{1,2})(?:st|nd|rd|th)?`
	inYear      = `(?:,? ((?:19|20)\d\d))?`
)

// dateRules in the order in which they are tried: the most exact first.
var dateRules = []dateRule{
	{re(`((?:19|20)\d\d)-(\d\d)-(\d\d)`), func(m []string, today time.Time) (period, bool) {
		t, err := time.ParseInLocation(time.DateOnly, m[0], today.Location())
		return period{t, t.AddDate(0, 0, 1)}, err == nil
	}},
	{re(monthNames + ` ` + dayNumber + inYear), func(m []string, today time.Time) (period, bool) {
		return onDay(m[1], m[2], m[3], today)
	}},
	{re(`(?:the )?` + dayNumber + ` (?:of )?` + monthNames + inYear), func(m []string, today time.Time) (period, bool) {
		return onDay(m[2], m[1], m[3], today)
	}},
	{re(`(?:the )?day before yesterday`), days(-2)},
	{re(`yesterday|last (?:night|evening)`), days(-1)},
	{re(`today|tonight|this (?:morning|afternoon|evening)`), days(0)},
	{re(counts + ` (day|week|month|year)s? ago`), someTimeAgo},
	{re(`(?:last|past|previous) weekend|(?:on|over|at) the weekend`), lastWeekend},
	{re(`(this )?` + dayNames), lastWeekday},
	{re(`(last|past|previous|this) (week|month|year)`), lastOrThis},
	{re(`(?:in|last|this|during|since|of|early|late|back in) ` + monthNames + inYear), func(m []string, today time.Time) (period, bool) {
		return inMonth(m[1], m[2], today)
	}},
	{re(plainMonths + inYear), func(m []string, today time.Time) (period, bool) { return inMonth(m[1], m[2], today) }},
	{re(`(?:at |last |over )?christmas`), func(_ []string, today time.Time) (period, bool) {
		return latest(today, func(year int) period {
			return period{date(year, time.December, 23, today), date(year, time.December, 28, today)}
		}), true
	}},
	{re(`(?:in|last|this|over|during)(?: the)? (spring|summer|autumn|fall|winter)`), season},
	{re(`in ((?:19|20)\d\d)`), func(m []string, today time.Time) (period, bool) {
		year, _ := strconv.Atoi(m[1])
		return period{date(year, time.January, 1, today), date(year+1, time.January, 1, today)}, true
	}},
}

// re reads whole words only.
func re(s string) *regexp.Regexp { return regexp.MustCompile(`\b(?:` + s + `)\b`) }

func midnight(t time.Time) time.Time { return date(t.Year(), t.Month(), t.Day(), t) }

// date is a midnight in the time zone of like.
func date(year int, month time.Month, day int, like time.Time) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, like.Location())
}

func days(n int) func([]string, time.Time) (period, bool) {
	return func(_ []string, today time.Time) (period, bool) {
		return period{today.AddDate(0, 0, n), today.AddDate(0, 0, n+1)}, true
	}
}

package learn

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	weekdayNames = `(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
	monthNames   = `(?:january|february|march|april|(?-i:May)|june|july|august|september|october|november|december)`
	manyWords    = `(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)`
	units        = `(day|week|fortnight|month|year)s?`
	partOfDay    = `(?: (?:morning|afternoon|evening|night))?`
)

// rule reads one way of speaking of a day that depends on when it is said. means
// is nil where that may be one day or another.
type rule struct {
	says  *regexp.Regexp
	means func(phrase) *span
	bare  bool // only the tense says which day it is
}

// rules are in the order in which they are tried at one place: the most exact first.
var rules = []rule{
	{says: rel(`(?:the )?day before yesterday`), means: onDay(-2)},
	{says: rel(`(?:the )?day after tomorrow`), means: onDay(2)},
	{says: rel(`yesterday` + partOfDay + `|last (?:night|evening)`), means: onDay(-1)},
	{says: rel(`tomorrow` + partOfDay), means: onDay(1)},
	{says: rel(`today|tonight|this (?:morning|afternoon|evening)`), means: onDay(0)},
	{says: rel(manyWords + ` ` + units + ` ago today`), means: dayAgo},
	{says: rel(manyWords + ` ` + units + ` ago`), means: ago},
	{says: rel(`(?:a few|a couple of|some) ` + units + ` ago`), means: never},
	{says: rel(`in ` + manyWords + ` ` + units + `(['’]? time)?`), means: hence},
	{says: rel(`(?:on )?(` + weekdayNames + `)(?: of)? (last|next|this) week`), means: func(p phrase) *span { return dayOfWeek(p.m[1], p.m[2], p) }},
	{says: rel(`(last|next|this) week,? (?:on )?(` + weekdayNames + `)`), means: func(p phrase) *span { return dayOfWeek(p.m[2], p.m[1], p) }},
	{says: rel(`(?:(?:(?:at|on|over) )?the )?(last|past|next|this|coming) weekend`), means: weekend},
	{says: rel(`(last|next|this) (week|month|year)`), means: lastOrNext},
	{says: rel(`last (` + monthNames + `)`), means: lastMonth},
	{says: rel(`last (spring|summer|autumn|fall|winter)`), means: lastSeason},
	{says: rel(`(?:at )?last christmas`), means: lastChristmas},
	{says: rel(`(?:on )?(this coming|coming|this past|last|next|this) (` + weekdayNames + `)` + partOfDay), means: namedWeekday},
	{says: rel(weekdayNames + `(?: (?:to|until|till|through|and|or) |-|–)` + weekdayNames), means: never},
	{says: rel(`(on )?(` + weekdayNames + `)` + partOfDay), means: weekday, bare: true},
}

func rel(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`) }

func never(phrase) *span { return nil }

func oneDay(d time.Time) *span {
	return &span{from: d, to: d.AddDate(0, 0, 1), text: "on " + d.Format("Monday 2 January 2006")}
}

func onDay(offset int) func(phrase) *span {
	return func(p phrase) *span { return oneDay(p.today.AddDate(0, 0, offset)) }
}

func inWeek(monday time.Time) *span {
	return &span{from: monday, to: monday.AddDate(0, 0, 7), text: "in the week of " + monday.Format("2 January 2006")}
}

func inMonth(first time.Time) *span {
	return &span{from: first, to: first.AddDate(0, 1, 0), text: "in " + first.Format("January 2006")}
}

// roughly ends what says that a number is none to count with: "more than two weeks ago".
var roughly = regexp.MustCompile(`(?i)\b(?:over|than|almost|nearly|least|most|about|around|some|roughly|under|half|to|or|and a|next) $`)

// ago is as vague as people are: a week ago is some days around it.
func ago(p phrase) *span {
	if roughly.MatchString(p.before) {
		return nil
	}
	return away(p.m[1], p.m[2], -1, p.today)
}

// soon is what a simple present says only of something that is to come.
var soon = regexp.MustCompile(`(?i)\b(?:is|are|comes?|leaves?|arrives?|starts?|begins?|returns?|moves?|flies|opens?|ends?|retires?|turns?)\b`)

// hence is a time ahead, and no length of time: "in two days", which is not "he
// walked it in two days".
func hence(p phrase) *span {
	comes := p.tense == toCome || p.tense == unsaid && soon.MatchString(p.clause) || p.m[3] != ""
	if !comes {
		return nil
	}
	return away(p.m[1], p.m[2], 1, p.today)
}

// dayAgo is exact: "a week ago today".
func dayAgo(p phrase) *span {
	n := many(p.m[1])
	switch p.m[2] {
	case "day":
		return oneDay(p.today.AddDate(0, 0, -n))
	case "week":
		return oneDay(p.today.AddDate(0, 0, -7*n))
	case "fortnight":
		return oneDay(p.today.AddDate(0, 0, -14*n))
	case "year":
		return oneDay(p.today.AddDate(-n, 0, 0))
	default:
		return nil
	}
}

func away(count, unit string, sign int, today time.Time) *span {
	n := sign * many(count)
	switch unit {
	case "day":
		return oneDay(today.AddDate(0, 0, n))
	case "fortnight":
		return aroundDay(today.AddDate(0, 0, 14*n))
	case "week":
		return aroundDay(today.AddDate(0, 0, 7*n))
	case "month":
		first := time.Date(today.Year(), today.Month()+time.Month(n), 1, 0, 0, 0, 0, today.Location())
		return &span{from: first, to: first.AddDate(0, 1, 0), text: "around " + first.Format("January 2006")}
	default:
		first := time.Date(today.Year()+n, 1, 1, 0, 0, 0, 0, today.Location())
		text := first.Format("2006")
		if n*sign == 1 {
			text = today.AddDate(n, 0, 0).Format("January 2006")
		}
		return &span{from: first, to: first.AddDate(1, 0, 0), text: "around " + text}
	}
}

func aroundDay(d time.Time) *span {
	return &span{from: d.AddDate(0, 0, -3), to: d.AddDate(0, 0, 4), text: "around " + d.Format("2 January 2006")}
}

func many(word string) int {
	if n, err := strconv.Atoi(word); err == nil {
		return n
	}
	for i, w := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"} {
		if w == word {
			return i + 1
		}
	}
	return 1
}

// monday is the begin of the week that a day lies in.
func monday(day time.Time) time.Time { return day.AddDate(0, 0, -(int(day.Weekday())+6)%7) }

// stepOf is which one is meant: the one before, this one, the one after.
func stepOf(word string) int {
	switch word {
	case "last":
		return -1
	case "next":
		return 1
	default:
		return 0
	}
}

// theOne ends what makes "the last week" of "last week": how long something took,
// or which of several.
var theOne = regexp.MustCompile(`(?i)\b(?:the|his|her|their|my|our|every|each|very) $`)

func lastOrNext(p phrase) *span {
	n := stepOf(p.m[1])
	switch {
	case theOne.MatchString(p.before):
		return nil
	case p.m[2] == "week":
		return inWeek(monday(p.today).AddDate(0, 0, 7*n))
	case p.m[2] == "month":
		return inMonth(time.Date(p.today.Year(), p.today.Month()+time.Month(n), 1, 0, 0, 0, 0, p.today.Location()))
	default:
		first := time.Date(p.today.Year()+n, 1, 1, 0, 0, 0, 0, p.today.Location())
		return &span{from: first, to: first.AddDate(1, 0, 0), text: "in " + first.Format("2006")}
	}
}

// weekend is this week's, or the one before or after. In the middle of a week, "next
// weekend" is this week's to some and the following one to others.
func weekend(p phrase) *span {
	saturday := monday(p.today).AddDate(0, 0, 5)
	begun := !p.today.Before(saturday)
	switch which := p.m[1]; {
	case which == "last", which == "past" && !begun:
		saturday = saturday.AddDate(0, 0, -7)
	case which == "next" && begun:
		saturday = saturday.AddDate(0, 0, 7)
	case which == "this", which == "coming" && !begun:
	default:
		return nil
	}
	return &span{from: saturday, to: saturday.AddDate(0, 0, 2), text: "on the weekend of " + saturday.Format("2 January 2006")}
}

// settled is how long ago the last one of its kind must have ended to be called
// so: in November, "last October" may be that of the year before.
const settled = 31 * 24 * time.Hour

// latest is the last of the stretches that come every year. It is nil where that
// has only just ended.
func latest(today time.Time, of func(year int) *span) *span {
	for year := today.Year(); ; year-- {
		if s := of(year); !s.to.After(today) {
			if today.Sub(s.to) < settled {
				return nil
			}
			return s
		}
	}
}

func lastMonth(p phrase) *span {
	if theOne.MatchString(p.before) {
		return nil
	}
	return latest(p.today, func(year int) *span {
		return inMonth(time.Date(year, monthCalled(p.m[1]), 1, 0, 0, 0, 0, p.today.Location()))
	})
}

func monthCalled(name string) time.Month {
	for m := time.January; m < time.December; m++ {
		if strings.EqualFold(m.String(), name) {
			return m
		}
	}
	return time.December
}

// lastSeason is known where the clocks tell which half of the earth it is: they
// go forward for the summer.
func lastSeason(p phrase) *span {
	_, january := time.Date(p.today.Year(), time.January, 1, 0, 0, 0, 0, p.today.Location()).Zone()
	_, july := time.Date(p.today.Year(), time.July, 1, 0, 0, 0, 0, p.today.Location()).Zone()
	if january >= july || theOne.MatchString(p.before) {
		return nil
	}
	begins := map[string]time.Month{
		"spring": time.March, "summer": time.June, "autumn": time.September, "fall": time.September, "winter": time.December,
	}[p.m[1]]
	return latest(p.today, func(year int) *span {
		from := time.Date(year, begins, 1, 0, 0, 0, 0, p.today.Location())
		text := from.Format("2006")
		if p.m[1] == "winter" {
			text = fmt.Sprintf("%d/%02d", year, (year+1)%100)
		}
		return &span{from: from, to: from.AddDate(0, 3, 0), text: "in the " + p.m[1] + " of " + text}
	})
}

func lastChristmas(p phrase) *span {
	return latest(p.today, func(year int) *span {
		eve := time.Date(year, time.December, 24, 0, 0, 0, 0, p.today.Location())
		return &span{from: eve, to: eve.AddDate(0, 0, 3), text: "at Christmas " + eve.Format("2006")}
	})
}

// nearest is the last or the coming day of a name; today is neither.
func nearest(name string, by int, today time.Time) time.Time {
	d := today.AddDate(0, 0, by)
	for !strings.EqualFold(d.Weekday().String(), name) {
		d = d.AddDate(0, 0, by)
	}
	return d
}

func dayOfWeek(name, which string, p phrase) *span {
	d := nearest(name, 1, monday(p.today).AddDate(0, 0, 7*stepOf(which)-1))
	return oneDay(d)
}

// namedWeekday is "last Tuesday", where that is only one: in the middle of a week,
// "next Friday" is this week's to some and the following one to others.
func namedWeekday(p phrase) *span {
	this := nearest(p.m[2], 1, monday(p.today).AddDate(0, 0, -1))
	switch {
	case theOne.MatchString(p.before):
		return nil
	case p.m[1] == "coming", p.m[1] == "this coming":
		return oneDay(nearest(p.m[2], 1, p.today))
	case p.m[1] == "this past":
		return oneDay(nearest(p.m[2], -1, p.today))
	case p.m[1] == "last" && !this.Before(p.today):
		return oneDay(this.AddDate(0, 0, -7))
	case p.m[1] == "next" && !this.After(p.today):
		return oneDay(this.AddDate(0, 0, 7))
	case p.m[1] == "this" && this.After(p.today):
		return oneDay(this)
	default:
		return nil
	}
}

var (
	// notTheDay ends what a weekday is only a part of: "every other Monday", "Good Friday".
	notTheDay = regexp.MustCompile(`(?:\b(?:a|an|the|every|each|other|another|any|no|of|about|like|called|named|my|his|her|their|our|its|or|and|than|with|is|are|was|were|one|two|three|\d+)|['’]s|\b[A-Z]\w*) $`)
	// restOf begins what may stand after a day. Anything else may make a name of it: "Sunday lunch".
	restOf  = regexp.MustCompile(`^(?:$|[.,;:!?)]| (?:and|but|or|because|with|without|at|to|for|from|by|in|on|after|before|when|while|that|who|which|as|if|so|then|though|until|till|since|about|around|alone|again|too|instead|already|he|she|it|they|we|the|his|her|their|my)\b| [A-Z])`)
	comesUp = regexp.MustCompile(`(?i)\b(?:until|till|by) $`)
	goneBy  = regexp.MustCompile(`(?i)\bsince $`)
)

// weekday is the last one of its name or the coming one, where the tense says so.
func weekday(p phrase) *span {
	if !restOf.MatchString(p.after) || p.m[1] == "" && notTheDay.MatchString(p.before) {
		return nil
	}
	switch {
	case p.tense == doubtful:
		return nil
	case p.tense == past, goneBy.MatchString(p.before):
		return oneDay(nearest(p.m[2], -1, p.today))
	case p.tense == toCome, comesUp.MatchString(p.before) && present.MatchString(p.clause):
		return oneDay(nearest(p.m[2], 1, p.today))
	default:
		return nil
	}
}

package english

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	weekdayNames = `(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
	plainMonths  = `january|february|april|june|july|september|october|november|december` // without those that are other words too
	monthNames   = `(?:` + plainMonths + `|march|august|(?-i:May))`
	anyMonth     = `(` + plainMonths + `|march|august|may)`
	manyWords    = `(\d{1,3}|an?(?: hundred)?|(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -])?)?(?:one|two|three|four|five|six|seven|eight|nine)|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)`
	units        = `(day|week|fortnight|month|year)s?`
	partOfDay    = `(?: (?:morning|afternoon|evening|night))?`
	dayNumber    = `(\d{1,2})(?:st|nd|rd|th)?`
	inYear       = `(?:,? ((?:19|20)\d\d))?`
)

// rule matches one way of referring to a day that depends on when it is said. means returns nil if
// the day is ambiguous.
type rule struct {
	says  *regexp.Regexp
	means func(phrase) *Span
	bare  bool // only the tense determines the day
	asked bool // only in a question: a day that is written out, or a looser way
}

// rules are in the order in which they are tried at one place: the most exact first.
var rules = []rule{
	{says: rel(`(?:19|20)\d\d-\d\d-\d\d`), means: isoDay, asked: true},
	{says: rel(anyMonth + ` (?:the )?` + dayNumber + inYear), means: func(p phrase) *Span { return calendarDay(p.m[1], p.m[2], p.m[3], p) }, asked: true},
	{says: rel(`(?:the )?` + dayNumber + ` (?:of )?` + anyMonth + inYear), means: func(p phrase) *Span { return calendarDay(p.m[2], p.m[1], p.m[3], p) }, asked: true},
	{says: rel(`(?:on|over|at) (the) weekend`), means: weekend, asked: true},
	{says: rel(`(?:in|last|this|during|since|of|early|late|back in) ` + anyMonth + inYear), means: month, asked: true},
	{says: rel(`(` + plainMonths + `)` + inYear), means: month, asked: true},
	{says: rel(`(?:in|this|over|during)(?: the)? (spring|summer|autumn|fall|winter)`), means: season, asked: true},
	{says: rel(`(?:at |over )?christmas`), means: christmas, asked: true},
	{says: rel(`in ((?:19|20)\d\d)`), means: func(p phrase) *Span { return inYears(number(p.m[1]), p.today) }, asked: true},

	{says: rel(`(?:the )?day before yesterday`), means: daysAway(-2)},
	{says: rel(`(?:the )?day after tomorrow`), means: daysAway(2)},
	{says: rel(`yesterday` + partOfDay + `|last (?:night|evening)`), means: daysAway(-1)},
	{says: rel(`tomorrow` + partOfDay), means: daysAway(1)},
	{says: rel(`today|tonight|this (?:morning|afternoon|evening)`), means: daysAway(0)},
	{says: rel(manyWords + ` ` + units + ` ago today`), means: agoToday},
	{says: rel(manyWords + ` ` + units + ` ago`), means: ago},
	{says: rel(`(a few|a couple of|some) ` + units + ` ago`), means: someAgo},
	{says: rel(`in ` + manyWords + ` ` + units + `(['’]? time)?`), means: hence},
	{says: rel(`(?:on )?(` + weekdayNames + `)(?: of)? (last|next|this) week`), means: func(p phrase) *Span { return dayOfWeek(p.m[1], p.m[2], p) }},
	{says: rel(`(last|next|this) week,? (?:on )?(` + weekdayNames + `)`), means: func(p phrase) *Span { return dayOfWeek(p.m[2], p.m[1], p) }},
	{says: rel(`(?:(?:(?:at|on|over) )?the )?(last|past|previous|next|this|coming) weekend`), means: weekend},
	{says: rel(`(last|past|previous|next|this) (week|month|year)`), means: lastOrNext},
	{says: rel(`last (` + monthNames + `)`), means: month},
	{says: rel(`last (spring|summer|autumn|fall|winter)`), means: season},
	{says: rel(`(?:at )?last christmas`), means: christmas},
	{says: rel(`(?:on )?(this coming|coming|this past|last|next|this) (` + weekdayNames + `)` + partOfDay), means: namedWeekday},
	{says: rel(weekdayNames + `(?: (?:to|until|till|through|and|or) |-|–)` + weekdayNames), means: never},
	{says: rel(`(on )?(` + weekdayNames + `)` + partOfDay), means: weekday, bare: true},
}

// rel compiles a pattern that matches whole words, in any case.
func rel(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`) }

func never(phrase) *Span { return nil }

func oneDay(d time.Time) *Span {
	return &Span{From: d, To: d.AddDate(0, 0, 1), Text: "on " + d.Format("Monday 2 January 2006")}
}

func daysAway(n int) func(phrase) *Span {
	return func(p phrase) *Span { return oneDay(p.today.AddDate(0, 0, n)) }
}

func inWeek(monday time.Time) *Span {
	return &Span{From: monday, To: monday.AddDate(0, 0, 7), Text: "in the week of " + monday.Format("2 January 2006")}
}

func inMonth(year int, m time.Month, like time.Time) *Span {
	first := date(year, m, 1, like)
	return &Span{From: first, To: first.AddDate(0, 1, 0), Text: "in " + first.Format("January 2006")}
}

func inYears(year int, like time.Time) *Span {
	first := date(year, time.January, 1, like)
	return &Span{From: first, To: first.AddDate(1, 0, 0), Text: "in " + first.Format("2006")}
}

func aroundDay(d time.Time) *Span {
	return &Span{From: d.AddDate(0, 0, -3), To: d.AddDate(0, 0, 4), Text: "around " + d.Format("2 January 2006")}
}

func isoDay(p phrase) *Span {
	d, err := time.ParseInLocation(time.DateOnly, p.m[0], p.today.Location())
	if err != nil {
		return nil
	}
	return oneDay(d)
}

func calendarDay(month, day, year string, p phrase) *Span {
	const leap = 2024
	d, m := number(day), monthCalled(month)
	of := func(y int) *Span {
		if t := date(y, m, d, p.today); t.Day() == d {
			return oneDay(t)
		}
		return nil // 29 February in most years
	}
	if of(leap) == nil {
		return nil
	}
	if year != "" {
		return of(number(year))
	}
	return p.latest(of)
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the pattern matches only digits
	return n
}

// settled is how long ago the last one of a recurring span must have ended for it to be meant: in
// November, "last October" may be that of the year before.
const settled = 31 * 24 * time.Hour

// latest returns the latest of the spans that recur every year. In a question it must have begun;
// else it must have ended, and latest returns nil if that is less than settled ago.
func (p phrase) latest(of func(year int) *Span) *Span {
	for year := p.today.Year(); ; year-- {
		switch s := of(year); {
		case s == nil:
			continue
		case p.asked && !s.From.After(p.today):
			return s
		case p.asked || s.To.After(p.today):
			continue
		case p.today.Sub(s.To) < settled:
			return nil
		default:
			return s
		}
	}
}

var (
	// roughly matches text before a number that makes it unfit for counting: "more than two weeks
	// ago".
	roughly = regexp.MustCompile(`(?i)\b(?:over|than|almost|nearly|least|most|about|around|some|roughly|under|half|to|or|and a|next|hundred(?: and)?) $`)
	// soon matches verbs in the simple present that are used for the future.
	soon = regexp.MustCompile(`(?i)\b(?:is|are|comes?|leaves?|arrives?|starts?|begins?|returns?|moves?|flies|opens?|ends?|retires?|turns?)\b`)
	// theOne matches text that makes "the last week" of "last week": a duration, or one of several.
	theOne = regexp.MustCompile(`(?i)\b(?:the|his|her|their|my|our|every|each|very) $`)
)

// ofSeveral reports whether the words before a phrase make it a duration, or one of several.
func (p phrase) ofSeveral() bool { return !p.asked && theOne.MatchString(p.before) }

// ago returns a vague span: "a week ago" is some days around that day.
func ago(p phrase) *Span {
	if !p.asked && roughly.MatchString(p.before) {
		return nil
	}
	return away(-many(p.m[1]), p.m[2], p.today)
}

func someAgo(p phrase) *Span {
	if !p.asked {
		return nil
	}
	n := 3
	if p.m[1] == "a couple of" {
		n = 2
	}
	return away(-n, p.m[2], p.today)
}

// hence returns a span in the future, or nil for a duration: "in two days", but not "he walked it
// in two days".
func hence(p phrase) *Span {
	if p.tense == toCome || p.tense == unsaid && soon.MatchString(p.clause) || p.m[3] != "" {
		return away(many(p.m[1]), p.m[2], p.today)
	}
	return nil
}

// agoToday returns an exact day: "a week ago today".
func agoToday(p phrase) *Span {
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

// away returns the span n units from today.
func away(n int, unit string, today time.Time) *Span {
	switch unit {
	case "day":
		return oneDay(today.AddDate(0, 0, n))
	case "fortnight":
		return aroundDay(today.AddDate(0, 0, 14*n))
	case "week":
		return aroundDay(today.AddDate(0, 0, 7*n))
	case "month":
		s := inMonth(today.Year(), today.Month()+time.Month(n), today)
		s.Text = "around " + strings.TrimPrefix(s.Text, "in ")
		return s
	default:
		s := inYears(today.Year()+n, today)
		s.Text = "around " + s.From.Format("2006")
		if n == 1 || n == -1 {
			s.Text = "around " + today.AddDate(n, 0, 0).Format("January 2006")
		}
		return s
	}
}

func many(words string) int {
	words = strings.ReplaceAll(words, "-", " ")
	if n, took := NumberAt(strings.Fields(words)...); took > 0 {
		return n
	}
	return 1 // "a" or "an"
}

// monday returns the start of the week that contains a day.
func monday(day time.Time) time.Time { return day.AddDate(0, 0, -(int(day.Weekday())+6)%7) }

// stepOf returns -1 for the previous one, 0 for this one, 1 for the next one.
func stepOf(word string) int {
	switch word {
	case "last", "past", "previous":
		return -1
	case "next":
		return 1
	default:
		return 0
	}
}

func lastOrNext(p phrase) *Span {
	n := stepOf(p.m[1])
	switch {
	case p.ofSeveral(), !p.asked && n < 0 && p.m[1] != "last":
		return nil
	case p.m[2] == "week":
		return inWeek(monday(p.today).AddDate(0, 0, 7*n))
	case p.m[2] == "month":
		return inMonth(p.today.Year(), p.today.Month()+time.Month(n), p.today)
	default:
		return inYears(p.today.Year()+n, p.today)
	}
}

// weekend returns this week's weekend, or the one before or after. In the middle of a week, it
// returns nil for "next weekend": to some people it is this week's, to others the following one.
func weekend(p phrase) *Span {
	saturday := monday(p.today).AddDate(0, 0, 5)
	begun := !p.today.Before(saturday)
	switch which := p.m[1]; {
	case p.asked && which != "this" && which != "next" && which != "coming":
		saturday = nearest("saturday", -1, p.today)
	case which == "last", (which == "past" || which == "previous") && !begun:
		saturday = saturday.AddDate(0, 0, -7)
	case which == "next" && begun:
		saturday = saturday.AddDate(0, 0, 7)
	case which == "this", which == "coming" && !begun:
	default:
		return nil
	}
	return &Span{From: saturday, To: saturday.AddDate(0, 0, 2), Text: "on the weekend of " + saturday.Format("2 January 2006")}
}

// month returns the last month of a name, or the one of the year that is named.
func month(p phrase) *Span {
	if p.ofSeveral() {
		return nil
	}
	of := func(year int) *Span { return inMonth(year, monthCalled(p.m[1]), p.today) }
	if year := p.m[len(p.m)-1]; len(p.m) > 2 && year != "" {
		return of(number(year))
	}
	return p.latest(of)
}

func monthCalled(name string) time.Month {
	for m := time.January; m < time.December; m++ {
		if strings.EqualFold(m.String(), name) {
			return m
		}
	}
	return time.December
}

// northern reports whether a place is north of the equator, as its clocks show: they are set
// forward in July.
func northern(day time.Time) bool {
	_, january := date(day.Year(), time.January, 1, day).Zone()
	_, july := date(day.Year(), time.July, 1, day).Zone()
	return january < july
}

func season(p phrase) *Span {
	if p.ofSeveral() || !p.asked && !northern(p.today) {
		return nil
	}
	begins := map[string]time.Month{
		"spring": time.March, "summer": time.June, "autumn": time.September, "fall": time.September, "winter": time.December,
	}[p.m[1]]
	return p.latest(func(year int) *Span {
		from := date(year, begins, 1, p.today)
		text := from.Format("2006")
		if p.m[1] == "winter" {
			text = fmt.Sprintf("%d/%02d", year, (year+1)%100)
		}
		return &Span{From: from, To: from.AddDate(0, 3, 0), Text: "in the " + p.m[1] + " of " + text}
	})
}

func christmas(p phrase) *Span {
	return p.latest(func(year int) *Span {
		from := date(year, time.December, 23, p.today)
		return &Span{From: from, To: from.AddDate(0, 0, 5), Text: "at Christmas " + from.Format("2006")}
	})
}

// nearest returns the last or the next day of a name, which is never today.
func nearest(name string, by int, today time.Time) time.Time {
	d := today.AddDate(0, 0, by)
	for !strings.EqualFold(d.Weekday().String(), name) {
		d = d.AddDate(0, 0, by)
	}
	return d
}

func dayOfWeek(name, which string, p phrase) *Span {
	return oneDay(nearest(name, 1, monday(p.today).AddDate(0, 0, 7*stepOf(which)-1)))
}

// namedWeekday returns the day of "last Tuesday", or nil if it is ambiguous: in the middle of a
// week, "next Friday" is this week's to some people and the following one to others.
func namedWeekday(p phrase) *Span {
	this := nearest(p.m[2], 1, monday(p.today).AddDate(0, 0, -1))
	switch {
	case p.asked && p.m[1] == "this" && this.Equal(p.today):
		return oneDay(this)
	case p.m[1] == "this past", p.asked && (p.m[1] == "last" || p.m[1] == "this"):
		return oneDay(nearest(p.m[2], -1, p.today))
	case p.ofSeveral():
		return nil
	case p.m[1] == "coming", p.m[1] == "this coming":
		return oneDay(nearest(p.m[2], 1, p.today))
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
	// notTheDay matches text that makes a weekday part of something else: "every other Monday",
	// "Good Friday".
	notTheDay = regexp.MustCompile(`(?:\b(?:a|an|the|every|each|other|another|any|no|of|about|like|called|named|my|his|her|their|our|its|or|and|than|with|is|are|was|were|one|two|three|\d+)|['’]s|\b[A-Z]\w*) $`)
	// restOf matches what may follow a day. Anything else may make a name of it: "Sunday lunch".
	restOf  = regexp.MustCompile(`^(?:$|[.,;:!?)]| (?:and|but|or|because|with|without|at|to|for|from|by|in|on|after|before|when|while|that|who|which|as|if|so|then|though|until|till|since|about|around|alone|again|too|instead|already|he|she|it|they|we|the|his|her|their|my)\b| [A-Z])`)
	comesUp = regexp.MustCompile(`(?i)\b(?:until|till|by) $`)
	goneBy  = regexp.MustCompile(`(?i)\bsince $`)
)

// weekday returns the last or the next weekday of a name, as the tense requires, or nil if the
// tense is not certain.
func weekday(p phrase) *Span {
	switch {
	case p.asked:
		return oneDay(nearest(p.m[2], -1, p.today))
	case !restOf.MatchString(p.after), p.m[1] == "" && notTheDay.MatchString(p.before), p.tense == doubtful:
		return nil
	case p.tense == past, goneBy.MatchString(p.before):
		return oneDay(nearest(p.m[2], -1, p.today))
	case p.tense == toCome, comesUp.MatchString(p.before) && present.MatchString(p.clause):
		return oneDay(nearest(p.m[2], 1, p.today))
	default:
		return nil
	}
}

// NextOn returns the next occurrence, from day on, of the day of the year that a text names: "the
// 12th of March". For 29 February it looks for the next leap year; it returns false for a date that
// no year has.
func NextOn(text string, day time.Time) (time.Time, bool) {
	var month, number string
	if m := dayFirst.FindStringSubmatch(text); m != nil {
		number, month = m[1], m[2]
	} else if m := monthFirst.FindStringSubmatch(text); m != nil {
		month, number = m[1], m[2]
	} else {
		return time.Time{}, false
	}
	n, _ := strconv.Atoi(number)
	of := monthCalled(month)
	for year := day.Year(); year <= day.Year()+8; year++ {
		t := date(year, of, n, day)
		if t.Month() == of && t.Day() == n && !t.Before(Midnight(day)) {
			return t, true
		}
	}
	return time.Time{}, false
}

var (
	dayFirst   = rel(`(?:the )?` + dayNumber + ` (?:of )?` + anyMonth)
	monthFirst = rel(anyMonth + ` (?:the )?` + dayNumber)
)

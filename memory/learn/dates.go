package learn

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// span is the stretch of time that words such as "last week" mean, without its
// end, and how it is written down so that it stays true.
type span struct {
	from, to time.Time
	text     string // "on Tuesday 3 November 2026", "in May 2026"
}

const (
	weekdayNames = `(monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
	manyWords    = `(\d{1,3}|a couple of|a few|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)`
	partOfDay    = `(?: (?:morning|afternoon|evening|night))?`
)

// relative are the ways of speaking of a day that depend on when it is said, the
// most exact first. ahead says that what is said lies in the future.
var relative = []struct {
	says  *regexp.Regexp
	means func(m []string, today time.Time, ahead bool) span
}{
	{rel(`(?:the )?day before yesterday`), onDay(-2)},
	{rel(`(?:the )?day after tomorrow`), onDay(2)},
	{rel(`yesterday` + partOfDay + `|last (?:night|evening)`), onDay(-1)},
	{rel(`tomorrow` + partOfDay), onDay(1)},
	{rel(`today|tonight|this (?:morning|afternoon|evening)`), onDay(0)},
	{rel(`in ` + manyWords + ` (day|week|month|year)s?(?:'? time)?`), func(m []string, today time.Time, _ bool) span { return away(m[1], m[2], 1, today) }},
	{rel(manyWords + ` (day|week|month|year)s? ago`), func(m []string, today time.Time, _ bool) span { return away(m[1], m[2], -1, today) }},
	{rel(`(?:(?:at|on|over) )?the (last|past|next|coming) weekend|(last|past|next|this|coming) weekend`), weekend},
	{rel(`(last|past|previous|next|this|coming) (week|month|year)`), lastOrNext},
	{rel(`(?:on )?(last|past|next|this coming|this|coming) ` + weekdayNames + partOfDay), func(m []string, today time.Time, _ bool) span {
		return weekday(m[2], m[1] == "last" || m[1] == "past", today)
	}},
	{rel(`on ` + weekdayNames + partOfDay), func(m []string, today time.Time, ahead bool) span { return weekday(m[1], !ahead, today) }},
}

func rel(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`) }

// coming are words by which a sentence speaks of what is to be.
var coming = regexp.MustCompile(`(?i)\b(?:will|won't|going to|gonna|'ll|tomorrow|next|coming|appointment|plans? to|expects?|due|shall|hopes? to|is to|visits|visiting|must|have to|has to)\b|'ll\b`)

// resolve writes a sentence so that it stays true: "yesterday" becomes its day.
// It returns the first stretch of time that the sentence spoke of so. day is when
// it was said, where the person lives. It knows English; libraries that read
// dates give a moment, not a stretch, and take "on Thursday" for the coming one
// whatever the tense.
func resolve(text string, day time.Time) (string, *span) {
	return resolveAs(text, day, coming.MatchString(text))
}

// resolveAs is [resolve] of what is known to lie ahead, or not.
func resolveAs(text string, day time.Time, ahead bool) (string, *span) {
	today := midnight(day)
	var first *span
	var put []string // in the place of marks, so that no rule reads what another wrote
	for _, r := range relative {
		text = replaceFirst(r.says, text, func(m []string) string {
			sp := r.means(m, today, ahead)
			if first == nil {
				first = &sp
			}
			return sp.text
		}, &put)
	}
	for i, p := range put {
		text = strings.ReplaceAll(text, mark(i), p)
	}
	return text, first
}

func mark(i int) string { return "\x00" + strconv.Itoa(i) + "\x00" }

// replaceFirst puts a mark in the place of the first match, and what belongs there
// on the list of what is done. After "until" and the like that is only the day.
func replaceFirst(re *regexp.Regexp, text string, by func(m []string) string, done *[]string) string {
	at := re.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	m := make([]string, len(at)/2)
	for i := range m {
		if at[2*i] >= 0 {
			m[i] = strings.ToLower(text[at[2*i]:at[2*i+1]])
		}
	}
	put := by(m)
	before := strings.ToLower(strings.TrimRight(text[:at[0]], " "))
	for _, p := range []string{" until", " since", " by", " from", " till", " before", " after", " on", " for"} {
		if strings.HasSuffix(" "+before, p) {
			_, put, _ = strings.Cut(put, " ")
			break
		}
	}
	if at[0] == 0 {
		put = strings.ToUpper(put[:1]) + put[1:]
	}
	*done = append(*done, put)
	return text[:at[0]] + mark(len(*done)-1) + text[at[1]:]
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

func oneDay(d time.Time) span {
	return span{from: d, to: d.AddDate(0, 0, 1), text: "on " + d.Format("Monday 2 January 2006")}
}

func onDay(offset int) func([]string, time.Time, bool) span {
	return func(_ []string, today time.Time, _ bool) span { return oneDay(today.AddDate(0, 0, offset)) }
}

func inWeek(monday time.Time) span {
	return span{from: monday, to: monday.AddDate(0, 0, 7), text: "in the week of " + monday.Format("2 January 2006")}
}

func inMonth(first time.Time) span {
	return span{from: first, to: first.AddDate(0, 1, 0), text: "in " + first.Format("January 2006")}
}

func inYear(first time.Time) span {
	return span{from: first, to: first.AddDate(1, 0, 0), text: "in " + first.Format("2006")}
}

func away(count, unit string, sign int, today time.Time) span {
	n := sign * many(count)
	switch unit {
	case "day":
		return oneDay(today.AddDate(0, 0, n))
	case "week":
		d := today.AddDate(0, 0, 7*n)
		return span{from: d.AddDate(0, 0, -3), to: d.AddDate(0, 0, 4), text: "around " + d.Format("2 January 2006")}
	case "month":
		return inMonth(time.Date(today.Year(), today.Month()+time.Month(n), 1, 0, 0, 0, 0, today.Location()))
	default:
		return inYear(time.Date(today.Year()+n, 1, 1, 0, 0, 0, 0, today.Location()))
	}
}

func many(word string) int {
	if n, err := strconv.Atoi(word); err == nil {
		return n
	}
	switch word {
	case "a couple of":
		return 2
	case "a few":
		return 3
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

func weekend(m []string, today time.Time, _ bool) span {
	saturday := monday(today).AddDate(0, 0, 5+7*step7(m[1]+m[2]))
	return span{from: saturday, to: saturday.AddDate(0, 0, 2), text: "on the weekend of " + saturday.Format("2 January 2006")}
}

func lastOrNext(m []string, today time.Time, _ bool) span {
	n := step7(m[1])
	switch m[2] {
	case "week":
		return inWeek(monday(today).AddDate(0, 0, 7*n))
	case "month":
		return inMonth(time.Date(today.Year(), today.Month()+time.Month(n), 1, 0, 0, 0, 0, today.Location()))
	default:
		return inYear(time.Date(today.Year()+n, 1, 1, 0, 0, 0, 0, today.Location()))
	}
}

// step7 is which one is meant: the one before, this one, the one after.
func step7(word string) int {
	switch word {
	case "last", "past", "previous":
		return -1
	case "next", "coming":
		return 1
	default:
		return 0
	}
}

// weekday is the last or the coming day of that name; today is neither.
func weekday(name string, back bool, today time.Time) span {
	by := 1
	if back {
		by = -1
	}
	d := today.AddDate(0, 0, by)
	for !strings.EqualFold(d.Weekday().String(), name) {
		d = d.AddDate(0, 0, by)
	}
	return oneDay(d)
}

// dayOf reads a day that a model wrote. It is nil for what is none, or too far
// from the call to be meant.
func dayOf(text *string, day time.Time, least, most int) *time.Time {
	if text == nil {
		return nil
	}
	t, err := time.ParseInLocation(time.DateOnly, strings.TrimSpace(*text), day.Location())
	if err != nil || t.Before(day.AddDate(least, 0, 0)) || t.After(day.AddDate(most, 0, 0)) {
		return nil
	}
	return &t
}

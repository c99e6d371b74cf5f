package days

import (
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
)

// side determines which of several recurring days is meant.
type side int

const (
	certain side = iota // an ambiguous day does not count
	overNow             // the last one; days that are written out count too
	toCome              // the next one
)

// relative holds the kinds that depend on the day on which they are said.
var relative = map[string]bool{
	"day": true, "ago": true, "ahead": true, "week": true, "whole_month": true, "whole_year": true, "weekend": true, "past": true, "coming": true, "bare": true,
	"last_season": true, "date_of_month": true,
}

// kinds maps the kinds of rules to their meanings, which return nil if the day is not certain.
var kinds = map[string]func(l *language, s sighting, today time.Time, when side) *english.Span{
	"day": func(l *language, s sighting, today time.Time, _ side) *english.Span {
		return l.day(today.AddDate(0, 0, s.rule.args[0]))
	},
	"ago":   func(l *language, s sighting, today time.Time, _ side) *english.Span { return l.away(s, -1, today) },
	"ahead": func(l *language, s sighting, today time.Time, _ side) *english.Span { return l.away(s, 1, today) },
	"week": func(l *language, s sighting, today time.Time, _ side) *english.Span {
		return l.span(monday(today).AddDate(0, 0, 7*s.rule.args[0]), 0, 0, 7, "text_week")
	},
	"whole_month": func(l *language, s sighting, today time.Time, _ side) *english.Span {
		return l.span(date(today.Year(), int(today.Month())+s.rule.args[0], 1, today), 0, 1, 0, "text_month")
	},
	"whole_year": func(l *language, s sighting, today time.Time, _ side) *english.Span {
		return l.span(date(today.Year()+s.rule.args[0], 1, 1, today), 1, 0, 0, "text_year")
	},
	"weekend": func(l *language, _ sighting, today time.Time, when side) *english.Span {
		saturday := monday(today).AddDate(0, 0, -2)
		if when == certain && !today.Before(saturday.AddDate(0, 0, 7)) {
			return nil // on a Sunday it may be this one
		}
		return l.span(saturday, 0, 0, 2, "text_weekend")
	},
	"past":   func(l *language, s sighting, today time.Time, _ side) *english.Span { return l.weekday(s, -1, today) },
	"coming": func(l *language, s sighting, today time.Time, _ side) *english.Span { return l.weekday(s, 1, today) },
	"bare": func(l *language, s sighting, today time.Time, when side) *english.Span {
		switch when {
		case overNow:
			return l.weekday(s, -1, today)
		case toCome:
			return l.weekday(s, 1, today)
		default:
			return nil
		}
	},
	"on_date": func(l *language, s sighting, today time.Time, when side) *english.Span {
		return written(s, today, when, func(year int) *english.Span {
			return l.dated(year, s.values["month"], s.values["date"], today)
		})
	},
	"date_of_month": func(l *language, s sighting, today time.Time, _ side) *english.Span {
		return l.dated(today.Year(), int(today.Month()), s.values["date"], today)
	},
	"in_month": func(l *language, s sighting, today time.Time, when side) *english.Span {
		return written(s, today, when, func(year int) *english.Span {
			return l.span(date(year, s.values["month"], 1, today), 0, 1, 0, "text_month")
		})
	},
	"in_year": func(l *language, s sighting, today time.Time, when side) *english.Span {
		year := s.values["year"]
		if year == 0 {
			if year = 1900 + s.values["short"]; year+100 <= today.Year() {
				year += 100
			}
		}
		return written(s, today, when, func(int) *english.Span { return l.span(date(year, 1, 1, today), 1, 0, 0, "text_year") })
	},
	"in_decade": func(l *language, s sighting, today time.Time, when side) *english.Span {
		return written(s, today, when, func(int) *english.Span { return l.span(date(s.values["decade"], 1, 1, today), 10, 0, 0, "text_year") })
	},
	"last_season": season,
	"in_season":   season,
	"feast": func(l *language, s sighting, today time.Time, when side) *english.Span {
		return written(s, today, when, func(year int) *english.Span { return l.day(date(year, s.rule.args[0], s.rule.args[1], today)) })
	},
}

func (l *language) meaning(s sighting, today time.Time, when side) *english.Span {
	means := kinds[s.rule.kind]
	if d, ok := s.values["date"]; means == nil || ok && (d < 1 || d > 31) {
		return nil
	}
	return means(l, s, today, when)
}

// season returns the last season of a name. Its months depend on the hemisphere, so it has no text
// and is used only for searching.
func season(l *language, s sighting, today time.Time, when side) *english.Span {
	return written(s, today, when, func(year int) *english.Span { return l.span(date(year, s.values["season"], 1, today), 0, 3, 0, "") })
}

// written returns the span of a date that does not depend on when it is said. Only a question gets
// one: the last, if it names no year.
func written(s sighting, today time.Time, when side, of func(year int) *english.Span) *english.Span {
	if when != overNow {
		return nil
	}
	if year := s.values["year"]; year > 0 {
		return of(year)
	}
	for year := today.Year(); year >= today.Year()-8; year-- { // 29 February needs a leap year
		if span := of(year); span != nil && !span.From.After(today) {
			return span
		}
	}
	return nil
}

// away returns the span a number of days, weeks, months or years from today. Weeks are counted
// approximately, to within three days.
func (l *language) away(s sighting, by int, today time.Time) *english.Span {
	n := by * s.values["n"]
	switch s.values["unit"] {
	case 1:
		return l.day(today.AddDate(0, 0, n))
	case 7:
		d := today.AddDate(0, 0, 7*n)
		around := l.span(d.AddDate(0, 0, -3), 0, 0, 7, "")
		around.Text = l.text("text_around", d)
		return around
	case 31:
		return l.span(date(today.Year(), int(today.Month())+n, 1, today), 0, 1, 0, "text_month")
	default:
		return l.span(date(today.Year()+n, 1, 1, today), 1, 0, 0, "text_year")
	}
}

func (l *language) day(d time.Time) *english.Span { return l.span(d, 0, 0, 1, "text_day") }

// dated returns the span of a date, or nil if its month has no such day.
func (l *language) dated(year, month, day int, like time.Time) *english.Span {
	if d := date(year, month, day, like); d.Day() == day {
		return l.day(d)
	}
	return nil
}

func (l *language) span(from time.Time, years, months, days int, key string) *english.Span {
	return &english.Span{From: from, To: from.AddDate(years, months, days), Text: l.text(key, from)}
}

// text returns the text of a span that begins on d.
func (l *language) text(key string, d time.Time) string {
	if key == "" {
		return ""
	}
	return strings.NewReplacer("{weekday}", l.names["weekday"][int(d.Weekday())], "{day}", strconv.Itoa(d.Day()),
		"{month}", l.names["month"][int(d.Month())], "{year}", strconv.Itoa(d.Year())).Replace(l.file[key][0])
}

// weekday returns the last or the next weekday of a name, which is never today.
func (l *language) weekday(s sighting, by int, today time.Time) *english.Span {
	d := today.AddDate(0, 0, by)
	for int(d.Weekday()) != s.values["weekday"] {
		d = d.AddDate(0, 0, by)
	}
	return l.day(d)
}

func monday(d time.Time) time.Time { return d.AddDate(0, 0, -(int(d.Weekday())+6)%7) }

package prompts

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// words are the few that code must choose itself, because they hang on the clock.
type words struct {
	name                     string // of the language, in English
	morning, afternoon, even string
	yesterday, today         string
	onDay                    func(weekday string) string
	onDate                   func(day int, month string) string
	date                     func(day int, month string, year int) string
	weekdays                 [7]string // from Sunday, as in package time
	months                   [12]string
}

var languages = map[string]words{
	"en": {
		name: "English", morning: "Good morning", afternoon: "Good afternoon", even: "Good evening",
		yesterday: "yesterday", today: "earlier today",
		onDay:    func(d string) string { return "on " + d },
		onDate:   func(d int, m string) string { return "on " + m + " " + strconv.Itoa(d) },
		date:     func(d int, m string, y int) string { return strconv.Itoa(d) + " " + m + " " + strconv.Itoa(y) },
		weekdays: [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
		months: [12]string{
			"January", "February", "March", "April", "May", "June",
			"July", "August", "September", "October", "November", "December",
		},
	},
	"de": {
		name: "German", morning: "Guten Morgen", afternoon: "Guten Tag", even: "Guten Abend",
		yesterday: "gestern", today: "heute schon",
		onDay:    func(d string) string { return "am " + d },
		onDate:   func(d int, m string) string { return "am " + strconv.Itoa(d) + ". " + m },
		date:     func(d int, m string, y int) string { return strconv.Itoa(d) + ". " + m + " " + strconv.Itoa(y) },
		weekdays: [7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
		months: [12]string{
			"Januar", "Februar", "März", "April", "Mai", "Juni",
			"Juli", "August", "September", "Oktober", "November", "Dezember",
		},
	},
	"es": {
		name: "Spanish", morning: "Buenos días", afternoon: "Buenas tardes", even: "Buenas noches",
		yesterday: "ayer", today: "hoy mismo",
		onDay:    func(d string) string { return "el " + d },
		onDate:   func(d int, m string) string { return "el " + strconv.Itoa(d) + " de " + m },
		date:     func(d int, m string, y int) string { return strconv.Itoa(d) + " de " + m + " de " + strconv.Itoa(y) },
		weekdays: [7]string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
		months: [12]string{
			"enero", "febrero", "marzo", "abril", "mayo", "junio",
			"julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
		},
	},
}

// English is the language that every text exists in.
const English = "en"

// Language returns the two-letter language of a BCP 47 tag where there are texts
// in it, and [English] otherwise.
func Language(tag string) string {
	if base, known := Known(tag); known {
		return base
	}
	return English
}

// Known returns the base of a BCP 47 tag, such as de of de-AT, and reports whether
// there are texts in it.
func Known(tag string) (base string, known bool) {
	base, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	_, known = languages[base]
	return base, known
}

// Languages returns the languages that there are texts in, two letters each.
func Languages() []string { return slices.Sorted(maps.Keys(languages)) }

// SetClock fills the fields that hang on the time where the person lives.
func (d *Data) SetClock(now time.Time) {
	w := d.words()
	d.Speak = w.name
	switch h := now.Hour(); {
	case h >= 4 && h < 12:
		d.Greeting = w.morning
	case h >= 12 && h < 18:
		d.Greeting = w.afternoon
	default:
		d.Greeting = w.even
	}
	d.Weekday = w.weekdays[now.Weekday()]
	d.Date = w.date(now.Day(), w.months[now.Month()-1], now.Year())
	d.Time = now.Format("15:04")
	d.Zone = now.Location().String()
}

// SetLastCall says when nAIber last spoke with the person. Both times are where
// the person lives. A zero last means never.
func (d *Data) SetLastCall(last, now time.Time) {
	if last.IsZero() {
		d.FirstCall, d.LastCall = true, ""
		return
	}
	w := d.words()
	d.FirstCall = false
	switch n := daysBetween(last, now); {
	case n <= 0:
		d.LastCall = w.today
	case n == 1:
		d.LastCall = w.yesterday
	case n < 7:
		d.LastCall = w.onDay(w.weekdays[last.Weekday()])
	default:
		d.LastCall = w.onDate(last.Day(), w.months[last.Month()-1])
	}
}

// daysBetween counts midnights on the calendar, whatever the clocks did.
func daysBetween(from, to time.Time) int {
	day := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(day(to).Sub(day(from)) / (24 * time.Hour))
}

func (d *Data) words() words {
	if w, ok := languages[d.Language]; ok {
		return w
	}
	return languages[English]
}

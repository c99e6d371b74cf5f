package prompts

import (
	_ "embed" // the words are a file
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// words holds the words that code must choose itself, because they depend on the clock. Patterns
// may contain {weekday}, {day}, {month} and {year}.
type words struct {
	Name                        string // of the language, in English
	Voice                       string // Twilio's language tag for its own voices
	Morning, Afternoon, Evening string
	Yesterday, Today            string
	OnDay, OnDate, Date         string    // patterns
	Weekdays                    [7]string // from Sunday, as in package time
	Months                      [12]string
}

//go:embed languages.json
var languagesJSON []byte

var languages = func() (all map[string]words) {
	if err := json.Unmarshal(languagesJSON, &all); err != nil {
		panic("prompts: languages.json: " + err.Error())
	}
	return all
}()

// fill returns pattern with the parts of t's date inserted.
func (w words) fill(pattern string, t time.Time) string {
	return strings.NewReplacer("{weekday}", w.Weekdays[t.Weekday()], "{day}", strconv.Itoa(t.Day()),
		"{month}", w.Months[t.Month()-1], "{year}", strconv.Itoa(t.Year())).Replace(pattern)
}

// English is the language in which every text exists.
const English = "en"

// Language returns the two-letter language of a BCP 47 tag if there are texts in it, and [English]
// otherwise.
func Language(tag string) string {
	if base, known := Known(tag); known {
		return base
	}
	return English
}

// Known returns the base of a BCP 47 tag, such as de for de-AT, and reports whether there are texts
// in it.
func Known(tag string) (base string, known bool) {
	base, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	_, known = languages[base]
	return base, known
}

// Languages returns the two-letter languages in which there are texts, sorted.
func Languages() []string { return slices.Sorted(maps.Keys(languages)) }

// Voice returns Twilio's language tag for its own voices, for one of [Languages].
func Voice(language string) string { return languages[language].Voice }

// SetClock sets the fields that depend on the local time where the person lives.
func (d *Data) SetClock(now time.Time) {
	w := d.words()
	d.Speak = w.Name
	switch h := now.Hour(); {
	case h >= 4 && h < 12:
		d.Greeting = w.Morning
	case h >= 12 && h < 18:
		d.Greeting = w.Afternoon
	default:
		d.Greeting = w.Evening
	}
	d.Weekday, d.Date = w.fill("{weekday}", now), w.fill(w.Date, now)
	d.Time, d.Zone = now.Format("15:04"), now.Location().String()
}

// SetLastCall sets when nAIber last spoke with the person. Both times are in the person's time
// zone. A zero last means never.
func (d *Data) SetLastCall(last, now time.Time) {
	if d.FirstCall = last.IsZero(); d.FirstCall {
		d.LastCall = ""
		return
	}
	midnight := func(t time.Time) time.Time { // in UTC, where every day has 24 hours
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	w := d.words()
	switch days := midnight(now).Sub(midnight(last)) / (24 * time.Hour); {
	case days <= 0:
		d.LastCall = w.Today
	case days == 1:
		d.LastCall = w.Yesterday
	case days < 7:
		d.LastCall = w.fill(w.OnDay, last)
	default:
		d.LastCall = w.fill(w.OnDate, last)
	}
}

func (d *Data) words() words {
	if w, ok := languages[d.Language]; ok {
		return w
	}
	return languages[English]
}

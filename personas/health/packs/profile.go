package packs

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/internal/english"
)

// EventFall is the last known fall. Cadences refer to it.
const EventFall = "fall"

// dated matches the date in an entry of a profile: "discharged from hospital 2026-03-14".
var dated = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)

// Profile holds what the selection of questions depends on.
type Profile struct {
	Language    string               // BCP 47
	Conditions  []string             // free text: "high blood pressure, mild"
	Medications []string             // free text: "warfarin 5 mg in the evening"
	Events      map[string]time.Time // when each event, such as [EventFall], last happened
	NoScreens   bool                 // no screen may be asked, as the time of the last one is not known
}

// has reports whether one of a question's reasons applies to the person.
func (p Profile) has(reasons []When, now time.Time) bool {
	return slices.ContainsFunc(reasons, func(w When) bool { return p.holds(w, now) })
}

func (p Profile) holds(w When, now time.Time) bool {
	if len(w.Conditions) > 0 && !mentions(current(p.Conditions, w.WithinDays, now), w.Conditions) {
		return false
	}
	return len(w.Medications) == 0 || mentions(p.Medications, w.Medications)
}

// current leaves out the entries whose date is in the future or more than within days ago. It keeps
// entries without a date, and all of them if within is 0.
func current(entries []string, within int, now time.Time) []string {
	if within == 0 {
		return entries
	}
	var left []string
	for _, entry := range entries {
		at, err := time.ParseInLocation(time.DateOnly, dated.FindString(entry), now.Location())
		if err != nil || !at.After(now) && days(at, now) <= within {
			left = append(left, entry)
		}
	}
	return left
}

// mentions reports whether any entry names any of the terms, as whole words. A term "*pril" matches
// an ending, "*" any word. What is denied ("no diabetes", "family history of diabetes") does not
// count.
func mentions(entries, terms []string) bool {
	for _, entry := range entries {
		for part := range strings.FieldsFuncSeq(entry, func(r rune) bool { return strings.ContainsRune(",;/()\n", r) }) {
			said := words(part)
			for _, term := range terms {
				if named(said, term) {
					return true
				}
			}
		}
	}
	return false
}

func named(said []string, term string) bool {
	want := words(term)
	ending := strings.HasPrefix(term, "*")
	if ending && len(want) == 0 {
		return len(said) > 0
	}
	for i := 0; i+len(want) <= len(said); i++ {
		match := slices.Equal(said[i:i+len(want)], want)
		if ending {
			match = len(want) == 1 && strings.HasSuffix(said[i], want[0])
		}
		if match && !denied(said[:i]) {
			return true
		}
	}
	return false
}

// denied reports whether the words before a term negate it.
func denied(before []string) bool {
	near := before[max(0, len(before)-4):]
	return english.Holds(strings.Join(near, " "), entries.Denied...)
}

//go:embed entries.yaml
var entryWords []byte

// entries holds the words that have a meaning in a profile's entries.
var entries = func() (lists struct {
	Denied   []string `yaml:"denied"`
	AsNeeded []string `yaml:"asNeeded"`
	EndsName []string `yaml:"endsName"`
},
) {
	if err := yaml.UnmarshalWithOptions(entryWords, &lists, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("packs: read words of profiles: %v", err)) // the file is embedded
	}
	return lists
}()

// words returns the words of s, of letters and digits, in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// days returns the number of midnights between two moments in the time zone of now: a check at nine
// is due two weeks after one at ten.
func days(from, now time.Time) int {
	y1, m1, d1 := from.In(now.Location()).Date()
	y2, m2, d2 := now.Date()
	return int(time.Date(y2, m2, d2, 0, 0, 0, 0, time.UTC).Sub(time.Date(y1, m1, d1, 0, 0, 0, 0, time.UTC)).Hours() / 24)
}

const (
	eachMedication  = "medication"
	placeMedication = "{medication}"
	placeYearAgo    = "{a year ago}"
)

// medicine is one of a person's medicines, as named in questions.
type medicine struct {
	name string // "warfarin", "eye drops", "vitamin D"
	id   string // "warfarin", "eye_drops", "losartan" of "losartán"
}

// regular returns the medicines that are taken at fixed times, in the order given. Those taken only
// when needed cannot be missed, so they are not asked about.
func regular(entries []string) []medicine {
	var found []medicine
	for _, entry := range entries {
		if asNeeded(entry) {
			continue
		}
		name := medicineName(entry)
		id := strings.Join(words(english.Unmarked(strings.ToLower(name))), "_")
		if id == "" || !questionID.MatchString(id) || slices.ContainsFunc(found, func(m medicine) bool { return m.id == id }) {
			continue
		}
		found = append(found, medicine{name, id})
	}
	return found
}

func asNeeded(entry string) bool {
	return english.Holds(strings.Join(words(entry), " "), entries.AsNeeded...)
}

// medicineName returns the entry up to the dose or the time of day.
func medicineName(entry string) string {
	entry, _, _ = strings.Cut(entry, ",")
	entry, _, _ = strings.Cut(entry, "(")
	var name []string
	for w := range strings.FieldsSeq(entry) {
		if w[0] >= '0' && w[0] <= '9' {
			break
		}
		if slices.Contains(entries.EndsName, strings.ToLower(w)) {
			break
		}
		name = append(name, w)
	}
	return strings.Join(name, " ")
}

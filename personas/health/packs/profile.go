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

// EventFall is the last fall that is known of. Cadences refer to it.
const EventFall = "fall"

// dated finds the day that an entry of a profile names: "discharged from hospital
// 2026-03-14".
var dated = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)

// Profile is what the choice of questions depends on.
type Profile struct {
	Language    string               // BCP 47
	Conditions  []string             // as somebody typed them: "high blood pressure, mild"
	Medications []string             // likewise: "warfarin 5 mg in the evening"
	Events      map[string]time.Time // when something last happened, as [EventFall]
	NoScreens   bool                 // none is due: when the last one was asked is not known
}

// has reports whether one of a question's reasons holds for the person.
func (p Profile) has(reasons []When, now time.Time) bool {
	return slices.ContainsFunc(reasons, func(w When) bool { return p.holds(w, now) })
}

func (p Profile) holds(w When, now time.Time) bool {
	if len(w.Conditions) > 0 && !mentions(current(p.Conditions, w.WithinDays, now), w.Conditions) {
		return false
	}
	return len(w.Medications) == 0 || mentions(p.Medications, w.Medications)
}

// current leaves out the entries whose day is to come, or further back than so many
// days. Those without a day stay, as all do where there is no limit.
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

// mentions reports whether any entry names any of the terms, as whole words. A
// term "*pril" is an ending, "*" is anything. What is denied ("no diabetes",
// "family history of diabetes") is not named.
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

// denied reports whether the words before a term take it back.
func denied(before []string) bool {
	near := before[max(0, len(before)-4):]
	return english.Holds(strings.Join(near, " "), entries.Denied...)
}

//go:embed entries.yaml
var entryWords []byte

// entries are the words by which a profile's entries are understood.
var entries = func() (lists struct {
	Denied   []string `yaml:"denied"`
	AsNeeded []string `yaml:"asNeeded"`
	EndsName []string `yaml:"endsName"`
},
) {
	if err := yaml.UnmarshalWithOptions(entryWords, &lists, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("packs: read words of profiles: %v", err)) // they are built in
	}
	return lists
}()

// words is text in lower case, cut into words of letters and digits.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// days is the number of midnights between two moments, where now is: a check at
// nine is due two weeks after one at ten.
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

// medicine is one entry of a person's medicines, as far as it can be asked about.
type medicine struct {
	name string // "warfarin", "eye drops", "vitamin D"
	id   string // "warfarin", "eye_drops", "losartan" of "losartán"
}

// regular lists the medicines that are taken at fixed times, in the order given.
// What is taken only when needed cannot be missed, so it is not asked about.
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

// medicineName is the entry up to the dose or the time of day.
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

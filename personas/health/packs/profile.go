package packs

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
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
	return slices.ContainsFunc(near, func(w string) bool {
		switch w {
		case "no", "not", "never", "without", "denies", "family", "pre", "risk", "suspected":
			return true
		}
		return false
	})
}

// words is text in lower case, cut into words of letters and digits.
func words(s string) []string {
	return strings.FieldsFunc(lower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func lower(s string) string { return strings.ToLower(s) }

// days is the number of midnights between two moments, where now is: a check at
// nine is due two weeks after one at ten.
func days(from, now time.Time) int {
	y1, m1, d1 := from.In(now.Location()).Date()
	y2, m2, d2 := now.Date()
	return int(time.Date(y2, m2, d2, 0, 0, 0, 0, time.UTC).Sub(time.Date(y1, m1, d1, 0, 0, 0, 0, time.UTC)).Hours() / 24)
}

package packs

import (
	"slices"
	"strings"
)

const (
	eachMedication  = "medication"
	placeMedication = "{medication}"
	placeYearAgo    = "{a year ago}"
)

// medicine is one entry of a person's medicines, as far as it can be asked about.
type medicine struct {
	name string // "warfarin", "eye drops", "vitamin D"
	id   string // "warfarin", "eye_drops"
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
		id := strings.Join(words(name), "_")
		if id == "" || !questionID.MatchString(id) || slices.ContainsFunc(found, func(m medicine) bool { return m.id == id }) {
			continue
		}
		found = append(found, medicine{name, id})
	}
	return found
}

func asNeeded(entry string) bool {
	said := " " + strings.Join(words(entry), " ") + " "
	for _, sign := range []string{" when ", " if ", " as needed ", " as required ", " needed ", " prn ", " sometimes "} {
		if strings.Contains(said, sign) {
			return true
		}
	}
	return false
}

// medicineName is the entry up to the dose or the time of day.
func medicineName(entry string) string {
	entry, _, _ = strings.Cut(entry, ",")
	entry, _, _ = strings.Cut(entry, "(")
	var name []string
	for w := range strings.FieldsSeq(entry) {
		if startsWithDigit(w) {
			break
		}
		switch lower(w) {
		case "mg", "mcg", "g", "ml", "in", "at", "on", "for", "once", "twice", "one", "two", "three", "half",
			"every", "each", "daily", "morning", "evening", "bedtime", "nightly", "before", "after", "with", "a", "per", "-":
			return strings.Join(name, " ")
		}
		name = append(name, w)
	}
	return strings.Join(name, " ")
}

func startsWithDigit(w string) bool { return w[0] >= '0' && w[0] <= '9' }

// Package parts keeps the catalogue of spare parts.
package parts

// Part is one part of one model, as the catalogue has it.
type Part struct {
	Model, Number, Name string // Model and Number as the catalogue spells them, upper case
	PriceCents          int64  // 0: not known
	Description         string
	ImageURL, VideoURL  string
	Symptoms            []string // that it solves
	Steps               []string // of its installation; the catalogue may have none
}

// Match is a part, and the symptoms, in the person's words, that it was found by.
type Match struct {
	Part

	Matched []string
}

package model

import (
	"cmp"
	"slices"
	"strings"
)

// summary tells what the person talked about, and quotes what was weightiest
// in it: extractive, so that nothing in it was not said.
func (f *filler) summary() string {
	who := f.sc.person
	if who == "" {
		who = preferredName(f.sc.instructions)
	}
	if who == "" {
		who = "The person"
	}
	facts := f.facts()
	if len(f.said) == 0 {
		return "Nobody spoke on this call."
	}
	if slices.ContainsFunc(f.said, isWrongPerson) {
		return "Somebody else answered. \"" + f.said[0] + "\""
	}
	var parts []string
	if list := labels(f.topics); len(list) > 0 {
		parts = append(parts, who+" talked about "+joinAnd(list[:min(len(list), 4)])+".")
	} else {
		parts = append(parts, who+" exchanged a few words.")
	}
	if tone := f.mood(field{}); tone < -2 {
		parts = append(parts, who+" sounded low.")
	} else if tone > 2 {
		parts = append(parts, who+" sounded in good spirits.")
	}
	for _, s := range heaviest(facts, 3) {
		parts = append(parts, `"`+s+`"`)
	}
	return strings.Join(parts, " ")
}

// facts are the person's sentences that tell something: no greetings, no
// fillers, no questions; in the order in which they were said.
func (f *filler) facts() []string {
	var out []string
	for _, s := range f.said {
		if weigh(s) > 0 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// heaviest keeps the n sentences that tell most, in their order.
func heaviest(sentences []string, n int) []string {
	if len(sentences) <= n {
		return sentences
	}
	byWeight := slices.Clone(sentences)
	slices.SortStableFunc(byWeight, func(a, b string) int { return cmp.Compare(weigh(b), weigh(a)) })
	kept := byWeight[:n]
	return slices.DeleteFunc(slices.Clone(sentences), func(s string) bool { return !slices.Contains(kept, s) })
}

// weigh says how much a sentence tells; zero for what is not worth keeping.
func weigh(s string) float64 {
	words := wordsOf(s)
	if len(words) < 4 || strings.HasSuffix(s, "?") || isGoodbye(s) || isPardon(s) {
		return 0
	}
	w := 0.0
	for category, n := range categoriesOf(s) {
		switch {
		case heavyCategories[category]:
			w += 2 * n
		case quietCategories[category]:
			w += 0.4 * n
		default:
			w += n
		}
	}
	w += 2 * float64(len(namesIn(s)))
	w += 0.5 * float64(len(numbersIn(s)))
	if w > 0 && hasAny(s, "i", "my", "we", "our", "me", "im", "ive") {
		w++
	}
	return w
}

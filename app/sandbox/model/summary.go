package model

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// summary tells what the person talked about, and the weightiest of what they
// told of themselves: nothing in it was not said.
func (f *filler) summary() string {
	who := f.who()
	if len(f.said) == 0 {
		return "Nobody spoke on this call."
	}
	if slices.ContainsFunc(f.said, isWrongPerson) {
		return "Somebody else answered. \"" + f.said[0] + "\""
	}
	var parts []string
	if list := f.spokenOf(4); len(list) > 0 {
		parts = append(parts, who+" talked about "+joinAnd(list)+".")
	} else {
		parts = append(parts, who+" exchanged a few words.")
	}
	if tone := f.mood(field{}); tone < -2 {
		parts = append(parts, who+" sounded low.")
	} else if tone > 2 {
		parts = append(parts, who+" sounded in good spirits.")
	}
	told := slices.DeleteFunc(f.facts(), func(s string) bool { return !tellsOfLife(s) })
	for _, s := range heaviest(told, 3) {
		parts = append(parts, strings.TrimRight(aboutPerson(said(s), who), ".!")+".")
	}
	return strings.Join(parts, " ")
}

// who is what the person is called, or a word for them.
func (f *filler) who() string {
	if f.sc.person != "" {
		return f.sc.person
	}
	if m := calledIn.FindStringSubmatch(f.sc.instructions); m != nil {
		return m[1]
	}
	if name := preferredName(f.sc.instructions); name != "" {
		return name
	}
	return "The person"
}

// spokenOf are at most n topics as a sentence names them: "their son Tom".
func (f *filler) spokenOf(n int) []string {
	var out []string
	for _, t := range f.topics[:min(len(f.topics), n)] {
		if t.name != nil && t.name.role != "" {
			out = append(out, "their "+t.label)
		} else {
			out = append(out, t.label)
		}
	}
	return out
}

// introduced is how people say who they are.
var introduced = regexp.MustCompile(`\b(?i:this is|i am|i'm|my name is|call me) ([A-Z][\p{L}'-]+)|\b([A-Z][\p{L}'-]+) (?i:speaking|here)\b`)

// isSelf reports whether a topic is the person who speaks.
func (f *filler) isSelf(t topic) bool {
	if t.name == nil || t.name.role != "" {
		return false
	}
	names := append(personNames(f.sc.instructions), f.who())
	for _, l := range f.sc.lines {
		if l.agent {
			names = append(names, personNames(l.text)...)
			continue
		}
		for _, m := range introduced.FindAllStringSubmatch(l.text, -1) {
			names = append(names, m[1]+m[2])
		}
	}
	first, _, _ := strings.Cut(t.name.name, " ")
	return slices.Contains(names, first) || slices.Contains(names, t.name.name)
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

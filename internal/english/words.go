package english

import (
	"slices"
	"strings"
	"unicode"

	snowball "github.com/kljensen/snowball/english"
)

// Set returns the set of the words in a text.
func Set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// Words returns the words of s in lower case, without possessives.
func Words(s string) []string {
	var out []string
	for w := range strings.FieldsFuncSeq(Lower(s), outsideWord) {
		if w = strings.TrimSuffix(strings.Trim(w, "'"), "'s"); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// Stem returns the common stem of a lower-case word's forms: "visits", "visiting" and "visited"
// have one stem, and so do "went" and "go". Stems are for comparison, not for reading.
func Stem(w string) string {
	if r := irregular[w]; r != "" {
		w = r
	}
	return snowball.Stem(w, true)
}

// irregular maps forms that have no regular ending, and short names of family members, to their
// base forms.
var irregular = map[string]string{
	"came": "come", "went": "go", "gone": "go", "goes": "go", "saw": "see", "seen": "see", "fell": "fall", "fallen": "fall", "slept": "sleep",
	"ate": "eat", "eaten": "eat", "took": "take", "taken": "take", "bought": "buy", "brought": "bring", "grew": "grow", "grown": "grow",
	"left": "leave", "met": "meet", "made": "make", "broke": "break", "broken": "break", "gave": "give", "given": "give", "sold": "sell",
	"told": "tell", "thought": "think", "knew": "know", "known": "know", "wrote": "write", "written": "write", "spoke": "speak",
	"spoken": "speak", "said": "say", "heard": "hear", "rang": "ring", "rung": "ring", "woke": "wake", "woken": "wake", "drank": "drink",
	"sang": "sing", "sung": "sing", "taught": "teach", "kept": "keep", "felt": "feel", "began": "begin", "begun": "begin",
	"drove": "drive", "driven": "drive", "dug": "dig", "fed": "feed", "froze": "freeze", "frozen": "freeze", "shone": "shine",
	"lost": "lose", "won": "win", "died": "die", "dying": "die", "dead": "die", "lying": "lie", "feet": "foot", "teeth": "tooth",
	"mice": "mouse", "men": "man", "women": "woman", "wives": "wife", "knives": "knife", "children": "child",
	"grandchildren": "grandchild", "mum": "mother", "mom": "mother", "dad": "father", "telly": "television", "grandma": "grandmother",
	"grandpa": "grandfather",
}

// empty holds words without content of their own, including those that a language model adds to
// complete a sentence.
var empty = Set(`a about after again all also am an and any are as at be because been before but by can could did do
	does doing done for from get gets getting go goes going got had has have having he her hers him his how i if in into is it
	its just me more most my no not now of off on one or our out over really she so some that the their them then there they
	this those to too two up us very was we well went were what when where which while who will with would yes you your
	person says said told tells called named name currently usually often sometimes always recently still every each
	feels feel feeling likes like enjoys loves wants want plans plan own owns lives live being new old much many
	mr mrs ms dr`)

// Content returns the stems of the content words in s, each once.
func Content(s string) []string {
	var out []string
	for _, w := range Words(s) {
		if empty[w] || strings.Contains(w, "'") {
			continue
		}
		if w = Stem(w); !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// Alike reports whether two stems belong to one word: they are equal, or differ only at the end.
func Alike(a, b string) bool {
	if a == b {
		return true
	}
	n := min(len(a), len(b))
	return n >= 5 && a[:n-1] == b[:n-1] || n >= 4 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) && max(len(a), len(b))-n <= 3
}

// Has reports whether a list contains a stem, or one [Alike].
func Has(stems []string, stem string) bool {
	return slices.ContainsFunc(stems, func(s string) bool { return Alike(s, stem) })
}

// Common returns how many stems of a are in b.
func Common(a, b []string) int {
	n := 0
	for _, w := range a {
		if Has(b, w) {
			n++
		}
	}
	return n
}

// Share returns the share of a sentence's [Content] that occurs in a text, from 0 to 1; 1 if the
// sentence has none.
func Share(sentence, text string) float64 {
	want := Content(sentence)
	if len(want) == 0 {
		return 1
	}
	return float64(Common(want, Content(text))) / float64(len(want))
}

// Proper returns the capitalised words of s that do not begin a sentence, and the numbers in
// digits, all in lower case without possessives.
func Proper(s string) (names, numbers []string) {
	first := true
	for raw := range strings.FieldsSeq(s) {
		w := strings.TrimFunc(raw, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		if w == "" {
			continue
		}
		r := []rune(w)[0]
		switch {
		case unicode.IsDigit(r):
			numbers = append(numbers, strings.ToLower(w))
		case unicode.IsUpper(r) && !first && w != "I" && !strings.HasPrefix(w, "I'") && !strings.HasPrefix(w, "I’"):
			names = append(names, strings.ToLower(w))
		}
		first = strings.HasSuffix(raw, ".") || strings.HasSuffix(raw, "!") || strings.HasSuffix(raw, "?")
	}
	return names, numbers
}

package score

import (
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// heardAs reports whether heard may be what a recogniser makes of want, and whether it is exactly
// that word. It accepts another form of the word, a word that sounds the same, and a word that is
// not in common use but is spelled as it sounds or, from five letters on, differs by one edit.
func heardAs(heard, want string) (is, exact bool) {
	if heard == want {
		return true, true
	}
	forms := func(w string) []string { return append([]string{w}, singulars(w)...) }
	for _, h := range forms(heard) {
		for _, w := range forms(want) {
			if h == w || slices.Contains(spoken.sounds[h], w) {
				return true, false
			}
		}
	}
	if len(want) > 3 && english.Stem(heard) == english.Stem(want) {
		return true, false
	}
	if spoken.common[heard] || len(heard) < 3 {
		return false, false
	}
	return small(heard, want) || sound(heard) == sound(want) || len(want) >= 5 && oneEdit(heard, want), false
}

// small reports whether heard is a diminutive of want: "doggy".
func small(heard, want string) bool {
	for _, end := range []string{"y", "ie", "let", "ette", "kin", "ling"} {
		if s, ok := strings.CutSuffix(heard, end); ok && len(want) > 2 && (s == want || s == want+want[len(want)-1:]) {
			return true
		}
	}
	return false
}

// spelling replaces spellings that sound alike by one, in order.
var spelling = []struct {
	of *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`^kn|^gn|^pn`), "n"},
	{regexp.MustCompile(`^wr`), "r"},
	{regexp.MustCompile(`^ps`), "s"},
	{regexp.MustCompile(`^wh`), "w"},
	{regexp.MustCompile(`ph`), "f"},
	{regexp.MustCompile(`tch`), "C"},
	{regexp.MustCompile(`sch`), "sk"},
	{regexp.MustCompile(`ch`), "C"},
	{regexp.MustCompile(`sh|[st]ion`), "S"},
	{regexp.MustCompile(`th`), "T"},
	{regexp.MustCompile(`dge?|j`), "J"},
	{regexp.MustCompile(`igh`), "i"},
	{regexp.MustCompile(`gh`), ""},
	{regexp.MustCompile(`ck|q`), "k"},
	{regexp.MustCompile(`c([eiy])`), "s$1"},
	{regexp.MustCompile(`c`), "k"},
	{regexp.MustCompile(`x`), "ks"},
	{regexp.MustCompile(`z`), "s"},
	{regexp.MustCompile(`mb$`), "m"},
	{regexp.MustCompile(`([^aeiouy])le$`), "${1}el"},
	{regexp.MustCompile(`([^aeiouy])re$`), "${1}er"},
	{regexp.MustCompile(`([^aeiouy])(?:ie|ey|ee|y|i)$`), "${1}Y"},
	{regexp.MustCompile(`([aeiou][^aeiouy]+)e$`), "$1"},
	{regexp.MustCompile(`[aeiouyw]+`), "a"},
	{regexp.MustCompile(`h`), ""},
}

// sound returns a key that is the same for words that may be spelled for each other.
func sound(w string) string {
	for _, same := range spoken.sounds[w] { // takes the first in order, except for a single letter
		if len(same) > 1 && (same < w || len(w) == 1) {
			w = same
		}
	}
	first := ""
	if w != "" && strings.ContainsRune("wyh", rune(w[0])) { // a consonant, not half of a vowel
		first, w = w[:1], w[1:]
	}
	for _, s := range spelling {
		w = s.of.ReplaceAllString(w, s.to)
	}
	return first + string(slices.Compact([]byte(w)))
}

// joined returns the key of words said as one.
func joined(words ...string) string {
	var key strings.Builder
	for _, w := range words {
		key.WriteString(sound(w))
	}
	return string(slices.Compact([]byte(key.String())))
}

// oneEdit reports whether two words differ by one letter, or by two neighbouring letters swapped.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i < len(a) && (a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:])
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}

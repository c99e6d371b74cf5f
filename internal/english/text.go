package english

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine returns s with single spaces for all white space, and none around it. A
// NUL, which PostgreSQL cannot store, counts as white space.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == 0 || unicode.IsSpace(r) }), " ")
}

// Clip returns at most n runes of s, without white space at a cut end.
func Clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return strings.TrimSpace(string(r[:n]))
	}
	return s
}

// Shorten returns at most n runes of s. Where it cuts, it does so after a word if
// that leaves half of them, and ends in "…".
func Shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	s = string(r[:max(n-1, 0)])
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		s = s[:i]
	}
	return s + "…"
}

// Tokens estimates how many tokens of a language model texts fill: four characters
// each, which holds for European languages.
func Tokens(texts ...string) int {
	n := 0
	for _, t := range texts {
		n += utf8.RuneCountInString(t)
	}
	return (n + 3) / 4
}

// Lower returns s in lower case with straight apostrophes.
func Lower(s string) string { return strings.ToLower(strings.ReplaceAll(s, "’", "'")) }

// Plain returns s in lower case, words apart by one space, without marks but the
// apostrophes inside words: the same words look the same, however a speech
// recogniser has written them.
func Plain(s string) string {
	fields := strings.FieldsFunc(Lower(s), outsideWord)
	out := fields[:0]
	for _, f := range fields {
		if f = strings.Trim(f, "'"); f != "" {
			out = append(out, f)
		}
	}
	return strings.Join(out, " ")
}

// plainLetters take the marks off letters.
var plainLetters = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss", "á", "a", "à", "a", "é", "e", "è", "e", "ê", "e",
	"í", "i", "ó", "o", "ú", "u", "ñ", "n", "ç", "c")

// Unmarked returns lower-case text without the marks on its letters: recognisers and
// people leave them out.
func Unmarked(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return text
	}
	return plainLetters.Replace(text)
}

// Holds reports whether plain text holds one of the phrases as whole words.
func Holds(text string, phrases ...string) bool {
	padded := " " + text + " "
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(padded, " "+p+" ") })
}

// titles end in a full stop that ends no sentence.
var titles = regexp.MustCompile(`(?i)\b(?:dr|mrs?|ms|st|prof)\.$`)

var sentenceEnd = regexp.MustCompile(`[.!?…]+["'”’)]?(?:\s+|$)|\n+`)

// Sentences cuts text at the ends of its sentences and lines. The marks stay, the
// white space around does not.
func Sentences(text string) []string {
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	start := 0
	for _, at := range sentenceEnd.FindAllStringIndex(text, -1) {
		if text[at[0]] == '.' && titles.MatchString(text[start:at[0]+1]) {
			continue
		}
		add(text[start:at[1]])
		start = at[1]
	}
	add(text[start:])
	return out
}

func outsideWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }

package english

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine returns s with each run of white space replaced by one space, and none around it. A NUL,
// which PostgreSQL cannot store, counts as white space.
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

// Shorten returns at most n runes of s. If it cuts, it does so after a word if that leaves at least
// half of them, and appends "…".
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

// Tokens returns an estimate of how many tokens of a language model texts take: one for four
// characters, which holds for European languages.
func Tokens(texts ...string) int {
	n := 0
	for _, t := range texts {
		n += utf8.RuneCountInString(t)
	}
	return (n + 3) / 4
}

// Lower returns s in lower case with straight apostrophes.
func Lower(s string) string { return strings.ToLower(strings.ReplaceAll(s, "’", "'")) }

// Plain returns s in lower case, words separated by one space, without marks except the apostrophes
// inside words. Equal words become equal, regardless of how a speech recogniser wrote them.
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

// plainLetters removes the marks from letters.
var plainLetters = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss", "á", "a", "à", "a", "é", "e", "è", "e", "ê", "e",
	"í", "i", "ó", "o", "ú", "u", "ñ", "n", "ç", "c")

// Unmarked returns lower-case text without the marks on its letters, which recognisers and people
// often omit.
func Unmarked(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return text
	}
	return plainLetters.Replace(text)
}

// Holds reports whether plain text contains one of the phrases as whole words.
func Holds(text string, phrases ...string) bool {
	padded := " " + text + " "
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(padded, " "+p+" ") })
}

// titles matches titles whose full stop does not end a sentence.
var titles = regexp.MustCompile(`(?i)\b(?:dr|mrs?|ms|st|prof)\.$`)

var sentenceEnd = regexp.MustCompile(`[.!?…]+["'”’)]?(?:\s+|$)|\n+`)

// Sentences splits text at the ends of its sentences and lines. It keeps the marks, and trims the
// white space.
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

// Package plain makes what people say comparable: the same words look the same,
// however a speech recogniser has written them.
package plain

import (
	"slices"
	"strings"
	"unicode"
)

// Text is s in lower case, words apart by one space, without marks but the
// apostrophes inside words.
func Text(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			b.WriteRune(r)
		case r == '\'' || r == '’':
			b.WriteByte('\'')
		default:
			b.WriteByte(' ')
		}
	}
	fields := strings.Fields(b.String())
	for i, f := range fields {
		fields[i] = strings.Trim(f, "'")
	}
	return strings.Join(fields, " ")
}

// Holds reports whether a plain text holds one of the phrases as whole words.
func Holds(text string, phrases ...string) bool {
	padded := " " + text + " "
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(padded, " "+p+" ") })
}

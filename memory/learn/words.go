package learn

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

//go:embed english.txt
var englishText string

// entries are what english.txt, which explains itself, has under each key. A
// mistake in it ends the process at its start.
var entries = func() map[string][]string {
	out := map[string][]string{}
	var key string
	for line := range strings.Lines(englishText) {
		text := strings.TrimSpace(line)
		switch {
		case text == "" || line[0] == '#':
		case line[0] == ' ':
			last := &out[key][len(out[key])-1]
			*last = strings.TrimSpace(*last + " " + text)
		default:
			key, text, _ = strings.Cut(text, " =")
			out[key] = append(out[key], strings.TrimSpace(text))
		}
	}
	return out
}()

var reference = regexp.MustCompile(`<\w+>`)

// compile returns a pattern of english.txt with what it refers to.
func compile(pattern string) *regexp.Regexp {
	for reference.MatchString(pattern) {
		pattern = reference.ReplaceAllStringFunc(pattern, func(ref string) string { return entries[strings.Trim(ref, "<>")][0] })
	}
	return regexp.MustCompile(pattern)
}

// pattern returns the first pattern under a key.
func pattern(key string) *regexp.Regexp { return compile(entries[key][0]) }

// patterns returns all patterns under a key, each put into its place by around.
func patterns(key string, around ...func(string) string) (out []*regexp.Regexp) {
	for _, p := range entries[key] {
		for _, put := range around {
			p = put(p)
		}
		out = append(out, compile(p))
	}
	return out
}

// inWords is a pattern in whole words of whatever case.
func inWords(pattern string) string { return `(?i)\b(?:` + pattern + `)\b` }

// set returns the words under a key.
func set(key string) map[string]bool { return english.Set(entries[key][0]) }

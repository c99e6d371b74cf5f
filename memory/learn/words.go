package learn

import (
	"embed"
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

//go:embed english.txt spanish.txt
var files embed.FS

// tongue is what learning knows of a language: what its file, of which english.txt
// explains itself, has under each key. A mistake in it ends the process at its start.
type tongue map[string][]string

var englishFile, spanishFile = read("english.txt"), read("spanish.txt")

// entries are those of English.
var entries = englishFile

func read(name string) tongue {
	text, err := files.ReadFile(name)
	if err != nil {
		panic("learn: " + err.Error())
	}
	out := tongue{}
	var key string
	for line := range strings.Lines(string(text)) {
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
}

var reference = regexp.MustCompile(`<\w+>`)

// marked are letters that people and recognisers write with their mark or without it.
var marked = strings.NewReplacer("á", "[aá]", "é", "[eé]", "í", "[ií]", "ó", "[oó]", "ú", "[uúü]", "ñ", "[nñ]")

// compile returns a pattern of a file with what it refers to.
func (t tongue) compile(pattern string) *regexp.Regexp {
	for reference.MatchString(pattern) {
		pattern = reference.ReplaceAllStringFunc(pattern, func(ref string) string { return t[strings.Trim(ref, "<>")][0] })
	}
	return regexp.MustCompile(marked.Replace(pattern))
}

// nothing matches no text.
var nothing = regexp.MustCompile(`[^\s\S]`)

// pattern returns the first pattern under a key; where there is none, it matches nothing.
func (t tongue) pattern(key string) *regexp.Regexp {
	if len(t[key]) == 0 {
		return nothing
	}
	return t.compile(t[key][0])
}

// patterns returns all patterns under a key, each put into its place by around.
func (t tongue) patterns(key string, around ...func(string) string) (out []*regexp.Regexp) {
	for _, p := range t[key] {
		for _, put := range around {
			p = put(p)
		}
		out = append(out, t.compile(p))
	}
	return out
}

// inWords is a pattern in whole words of whatever case.
func inWords(pattern string) string { return `(?i)\b(?:` + pattern + `)\b` }

// set returns the words under a key in any language.
func set(key string) map[string]bool {
	return english.Set(strings.Join(slices.Concat(englishFile[key], spanishFile[key]), " "))
}

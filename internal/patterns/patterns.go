// Package patterns reads files of regular expressions: the knowledge of each language is data, in a
// file of its own.
//
// An entry is "key = text"; an indented line continues the entry above. A key may be repeated: its
// entries are kept in order. <key> is replaced by the text of the first entry under another key. An
// accented letter matches with or without its mark, since people and recognisers omit marks.
package patterns

import (
	"regexp"
	"strings"
)

// File holds the entries of a file by their keys.
type File map[string][]string

// Read parses a file.
func Read(text string) File {
	out := File{}
	var key string
	for line := range strings.Lines(text) {
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

var (
	reference = regexp.MustCompile(`(?:\?P)?<\w+>`) // or the name of a group, which is kept
	marked    = strings.NewReplacer("á", "[aá]", "é", "[eé]", "í", "[ií]", "ó", "[oó]", "ú", "[uúü]", "ñ", "[nñ]")
	nothing   = regexp.MustCompile(`[^\s\S]`)
)

// Compile compiles a pattern with its references replaced. It panics if a reference or the pattern
// is invalid: the files are part of the program.
func (f File) Compile(pattern string) *regexp.Regexp {
	for before := ""; before != pattern; {
		before = pattern
		pattern = reference.ReplaceAllStringFunc(pattern, func(ref string) string {
			if ref[0] == '?' {
				return ref
			}
			return f[strings.Trim(ref, "<>")][0]
		})
	}
	return regexp.MustCompile(marked.Replace(pattern))
}

// Pattern returns the first pattern under a key, or one that matches nothing if there is none.
func (f File) Pattern(key string) *regexp.Regexp {
	if len(f[key]) == 0 {
		return nothing
	}
	return f.Compile(f[key][0])
}

// All returns all patterns under a key, after each function of around was applied to their text.
func (f File) All(key string, around ...func(string) string) (out []*regexp.Regexp) {
	for _, p := range f[key] {
		for _, put := range around {
			p = put(p)
		}
		out = append(out, f.Compile(p))
	}
	return out
}

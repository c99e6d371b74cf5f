// Package patterns reads files of regular expressions: what code knows of a language
// is data, a file for each.
//
// An entry is "key = text"; what is indented belongs to the entry above. A key may come
// again: its entries are kept in order. <key> stands for the text of the first entry
// under another key, and an accented letter for itself with its mark or without it,
// since people and recognisers leave marks out.
package patterns

import (
	"regexp"
	"strings"
)

// File is the entries of a file by their keys.
type File map[string][]string

// Read reads a file.
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
	reference = regexp.MustCompile(`(?:\?P)?<\w+>`) // or the name of a group, which stays
	marked    = strings.NewReplacer("á", "[aá]", "é", "[eé]", "í", "[ií]", "ó", "[oó]", "ú", "[uúü]", "ñ", "[nñ]")
	nothing   = regexp.MustCompile(`[^\s\S]`)
)

// Compile returns a pattern with what it refers to. It panics where that is none: the
// files are part of the program.
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

// Pattern returns the first pattern under a key; where there is none, one that matches
// nothing.
func (f File) Pattern(key string) *regexp.Regexp {
	if len(f[key]) == 0 {
		return nothing
	}
	return f.Compile(f[key][0])
}

// All returns all patterns under a key, each put into its place by around.
func (f File) All(key string, around ...func(string) string) (out []*regexp.Regexp) {
	for _, p := range f[key] {
		for _, put := range around {
			p = put(p)
		}
		out = append(out, f.Compile(p))
	}
	return out
}

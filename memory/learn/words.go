package learn

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/patterns"
)

// What learning knows of each language; english.txt explains itself.
var (
	//go:embed english.txt
	englishText string
	//go:embed spanish.txt
	spanishText string

	englishFile, spanishFile = patterns.Read(englishText), patterns.Read(spanishText)
)

// inWords is a pattern in whole words of whatever case.
func inWords(pattern string) string { return `(?i)\b(?:` + pattern + `)\b` }

// set returns the words under a key in any language.
func set(key string) map[string]bool {
	return english.Set(strings.Join(slices.Concat(englishFile[key], spanishFile[key]), " "))
}

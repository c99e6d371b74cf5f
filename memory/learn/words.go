package learn

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/patterns"
)

// The words and patterns of each language; english.txt explains its own format.
var (
	//go:embed english.txt
	englishText string
	//go:embed spanish.txt
	spanishText string

	englishFile, spanishFile = patterns.Read(englishText), patterns.Read(spanishText)
)

// inWords returns a pattern that matches whole words in any case.
func inWords(pattern string) string { return `(?i)\b(?:` + pattern + `)\b` }

// set returns the words under a key in any language.
func set(key string) map[string]bool {
	return english.Set(strings.Join(slices.Concat(englishFile[key], spanishFile[key]), " "))
}

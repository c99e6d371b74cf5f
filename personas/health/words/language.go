package words

import "slices"

// marks are words so common in one language that a spoken sentence rarely goes
// without them, and that the others do not have.
var marks = map[string][]string{
	"en": {"the", "you", "your", "how", "what", "is", "are", "have", "did", "do", "of", "to", "and", "any", "would", "with", "it", "that", "for", "from"},
	"de": {"der", "die", "das", "und", "sie", "ihnen", "ihr", "ihre", "wie", "was", "ist", "haben", "von", "bis", "nicht", "heute", "ich", "ein", "eine", "zu"},
	"es": {"el", "la", "los", "las", "usted", "su", "sus", "cómo", "qué", "es", "está", "ha", "de", "que", "y", "hoy", "del", "al", "una", "le"},
}

// speaks reports whether a text is in a language, as far as common words tell.
// For a language that we have no marks for it is no: nobody could check.
func speaks(text, language string) bool {
	want, most := tag(language), 0
	count := map[string]int{}
	for _, w := range listOf(text) {
		for lang, list := range marks {
			if slices.Contains(list, w) {
				count[lang]++
			}
		}
	}
	for lang, n := range count {
		if lang != want {
			most = max(most, n)
		}
	}
	return count[want] > most
}

package limits

import (
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

var (
	// aside matches where the name of an illness ends and a remark on it begins: "heart
	// failure (mild)", "arthritis in both knees".
	aside = regexp.MustCompile(`(?i)[,;:(/]| (?:of|in|on|with|due|after|since|and|from|for) `)
	// degree matches the type or stage of an illness: "type 2", "stage IV".
	degree = regexp.MustCompile(`(?i)\b(?:type|typ|tipo|stage|grade|class)\b|\b(?:\d+|i{1,3}|iv|mellitus)\b`)
)

// broad are the words that alone do not identify an illness.
var broad = english.Set(`attack attacks condition conditions disease disorder disorders failure infection infections issues loss
	operation pain pains pressure problem problems replacement surgery syndrome trouble`)

// illness returns the words by which people mention a condition on record: for "type 2
// diabetes" they say "my diabetes". If the last word of the name is too broad, the one
// before it is included. In a language whose nouns do not come last, all words of the name
// are kept.
func illness(condition, config string) string {
	if at := aside.FindStringIndex(condition); at != nil && at[0] > 0 {
		condition = condition[:at[0]]
	}
	words := strings.Fields(degree.ReplaceAllString(condition, " "))
	if len(words) == 0 || !slices.Contains([]string{"english", "german"}, config) {
		return strings.Join(words, " ")
	}
	name := words[len(words)-1:]
	if broad[strings.ToLower(name[0])] && len(words) > 1 {
		name = words[len(words)-2:]
	}
	if first, ok := strings.CutSuffix(name[0], "'s"); ok && len(name) > 1 {
		return first // Parkinson's disease
	}
	return strings.Join(name, " ")
}

package council

import (
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// Citation is what a message says that it rests on.
type Citation struct {
	Evidence

	// Resolves reports whether the record has what is cited; where it has not, only
	// the label is known.
	Resolves bool `json:"resolves"`
}

// cited finds labels in brackets, several in one pair as well: "[C1:7, A2]".
var (
	cited = regexp.MustCompile(`\[([A-Z]\d+(?::\d+)?(?:\s*[,;]\s*[A-Z]\d+(?::\d+)?)*)\]`)
	label = regexp.MustCompile(`[A-Z]\d+(?::\d+)?`)
)

// Cite returns what a text cites, each once and in order, and which of its statements
// rest on nothing that the record has.
func (r Record) Cite(text string) (citations []Citation, unsupported []string) {
	known := map[string]Evidence{}
	for _, e := range r.Evidence {
		known[e.Label] = e
	}
	for _, l := range label.FindAllString(strings.Join(cited.FindAllString(text, -1), " "), -1) {
		e, ok := known[l]
		if !slices.ContainsFunc(citations, func(c Citation) bool { return c.Label == l }) {
			e.Label = l
			citations = append(citations, Citation{e, ok})
		}
	}
	// A citation behind the full stop belongs to the sentence before it.
	text = regexp.MustCompile(`([.!?])\s*((?:\[[^\]]*\]\s*)+)`).ReplaceAllString(text, " $2$1 ")
	for _, s := range english.Sentences(text) {
		supported := slices.ContainsFunc(label.FindAllString(strings.Join(cited.FindAllString(s, -1), " "), -1), func(l string) bool {
			_, ok := known[l]
			return ok
		})
		if bare := strings.TrimSpace(cited.ReplaceAllString(s, "")); !supported && len(english.Words(bare)) > 3 && !strings.HasSuffix(bare, "?") && !strings.HasSuffix(bare, ":") {
			unsupported = append(unsupported, strings.Join(strings.Fields(bare), " "))
		}
	}
	return citations, unsupported
}

// withBlank finds labels in brackets with the blank before them.
var withBlank = regexp.MustCompile(`\s*` + cited.String())

// Uncited returns a text without its citations, for who has no record to look them up in.
func Uncited(text string) string { return withBlank.ReplaceAllString(text, "") }

// sentenceEnd is what a finished text ends with.
var sentenceEnd = regexp.MustCompile(`[.!?…]["'”’)\]»*_]*\s*(?:\[[^\]]*\]\s*)*$`)

// unfinished reports whether a text ends in the middle of a sentence.
func unfinished(text string) bool {
	return strings.TrimSpace(text) != "" && !sentenceEnd.MatchString(strings.TrimSpace(text))
}

package council

import (
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// Citation is evidence that a message cites.
type Citation struct {
	Evidence

	// Resolves reports whether the record has the evidence; if not, only the label is known.
	Resolves bool `json:"resolves"`
}

// cited matches labels in brackets, also several in one pair: "[C1:7, A2]".
var (
	cited = regexp.MustCompile(`\[([A-Z]\d+(?::\d+)?(?:\s*[,;]\s*[A-Z]\d+(?::\d+)?)*)\]`)
	label = regexp.MustCompile(`[A-Z]\d+(?::\d+)?`)
)

// Cite returns what a text cites, each once and in order, and the statements that rest on nothing
// in the record.
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
	// A citation after the full stop belongs to the sentence before it.
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

// withBlank matches labels in brackets with the blank space before them.
var withBlank = regexp.MustCompile(`\s*` + cited.String())

// Uncited returns a text without its citations, for readers who have no record to look them up in.
func Uncited(text string) string { return withBlank.ReplaceAllString(text, "") }

// sentenceEnd matches the end of a finished text.
var sentenceEnd = regexp.MustCompile(`[.!?…]["'”’)\]»*_]*\s*(?:\[[^\]]*\]\s*)*$`)

// unfinished reports whether a text ends in the middle of a sentence.
func unfinished(text string) bool {
	return strings.TrimSpace(text) != "" && !sentenceEnd.MatchString(strings.TrimSpace(text))
}

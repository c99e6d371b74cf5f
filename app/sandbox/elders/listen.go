package elders

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// A subject is something that nAIber brings up with one of its cues. Lines are what any elder
// says about it in a health check.
type subject struct {
	Subject string   `yaml:"subject"`
	Cues    []string `yaml:"cues"`
	Lines   []string `yaml:"lines"`
	// Errand means that an elder with answers to this subject wants something done. They give the
	// answers in order, repeat the last one, and stay until it is done.
	Errand bool `yaml:"errand"`
}

// subjectsOf returns the subjects of heard: first those of its questions, the last question
// first, and then those of the whole.
func (e ear) subjectsOf(heard string) []string {
	var out []string
	for _, text := range append(questionsIn(heard), heard) {
		for _, s := range cued(e.cues, text) {
			out = append(out, s.Subject)
		}
	}
	return out
}

var question = regexp.MustCompile(`[^.!?]+\?`)

// questionsIn returns the questions in a text, the last first.
func questionsIn(text string) []string {
	all := question.FindAllString(text, -1)
	slices.Reverse(all)
	return all
}

// cued returns the subjects with a cue in text, the one with the longest cue first.
func cued(all []subject, text string) []subject {
	text = english.Plain(text)
	longest := func(s subject) (n int) {
		for _, cue := range s.Cues {
			if english.Holds(text, cue) {
				n = max(n, len(cue))
			}
		}
		return n
	}
	out := slices.DeleteFunc(slices.Clone(all), func(s subject) bool { return longest(s) == 0 })
	slices.SortStableFunc(out, func(a, b subject) int { return cmp.Compare(longest(b), longest(a)) })
	return out
}

// takesLeave reports whether the words say goodbye.
func (e ear) takesLeave(text string) bool {
	return english.Holds(english.Plain(text), e.check.Leaves...)
}

var pressIn = regexp.MustCompile(`\bpress (?:the )?(zero|one|two|three|four|five|six|seven|eight|nine|star|hash|pound|\d)\b(.*)`)

// keyAsked returns the key that the elder is asked to press, or "". A key that would stop the
// calls is ignored.
func keyAsked(heard string) string {
	for sentence := range strings.SplitSeq(heard, ".") {
		text := english.Plain(sentence)
		m := pressIn.FindStringSubmatch(text)
		if m == nil || english.Holds(text, "stop", "no longer", "not be called", "never", "end these calls") {
			continue
		}
		if n, ok := english.Number(m[1]); ok {
			return strconv.Itoa(n)
		}
		return map[string]string{"star": "*", "hash": "#", "pound": "#"}[m[1]]
	}
	return ""
}

// lowerFirst lowers the first letter of a sentence so that it can follow another, but leaves "I"
// and names.
func lowerFirst(s string) string {
	if first, _, _ := strings.Cut(s, " "); !lowers[first] {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

var lowers = english.Set("The We They She He It There Someone My Our Her His A You")

package orchestration

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed words.yaml
var wordFile []byte

// fallback is the language used for kinds that another language lacks.
const fallback = "en"

// words holds the sentences that are the same for every persona, by language and kind.
var words = func() (all map[string]map[string][]string) {
	if err := yaml.Unmarshal(wordFile, &all); err != nil {
		panic(fmt.Sprintf("orchestration: read words: %v", err)) // they are built in
	}
	return all
}()

// The sentences below are in English; [inLanguage] returns them in another language.
var (
	// calmSentence is said if a persona said nothing, lostThread after a reply that broke off in
	// mid-sentence, and trouble if the call is given up.
	calmSentence = words[fallback]["calm"][0]
	lostThread   = words[fallback]["lost_thread"][0]
	trouble      = words[fallback]["trouble"][0]

	// DefaultFillers cover dead air.
	DefaultFillers = words[fallback]["fillers"]

	// DefaultLadder is the ladder for a zero [Ladder].
	DefaultLadder = Ladder{Prompts: words[fallback]["silence"], Goodbye: words[fallback]["silence_goodbye"][0]}
)

// translated maps the English sentences to those of each other language.
var translated = func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for language, kinds := range words {
		all[language] = map[string]string{}
		for kind, list := range kinds {
			for i, text := range list {
				all[language][words[fallback][kind][i]] = text
			}
		}
	}
	return all
}()

// inLanguage returns one of our sentences in the language of a BCP 47 tag. It returns an operator's
// own sentence unchanged.
func inLanguage(tag, text string) string {
	language, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if own, ok := translated[language][text]; ok {
		return own
	}
	return text
}

// allInLanguage returns several sentences, each as [inLanguage] does.
func allInLanguage(tag string, texts []string) []string {
	language, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if language == fallback || translated[language] == nil {
		return texts
	}
	texts = slices.Clone(texts)
	for i, t := range texts {
		texts[i] = inLanguage(tag, t)
	}
	return texts
}

// speaks returns the language tag of the person on a call.
func (t *Turn) speaks() string { return t.Line.Person.Language }

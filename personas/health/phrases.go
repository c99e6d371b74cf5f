package health

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/internal/english"
)

//go:embed phrases.yaml phrases.es.yaml
var phraseFiles embed.FS

// phrases holds what people say besides answers, by its meaning. It has the phrases of all
// languages together, since people fall back to another language. Their letters have no diacritical
// marks.
var phrases = func() map[string][]string {
	all := map[string][]string{}
	for _, name := range []string{"phrases.yaml", "phrases.es.yaml"} {
		var lists map[string][]string
		data, err := phraseFiles.ReadFile(name)
		if err == nil {
			err = yaml.Unmarshal(data, &lists)
		}
		if err != nil {
			panic(fmt.Sprintf("health: read %s: %v", name, err)) // the files are embedded
		}
		for what, list := range lists {
			for _, p := range list {
				all[what] = append(all[what], english.Unmarked(p))
			}
		}
	}
	return all
}()

// asPhrase returns said in the spelling of the phrases.
func asPhrase(said string) string { return english.Unmarked(english.Plain(said)) }

// anyOf returns a function that reports whether words contain one of the phrases listed under name.
// It panics if there are none.
func anyOf(name string) func(said string) bool {
	list := phrases[name]
	if len(list) == 0 {
		panic("health: no phrases " + name)
	}
	return func(said string) bool { return english.Holds(asPhrase(said), list...) }
}

// without returns a function that reports whether is holds and isNot does not.
func without(is, isNot func(string) bool) func(said string) bool {
	return func(said string) bool { return is(said) && !isNot(said) }
}

// Each reports whether the words mean what the phrases of its name in phrases.yaml do.
var (
	goesOn       = without(anyOf("goOn"), anyOf("notGoOn"))
	stops        = without(anyOf("stop"), anyOf("notStop"))
	greets       = without(anyOf("greeting"), anyOf("notGreeting")) // and no more than that
	notNow       = anyOf("notNow")
	fetches      = anyOf("fetch")
	absent       = anyOf("absent")
	asksWho      = anyOf("who")
	asksAfter    = anyOf("howAreYou")
	asksHowLong  = anyOf("howLong")
	tellsStory   = anyOf("story")
	missedIt     = anyOf("missed")
	grieves      = anyOf("grief")
	agrees       = anyOf("assent")
	aboutReading = anyOf("aboutReading")
)

// assents reports whether the reply only agrees: "oh, all right then". In reply to a question of
// health the same words may be an answer, or mean nothing.
func assents(said string) bool {
	for w := range strings.FieldsSeq(asPhrase(said)) {
		if !slices.Contains(phrases["assentWords"], w) {
			return false
		}
	}
	return agrees(said)
}

// asksUs reports whether a remark is a question that nAIber has no answer to, and not the beginning
// of a story.
func asksUs(said string) bool {
	return strings.HasSuffix(strings.TrimSpace(said), "?") && !tellsStory(said)
}

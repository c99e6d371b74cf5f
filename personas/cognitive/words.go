package cognitive

import (
	"embed"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/internal/english"
)

//go:embed words/*.yaml
var files embed.FS

// fallback is the language used if another one has no words for something.
const fallback = "en"

// words holds what is said, by language and name; phrases holds what people say besides answers, by
// meaning.
var (
	words   = map[string]map[string][]string{fallback: read("words/en.yaml"), "de": read("words/de.yaml"), "es": read("words/es.yaml")}
	phrases = read("words/phrases.en.yaml")
)

func read(name string) map[string][]string {
	raw, err := files.ReadFile(name)
	var lists map[string][]string
	if err == nil {
		err = yaml.UnmarshalWithOptions(raw, &lists, yaml.Strict())
	}
	if err != nil {
		panic(fmt.Sprintf("cognitive: read %s: %v", name, err)) // the files are part of the program
	}
	return lists
}

// say returns one of the sentences of a name, chosen in turn by n. fill holds pairs of a key and
// the text for its {key}.
func say(language, name string, n int, fill ...string) string {
	list := wordsOf(language, name)
	text := list[n%len(list)]
	for i := 0; i+1 < len(fill); i += 2 {
		text = strings.ReplaceAll(text, "{"+fill[i]+"}", fill[i+1])
	}
	return text
}

// wordsOf returns all sentences of a name, in the fallback language if this one has none.
func wordsOf(language, name string) []string {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	list := words[base][name]
	if len(list) == 0 {
		list = words[fallback][name]
	}
	if len(list) == 0 {
		panic("cognitive: no words for " + name)
	}
	return list
}

// means reports whether what was said holds one of the phrases of a name.
func means(name, said string) bool {
	list, ok := phrases[name]
	if !ok {
		panic("cognitive: no phrases " + name)
	}
	return english.Holds(english.Unmarked(english.Plain(said)), list...)
}

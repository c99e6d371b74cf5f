package words

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed languages.yaml
var languageFile []byte

// tongue is what is known of a language; languages.yaml says what each field means.
type tongue struct {
	Name       string   `yaml:"name"`
	Marks      list     `yaml:"marks"`
	Yes        string   `yaml:"yes"`
	No         string   `yaml:"no"`
	About      string   `yaml:"about"`
	Right      string   `yaml:"right"`
	YesOrNo    string   `yaml:"yesOrNo"`
	Small      list     `yaml:"small"`
	Harmless   list     `yaml:"harmless"`
	Negations  list     `yaml:"negations"`
	Comforting list     `yaml:"comforting"`
	Gladdening list     `yaml:"gladdening"`
	Openers    []string `yaml:"openers"`
	Advice     []string `yaml:"advice"`
}

// list is words, which stand apart by spaces.
type list []string

// UnmarshalYAML reads words apart by white space.
func (l *list) UnmarshalYAML(decode func(any) error) error {
	var text string
	err := decode(&text)
	*l = strings.Fields(text)
	return err
}

func (l list) has(word string) bool { return slices.Contains(l, word) }

var tongues = func() (all map[string]*tongue) {
	if err := yaml.UnmarshalWithOptions(languageFile, &all, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("words: read languages: %v", err)) // they are built in
	}
	return all
}()

// tongueOf returns what is known of a language, or of English where that is not
// enough to speak it.
func tongueOf(language string) *tongue {
	if t := tongues[tag(language)]; t != nil && t.Yes != "" {
		return t
	}
	return tongues[fallback]
}

// speaks reports whether a text is in a language, as far as common words tell.
// For a language that we have no marks for it is no: nobody could check.
func speaks(text, language string) bool {
	want, most := tag(language), 0
	count := map[string]int{}
	for _, w := range listOf(text) {
		for lang, t := range tongues {
			if t.Marks.has(w) {
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

// Spoken returns an answer's words as they are read back: what stands for yes and no
// everywhere else is put into the language.
func Spoken(value, language string) string {
	switch t := tongueOf(language); value {
	case tongues[fallback].Yes:
		return t.Yes
	case tongues[fallback].No:
		return t.No
	}
	return value
}

// About adds to an answer that is read back what it is about.
func About(value, about, language string) string {
	return value + strings.ReplaceAll(tongueOf(language).About, "{about}", about)
}

// Again words a read-back otherwise that is said once more.
func Again(text, language string) string {
	t := tongueOf(language)
	if head, ok := strings.CutSuffix(text, t.Right); ok {
		return head + t.YesOrNo
	}
	return text
}

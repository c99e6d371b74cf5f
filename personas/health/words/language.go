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

// tongue holds what is known about a language; languages.yaml describes the fields.
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

// list is a list of words. In YAML they are separated by white space.
type list []string

// UnmarshalYAML splits a string at white space.
func (l *list) UnmarshalYAML(decode func(any) error) error {
	var text string
	err := decode(&text)
	*l = strings.Fields(text)
	return err
}

func (l list) has(word string) bool { return slices.Contains(l, word) }

var tongues = func() (all map[string]*tongue) {
	if err := yaml.UnmarshalWithOptions(languageFile, &all, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("words: read languages: %v", err)) // the file is embedded
	}
	return all
}()

// tongueOf returns what is known about a language, or about English if that is not enough to speak
// it.
func tongueOf(language string) *tongue {
	if t := tongues[tag(language)]; t != nil && t.Yes != "" {
		return t
	}
	return tongues[fallback]
}

// speaks reports whether a text is in a language, judging by common words. It returns false for a
// language without marks, as the text cannot be checked.
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

// Spoken returns an answer's words as they are read back: the English yes and no, which stand for
// them elsewhere, are translated.
func Spoken(value, language string) string {
	switch t := tongueOf(language); value {
	case tongues[fallback].Yes:
		return t.Yes
	case tongues[fallback].No:
		return t.No
	}
	return value
}

// About appends the subject of an answer that is read back.
func About(value, about, language string) string {
	return value + strings.ReplaceAll(tongueOf(language).About, "{about}", about)
}

// Again returns another wording of a read-back, for repeating it.
func Again(text, language string) string {
	t := tongueOf(language)
	if head, ok := strings.CutSuffix(text, t.Right); ok {
		return head + t.YesOrNo
	}
	return text
}

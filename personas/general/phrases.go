package general

import (
	"embed"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration"
)

//go:embed phrases/*.yaml
var phraseFiles embed.FS

// phrases is a set of phrases as returned by [asPhrase].
type phrases map[string]bool

// UnmarshalYAML reads phrases separated by commas.
func (ps *phrases) UnmarshalYAML(decode func(any) error) error {
	var text string
	if err := decode(&text); err != nil {
		return err
	}
	*ps = phrases{}
	for p := range strings.SplitSeq(text, ",") {
		(*ps)[asPhrase(p)] = true
	}
	return nil
}

// asPhrase returns words in the form of phrases: plain words without diacritics.
func asPhrase(said string) string { return english.Unmarked(english.Plain(said)) }

// maxPhraseBytes is at least the length of the longest phrase in the sets.
const maxPhraseBytes = 48

// within reports whether said holds one of the phrases as whole words.
func (ps phrases) within(said string) bool {
	for p := range ps {
		if english.Holds(said, p) {
			return true
		}
	}
	return false
}

// end reports whether said ends in one of the phrases.
func (ps phrases) end(said string) bool {
	for p := range ps {
		if strings.HasSuffix(" "+said, " "+p) {
			return true
		}
	}
	return false
}

// wording is the content of one file of phrases; phrases/en.yaml explains each set.
type wording struct {
	Fillers       phrases `yaml:"fillers"`
	Backchannels  phrases `yaml:"backchannels"`
	Pleasantries  phrases `yaml:"pleasantries"`
	Greetings     phrases `yaml:"greetings"`
	Farewells     phrases `yaml:"farewells"`
	Partings      phrases `yaml:"partings"`
	PlainGoodbyes phrases `yaml:"plainGoodbyes"`
	Leavings      phrases `yaml:"leavings"`
	ToldGoodbyes  phrases `yaml:"toldGoodbyes"`
	NotLeavings   phrases `yaml:"notLeavings"`
	Endings       phrases `yaml:"endings"`
	Quoting       phrases `yaml:"quoting"`

	Texts texts `yaml:"texts"`
}

// texts holds fixed texts.
type texts struct {
	WillForget   string `yaml:"willForget"`
	CannotForget string `yaml:"cannotForget"`
	Farewell     string `yaml:"farewell"` // if no model can say one
}

// sets returns all sets of a wording.
func (w *wording) sets() []*phrases {
	return []*phrases{
		&w.Fillers, &w.Backchannels, &w.Pleasantries, &w.Greetings, &w.Farewells, &w.Partings,
		&w.PlainGoodbyes, &w.Leavings, &w.ToldGoodbyes, &w.NotLeavings, &w.Endings, &w.Quoting,
	}
}

// wordings holds the files by language, and said the phrases of all of them together.
var wordings, said = loadPhrases()

func loadPhrases() (by map[string]*wording, all wording) {
	by = map[string]*wording{}
	files, err := phraseFiles.ReadDir("phrases")
	if err != nil {
		panic(fmt.Sprintf("general: list phrases: %v", err)) // they are built in
	}
	for _, s := range all.sets() {
		*s = phrases{}
	}
	for _, f := range files {
		w := new(wording)
		data, err := phraseFiles.ReadFile("phrases/" + f.Name())
		if err == nil {
			err = yaml.UnmarshalWithOptions(data, w, yaml.Strict())
		}
		if err != nil {
			panic(fmt.Sprintf("general: read phrases %s: %v", f.Name(), err))
		}
		by[strings.TrimSuffix(f.Name(), ".yaml")] = w
		for i, s := range w.sets() {
			for p := range *s {
				(*all.sets()[i])[p] = true
			}
		}
	}
	return by, all
}

// textsFor returns the fixed texts in the language of the person on a call, or in English if there
// are none.
func textsFor(t *orchestration.Turn) texts {
	code, _, _ := strings.Cut(strings.ToLower(t.Line.Person.Language), "-")
	if w := wordings[code]; w != nil {
		return w.Texts
	}
	return wordings["en"].Texts
}

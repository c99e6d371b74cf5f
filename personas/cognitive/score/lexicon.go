package score

import (
	_ "embed" // words
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/internal/english"
)

//go:embed words/en.yaml
var englishWords []byte

//go:embed words/common.txt
var commonWords string

//go:embed words/homophones.txt
var homophoneSets string

// speech holds how speakers of English answer.
type speech struct {
	categories   map[string]*lexicon
	talk         *regexp.Regexp
	comment      *regexp.Regexp
	undo, blank  *regexp.Regexp
	withdraws    *regexp.Regexp // said after a word that it takes back
	equates      *regexp.Regexp // said between two names for one thing
	fillers      map[string]bool
	small, names map[string]bool
	common       map[string]bool
	sounds       map[string][]string // by word: words that sound the same
	means        map[string][]phrase // by the first stem: what words mean, alone or together
	takesIn      map[string][]string // by meaning: the narrower ones
	kinds        map[string]string   // by stem: a kind of which a thing has only one, such as its colour
	units        map[string]bool     // stems of units
	meets        map[string]bool     // stems that say only that somebody meets with something
	near         map[string]bool     // words that say little more than where
	forms        map[string]string   // by form: the verb
	families     map[string]string   // by word: the word that it is made of
	weak         map[string]bool     // stems that may be left out of an idea
}

// phrase is one or several words with a meaning.
type phrase struct {
	name  string
	stems []stem
}

// stem is the stem of a word in a phrase.
type stem struct {
	stem string
	far  bool // other words may stand before it
}

// lexicon holds what counts in a category.
type lexicon struct {
	names   map[string]*entry // by the ways of writing it, the last word in the singular
	longest int               // the most words in a name
}

// entry is one thing of a category.
type entry struct {
	name    string
	general string // the general entry that does not count if this one was said
}

// spoken is read at program start. The words are part of the program, so a mistake in them is a
// mistake in the program, and its tests find it.
var spoken = must(readSpeech(englishWords))

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func readSpeech(raw []byte) (*speech, error) {
	var file struct {
		Categories    map[string]map[string]string
		Talk, Comment []string
		Undo, Blank   string
		Withdraws     string
		Equates       string
		Fillers       string
		Small, Names  string
		Means         map[string]string
		TakesIn       map[string]string `yaml:"takesIn"`
		Kinds, Forms  []string
		Families      []string
		Weak, Meets   string
		Units         string
		Near          string
	}
	if err := yaml.UnmarshalWithOptions(raw, &file, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("score: words: %w", err)
	}
	s := &speech{
		categories: map[string]*lexicon{}, fillers: english.Set(file.Fillers), small: english.Set(file.Small), names: english.Set(file.Names),
		common: map[string]bool{}, sounds: map[string][]string{}, means: map[string][]phrase{}, takesIn: map[string][]string{}, kinds: map[string]string{}, near: english.Set(file.Near), forms: map[string]string{}, families: map[string]string{}, weak: map[string]bool{}, units: map[string]bool{}, meets: map[string]bool{},
	}
	for id, groups := range file.Categories {
		l, err := readLexicon(groups)
		if err != nil {
			return nil, fmt.Errorf("score: words: %s: %w", id, err)
		}
		s.categories[id] = l
	}
	for _, p := range []struct {
		to   **regexp.Regexp
		text string
	}{
		{&s.talk, `\b(?:` + strings.Join(file.Talk, "|") + `)(?:$|\s)`},
		{&s.comment, strings.Join(file.Comment, "|")},
		{&s.undo, file.Undo},
		{&s.withdraws, `^(?:` + file.Withdraws + `)`},
		{&s.equates, `^(?:` + file.Equates + `)`},
		{&s.blank, `\b(?:` + file.Blank + `)\b`},
	} {
		re, err := regexp.Compile(p.text)
		if err != nil {
			return nil, fmt.Errorf("score: words: %w", err)
		}
		*p.to = re
	}
	for words := range lines(commonWords) {
		for _, w := range words {
			s.common[w] = true
		}
	}
	for words := range lines(homophoneSets) {
		for _, w := range words {
			s.sounds[w] = append(s.sounds[w], words...)
		}
	}
	for _, set := range file.Families {
		words := strings.Fields(set)
		for _, w := range words {
			s.families[w] = words[0]
		}
	}
	for _, set := range file.Forms {
		words := strings.Fields(set)
		for _, w := range words[1:] {
			s.forms[w] = words[0]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(file.Means)) {
		for text := range strings.SplitSeq(file.Means[name], ",") {
			p := phrase{name: "=" + name}
			far := false
			for w := range strings.FieldsSeq(text) {
				if w != "*" {
					p.stems = append(p.stems, stem{s.stem(w), far})
				}
				far = w == "*"
			}
			if len(p.stems) == 0 || far {
				return nil, fmt.Errorf("score: words: %s: no phrase %q", name, text)
			}
			s.means[p.stems[0].stem] = append(s.means[p.stems[0].stem], p)
		}
	}
	for name, narrower := range file.TakesIn {
		for n := range strings.FieldsSeq(narrower) {
			if file.Means[n] == "" {
				return nil, fmt.Errorf("score: words: %s takes in %s, which has no words", name, n)
			}
			s.takesIn["="+name] = append(s.takesIn["="+name], "="+n)
		}
	}
	for _, set := range file.Kinds {
		words := strings.Fields(set)
		for _, w := range words {
			s.kinds[s.stem(w)] = words[0]
		}
	}
	for w := range strings.FieldsSeq(file.Weak) {
		s.weak[s.stem(w)], s.weak[w] = true, true
	}
	for w := range strings.FieldsSeq(file.Units) {
		s.units[s.stem(w)] = true
	}
	for w := range strings.FieldsSeq(file.Meets) {
		s.meets[s.stem(w)] = true
	}
	return s, nil
}

// stem returns the stem that the forms of a word share.
func (s *speech) stem(w string) string {
	if verb := s.forms[w]; verb != "" {
		w = verb
	}
	return english.Stem(w)
}

// lines returns the words of each line of a text, without comment lines.
func lines(text string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "#") && !yield(strings.Fields(line)) {
				return
			}
		}
	}
}

func readLexicon(groups map[string]string) (*lexicon, error) {
	l := &lexicon{names: map[string]*entry{}}
	var derived []func() // adds further spellings of a name, unless they are names themselves
	add := func(name, general string) error {
		e := &entry{general: general}
		for alias := range strings.SplitSeq(name, "=") {
			words := plain(english.Scan(alias))
			if len(words) == 0 {
				return fmt.Errorf("a name without words in %q", name)
			}
			key := strings.Join(words, " ")
			if other := l.names[key]; other != nil {
				return fmt.Errorf("%q is of %q and %q", key, other.name, name)
			}
			if e.name == "" {
				e.name = key
			}
			l.names[key], l.longest = e, max(l.longest, len(words))
			derived = append(derived, func() {
				for _, key := range keys(words) {
					if l.names[key] == nil {
						l.names[key] = e
					}
				}
			})
		}
		return nil
	}
	for _, general := range slices.Sorted(maps.Keys(groups)) {
		of := general
		if general == "*" {
			of = ""
		} else if err := add(general, ""); err != nil {
			return nil, err
		}
		for name := range strings.SplitSeq(groups[general], ",") {
			if strings.TrimSpace(name) == "" {
				continue
			}
			if err := add(name, of); err != nil {
				return nil, err
			}
		}
	}
	for _, more := range derived {
		more()
	}
	return l, nil
}

// plain returns the texts of words.
func plain(words []english.Word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Text
	}
	return out
}

// keys returns the keys by which a name is looked up: as it is, without apostrophes, in the
// singular, and as one word.
func keys(words []string) []string {
	last := len(words) - 1
	out := []string{strings.Join(words, " "), strings.ReplaceAll(strings.Join(words, " "), "'", "")}
	for _, one := range singulars(words[last]) {
		out = append(out, strings.Join(append(slices.Clone(words[:last]), one), " "))
	}
	if last > 0 {
		out = append(out, strings.ReplaceAll(out[0], " ", ""))
	}
	return out
}

// irregular holds plurals whose singular does not follow from the ending.
var irregular = map[string]string{
	"mice": "mouse", "geese": "goose", "feet": "foot", "teeth": "tooth", "men": "man", "women": "woman", "children": "child", "oxen": "ox",
	"lice": "louse", "wolves": "wolf", "calves": "calf", "knives": "knife", "shelves": "shelf", "loaves": "loaf", "wives": "wife", "scarves": "scarf",
	"hooves": "hoof", "leaves": "leaf", "halves": "half", "octopi": "octopus", "hippopotami": "hippopotamus", "pence": "penny", "people": "person",
	"dice": "die", "thieves": "thief", "elves": "elf", "dormice": "dormouse", "firemen": "fireman", "policemen": "policeman",
}

// singulars returns the words of which w may be the plural or the possessive.
func singulars(w string) []string {
	w = strings.TrimSuffix(w, "'")
	if one := irregular[w]; one != "" {
		return []string{one}
	}
	var out []string
	if s, ok := strings.CutSuffix(w, "'s"); ok {
		return []string{s}
	}
	if s, ok := strings.CutSuffix(w, "men"); ok && s != "" {
		out = append(out, s+"man")
	}
	if s, ok := strings.CutSuffix(w, "ies"); ok && s != "" {
		out = append(out, s+"y", s+"ie")
	} else if s, ok := strings.CutSuffix(w, "es"); ok && s != "" {
		out = append(out, s, s+"e")
	} else if s, ok := strings.CutSuffix(w, "s"); ok && len(s) > 1 && !strings.HasSuffix(s, "s") {
		out = append(out, s)
	}
	return out
}

// find returns the longest name that words begin with, and how many words it takes. Two words are
// joined to one name ("butter fly") only if the first is no name.
func (l *lexicon) find(words []string) (*entry, int) {
	for n := min(l.longest, len(words)); n > 0; n-- {
		for _, key := range keys(words[:n]) {
			if e := l.names[key]; e != nil && (n == 1 || strings.Contains(key, " ") || l.names[words[0]] == nil) {
				return e, n
			}
		}
	}
	return nil, 0
}

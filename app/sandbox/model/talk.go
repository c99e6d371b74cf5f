package model

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed talk.yaml
var talkYAML []byte

//go:embed council.yaml
var councilYAML []byte

// talk is what the companion can say, and when: the files talk.yaml and council.yaml
// explain it.
type talk struct {
	Rules      []rule
	Subjects   map[string]subject
	Nouns      map[string]string
	Lines      map[string][]string
	Cues       map[string]pattern
	Idle       []pattern
	Names      []pattern
	You, Named []rewording

	Concerns               []concern
	Content, Chat, Unknown concern
}

// A rule meets what a person wants with an utterance, apart from its subject. It
// holds where all of its patterns fit that are there.
type rule struct {
	Prompt   pattern // the instructions
	After    pattern // what nAIber said last
	When     pattern // what the person said last
	Form     string  // written instead of a line
	Say, Ask []string
	Alone    bool // nothing is asked
}

// A subject is what can be said about one kind of thing. Those of a greater weight
// go first where somebody speaks of several.
type subject struct {
	Weight            int
	React, Sorry, Ask []string // Sorry is said where what was told is bad
}

// A rewording replaces what fits a pattern.
type rewording struct {
	From pattern
	To   string
}

// A pattern is a regular expression in a file. It takes no notice of case but after
// "(?-i)".
type pattern struct{ *regexp.Regexp }

// macros stand in patterns for what many of them look for.
var macros = strings.NewReplacer(
	"<kin>", `(?:daughter|son|grandson|granddaughter|sister|brother|mother|father|niece|nephew|cousin|aunt|uncle|husband|wife|friend|neighbou?r|doctor|nurse|carer|partner)`,
	"<animal>", `(?:cat|dog|bird|budgie|canary|parrot|puppy|kitten|horse|pony|goldfish|terrier|spaniel|collie|tabby)`,
	"<proper>", `(?:(?:(?:Dr|Mrs?|Ms)\. )?[A-Z][\p{L}-]*\p{Ll}(?: [A-Z][\p{L}-]*\p{Ll})?)`,
)

// UnmarshalText compiles it.
func (p *pattern) UnmarshalText(text []byte) (err error) {
	p.Regexp, err = regexp.Compile("(?i)" + macros.Replace(string(text)))
	return err
}

// find returns what the named groups of the first n matches hold. A pattern that is not
// there matches with nothing.
func (p pattern) find(text string, n int) []map[string]string {
	if p.Regexp == nil {
		return []map[string]string{nil}
	}
	var out []map[string]string
	for _, m := range p.FindAllStringSubmatch(text, n) {
		groups := map[string]string{}
		for i, name := range p.SubexpNames() {
			if name != "" && m[i] != "" {
				groups[name] = m[i]
			}
		}
		out = append(out, groups)
	}
	return out
}

// theTalk are the embedded files. A mistake in them is a broken invariant, and a test
// reads them.
var theTalk = sync.OnceValue(func() *talk {
	var t talk
	if err := yaml.UnmarshalWithOptions(slices.Concat(talkYAML, councilYAML), &t, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("model: talk.yaml, council.yaml: %v", err))
	}
	return &t
})

// cue returns the pattern of that name in talk.yaml.
func cue(name string) pattern { return theTalk().Cues[name] }

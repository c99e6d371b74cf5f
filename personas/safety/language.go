package safety

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/internal/english"
)

// The languages, a file each. What is heard and what is said are data.
//
//go:embed words/*.yaml
var files embed.FS

// codes are the languages, in the order in which words are looked up where the
// person's own language does not know them.
var codes = []string{"en", "de", "es"}

var languages = mustLoad()

// texts are what is said in one language. {number} is the emergency number.
type texts struct {
	Number   string `yaml:"number"`    // how a number stands in a text
	NoNumber string `yaml:"no_number"` // what stands for one that is not known
	// Danger is the answer to it, Stay what follows while it lasts, Helped the
	// answer to help on its way, Leave the answer to a goodbye or to silence, Over
	// that to being all right.
	Danger string   `yaml:"danger"`
	Stay   []string `yaml:"stay"`
	Helped string   `yaml:"helped"`
	Leave  string   `yaml:"leave"`
	Over   string   `yaml:"over"`

	AskOptOut   string `yaml:"ask_opt_out"`
	OptedOut    string `yaml:"opted_out"`
	UnknownOut  string `yaml:"opted_out_unknown"`
	NotKept     string `yaml:"opt_out_not_kept"`
	GoOnCalling string `yaml:"go_on_calling"`
}

// spoken are the lines after which a conversation goes on.
func (x *texts) spoken() []string {
	return append([]string{x.Danger, x.Helped, x.Leave, x.Over, x.AskOptOut, x.NotKept, x.GoOnCalling}, x.Stay...)
}

// file is a language as it is written down. Phrases stand one a line, see [phrase].
type file struct {
	Sets   map[string]string `yaml:"sets"`
	Same   map[string]string `yaml:"same"`   // other ways to write words
	You    string            `yaml:"you"`    // the listener: no gap passes over them
	Joints string            `yaml:"joints"` // words that begin a clause

	OptOut      string            `yaml:"opt_out"`
	NotOptOut   string            `yaml:"not_opt_out"` // in the same clause
	Agree       string            `yaml:"agree"`
	Decline     string            `yaml:"decline"`
	Danger      map[string]string `yaml:"danger"`        // by what it is
	NotDanger   string            `yaml:"not_danger"`    // in the same clause
	Past        string            `yaml:"past"`          // in the same sentence
	Now         string            `yaml:"now"`           // in the same sentence: it is not past alone
	AllRight    string            `yaml:"all_right"`     // takes danger back
	NotAllRight string            `yaml:"not_all_right"` // in the same sentence
	Helped      string            `yaml:"helped"`
	Leaving     string            `yaml:"leaving"`
	Texts       texts             `yaml:"texts"`
}

// language is what is heard and said in one language.
type language struct {
	sets        map[string][]string
	same        map[string]string
	you, joints map[string]bool

	optOut, notOptOut, agree, decline      table
	danger                                 []kind
	notDanger, past, now                   table
	allRight, notAllRight, helped, leaving table
	texts                                  texts
}

// kind is one sort of danger.
type kind struct {
	name string
	said table
}

func mustLoad() map[string]*language {
	all := make(map[string]*language)
	for _, code := range codes {
		l, err := load(code)
		if err != nil {
			panic("personas/safety: " + err.Error()) // the file is part of the program
		}
		all[code] = l
	}
	return all
}

func load(code string) (*language, error) {
	raw, err := files.ReadFile("words/" + code + ".yaml")
	if err != nil {
		return nil, err
	}
	var f file
	if err := yaml.UnmarshalWithOptions(raw, &f, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("words of %s: %w", code, err)
	}
	l := &language{same: f.Same, you: english.Set(f.You), joints: english.Set(f.Joints), texts: f.Texts, sets: make(map[string][]string)}
	for name, words := range f.Sets {
		l.sets[name] = strings.Fields(words)
	}
	fill := func(to *table, text string) {
		if err == nil {
			*to, err = l.table(text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Danger)) {
		k := kind{name: name}
		fill(&k.said, f.Danger[name])
		l.danger = append(l.danger, k)
	}
	fill(&l.optOut, f.OptOut)
	fill(&l.notOptOut, f.NotOptOut)
	fill(&l.agree, f.Agree)
	fill(&l.decline, f.Decline)
	fill(&l.notDanger, f.NotDanger)
	fill(&l.past, f.Past)
	fill(&l.now, f.Now)
	fill(&l.allRight, f.AllRight)
	fill(&l.notAllRight, f.NotAllRight)
	fill(&l.helped, f.Helped)
	fill(&l.leaving, f.Leaving)
	if err != nil {
		return nil, fmt.Errorf("words of %s: %w", code, err)
	}
	return l, nil
}

// dangerIn returns what danger is told of in words, or nothing.
func (l *language) dangerIn(toks []token) string {
	for i := range l.danger {
		k := &l.danger[i]
		for from, to := l.next(&k.said, toks, 0); from >= 0; from, to = l.next(&k.said, toks, from+1) {
			sentence := within(toks, from, to, sameSentence)
			past := l.holds(&l.past, sentence) && !l.holds(&l.now, sentence)
			if !past && !l.holds(&l.notDanger, within(toks, from, to, sameClause)) {
				return k.name
			}
		}
	}
	return ""
}

// optsOut reports whether words ask for no more calls, ever. It is asked back
// before anything is done, so it leans towards hearing it.
func (l *language) optsOut(toks []token) bool {
	for from, to := l.next(&l.optOut, toks, 0); from >= 0; from, to = l.next(&l.optOut, toks, from+1) {
		if !l.holds(&l.notOptOut, within(toks, from, to, sameClause)) {
			return true
		}
	}
	return false
}

// isAllRight reports whether words take a danger back.
func (l *language) isAllRight(toks []token) bool {
	from, to := l.next(&l.allRight, toks, 0)
	return from >= 0 && !l.holds(&l.notAllRight, within(toks, from, to, sameSentence))
}

// answers reads the answer to whether calls shall stop. One that is both yes and
// no, or neither, is neither.
func (l *language) answers(toks []token) (yes, no bool) {
	if l.optsOut(toks) {
		return true, false
	}
	yes, no = l.holds(&l.agree, toks), l.holds(&l.decline, toks)
	return yes && !no, no && !yes
}

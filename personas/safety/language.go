package safety

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/internal/phrases"
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

// language is what is heard and said in one language, as it is written down. Phrases
// stand one a line, see package phrases.
type language struct {
	phrases.Language `yaml:",inline"`

	OptOut      phrases.Table            `yaml:"opt_out"`
	NotOptOut   phrases.Table            `yaml:"not_opt_out"` // in the same clause
	Agree       phrases.Table            `yaml:"agree"`
	Decline     phrases.Table            `yaml:"decline"`
	Danger      map[string]phrases.Table `yaml:"danger"`        // by what it is
	NotDanger   phrases.Table            `yaml:"not_danger"`    // in the same clause
	Past        phrases.Table            `yaml:"past"`          // in the same sentence
	Now         phrases.Table            `yaml:"now"`           // in the same sentence: it is not past alone
	AllRight    phrases.Table            `yaml:"all_right"`     // takes danger back
	NotAllRight phrases.Table            `yaml:"not_all_right"` // in the same sentence
	Helped      phrases.Table            `yaml:"helped"`
	Leaving     phrases.Table            `yaml:"leaving"`
	Texts       texts                    `yaml:"texts"`

	kinds  []string      // of danger, in order
	alerts phrases.Table // of every kind
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
	l := new(language)
	if err := yaml.UnmarshalWithOptions(raw, l, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("words of %s: %w", code, err)
	}
	tables := []*phrases.Table{
		&l.OptOut, &l.NotOptOut, &l.Agree, &l.Decline, &l.NotDanger, &l.Past, &l.Now, &l.AllRight, &l.NotAllRight, &l.Helped, &l.Leaving,
	}
	l.kinds, l.alerts = slices.Sorted(maps.Keys(l.Danger)), phrases.Join(slices.Collect(maps.Values(l.Danger))...)
	err = l.Compile(append(tables, &l.alerts)...)
	for kind, t := range l.Danger {
		err = errors.Join(err, l.Compile(&t))
		l.Danger[kind] = t
	}
	if err != nil {
		return nil, fmt.Errorf("words of %s: %w", code, err)
	}
	return l, nil
}

// dangerIn returns what danger is told of in words, or nothing.
func (l *language) dangerIn(toks []phrases.Token) string {
	if !l.Holds(&l.alerts, toks) { // as it is nearly always
		return ""
	}
	for _, kind := range l.kinds {
		said := l.Danger[kind]
		for from, to := l.Next(&said, toks, 0); from >= 0; from, to = l.Next(&said, toks, from+1) {
			sentence := phrases.Within(toks, from, to, phrases.SameSentence)
			past := l.Holds(&l.Past, sentence) && !l.Holds(&l.Now, sentence)
			if !past && !l.Holds(&l.NotDanger, phrases.Within(toks, from, to, phrases.SameClause)) {
				return kind
			}
		}
	}
	return ""
}

// optsOut reports whether words ask for no more calls, ever. It is asked back
// before anything is done, so it leans towards hearing it.
func (l *language) optsOut(toks []phrases.Token) bool {
	for from, to := l.Next(&l.OptOut, toks, 0); from >= 0; from, to = l.Next(&l.OptOut, toks, from+1) {
		if !l.Holds(&l.NotOptOut, phrases.Within(toks, from, to, phrases.SameClause)) {
			return true
		}
	}
	return false
}

// isAllRight reports whether words take a danger back.
func (l *language) isAllRight(toks []phrases.Token) bool {
	from, to := l.Next(&l.AllRight, toks, 0)
	return from >= 0 && !l.Holds(&l.NotAllRight, phrases.Within(toks, from, to, phrases.SameSentence))
}

// answers reads the answer to whether calls shall stop. One that is both yes and
// no, or neither, is neither.
func (l *language) answers(toks []phrases.Token) (yes, no bool) {
	if l.optsOut(toks) {
		return true, false
	}
	yes, no = l.Holds(&l.Agree, toks), l.Holds(&l.Decline, toks)
	return yes && !no, no && !yes
}

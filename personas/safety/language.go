package safety

import (
	"cmp"
	"embed"
	"fmt"
	"strings"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/spanish"

	"github.com/naiber/naiber/internal/phrases"
	"github.com/naiber/naiber/internal/weights"
)

// files holds the languages, one file each. What is heard and what is said are data.
//
//go:embed words/*.yaml words/*.weights
var files embed.FS

// codes are the languages, in the order in which words are looked up if the person's own language
// does not know them.
var codes = []string{"en", "de", "es"}

// stemmers holds the stemmers of the languages that have weights.
var stemmers = map[string]func(string, bool) string{"en": english.Stem, "es": spanish.Stem}

var languages = phrases.MustLoad(files, "words", codes, compile)

// company holds what is said to a person with whom nAIber stays.
type company struct {
	// Stay follows the answer while the danger lasts, Helped answers that help is on its way, Leave
	// answers a goodbye or silence, and Over answers that the person is all right.
	Stay   []string `yaml:"stay"`
	Helped string   `yaml:"helped"`
	Leave  string   `yaml:"leave"`
	Over   string   `yaml:"over"`
}

// texts holds what is said in one language. {number} is the emergency number, {line} the number of
// a crisis line, or the emergency number if none is known. [one|other] is one if a human being is
// told, and other if there is nobody to tell.
type texts struct {
	Number   string `yaml:"number"`    // how a number is said
	NoNumber string `yaml:"no_number"` // said in place of an unknown number
	// Danger answers an emergency; a question from Ask follows. Told answers other kinds, by kind,
	// with a question of its own; Noted follows the reply to that.
	Danger string            `yaml:"danger"`
	Ask    map[string]string `yaml:"ask"`
	Told   map[string]string `yaml:"told"`
	Noted  string            `yaml:"noted"`
	// Doubt asks whether there is danger if words leave it open, by kind, or under "any"; a yes to
	// it means danger. NoDanger answers a no.
	Doubt    map[string]string `yaml:"doubt"`
	NoDanger string            `yaml:"no_danger"`

	Emergency company `yaml:"emergency"`
	Despair   company `yaml:"despair"`

	// AskOptOut asks whether calls shall stop, and AskAgain once more. Unclear answers a reply to
	// that which is neither a yes nor a no.
	AskOptOut   string `yaml:"ask_opt_out"`
	AskAgain    string `yaml:"ask_opt_out_again"`
	Unclear     string `yaml:"opt_out_unclear"`
	OptedOut    string `yaml:"opted_out"`
	UnknownOut  string `yaml:"opted_out_unknown"`
	NotKept     string `yaml:"opt_out_not_kept"`
	GoOnCalling string `yaml:"go_on_calling"`
	Computer    string `yaml:"a_computer"` // answers the question whether a person is speaking
}

// answer returns the fixed text that answers a kind of danger.
func (x *texts) answer(kind string) string {
	if text, ok := x.Told[kind]; ok {
		return text
	}
	return x.Danger
}

// doubt returns the question whether there is danger of this kind.
func (x *texts) doubt(kind string) string {
	return cmp.Or(x.Doubt[kind], x.Doubt["any"])
}

// with returns what is said to a person in danger that is answered by a.
func (x *texts) with(a act) *company {
	if a == despair {
		return &x.Despair
	}
	return &x.Emergency
}

// language holds what is heard and said in one language, as its file has it. Phrases stand one a
// line, see package phrases.
type language struct {
	phrases.Language `yaml:",inline"`

	// Version is the version of the words; each alert names it.
	Version string `yaml:"version"`

	OptOut          phrases.Table `yaml:"opt_out"`
	NotOptOut       phrases.Table `yaml:"not_opt_out"`        // in the same clause
	NotOptOutBefore phrases.Table `yaml:"not_opt_out_before"` // before, in the same sentence
	// AsksNumber matches a question for a number: a nine then answers it, and otherwise ends all
	// calls.
	AsksNumber phrases.Table `yaml:"asks_number"`

	// Agree, AgreeOut, OnlyAgree, NoMore, Decline and Unsure read the reply to whether calls shall
	// stop, see [heard.answer]. Agree alone is a yes to other questions, too.
	Agree     phrases.Table `yaml:"agree"`
	AgreeOut  phrases.Table `yaml:"agree_out"`
	OnlyAgree phrases.Table `yaml:"only_agree"` // as the whole reply
	NoMore    phrases.Table `yaml:"no_more"`    // asks for no more calls, with a no beside it or without
	Decline   phrases.Table `yaml:"decline"`    // a phrase of one word is a bare no
	Unsure    phrases.Table `yaml:"unsure"`     // a no in it declines nothing

	// Danger holds phrases of danger by kind. Signs count only as two together, at most two
	// sentences apart: Both names the pairs, by kind.
	Danger map[string]phrases.Table `yaml:"danger"`
	Signs  map[string]phrases.Table `yaml:"signs"`
	Both   map[string]string        `yaml:"both"`
	// Plain, Asked and Idioms hold phrases by kind that are too short or too rare for weights, which
	// have no part in them. Those of Plain are raised, "please send help", and those of Asked are
	// asked about, "I need help", whatever stands in NotDanger; those of Idioms mean something else.
	Plain  map[string]phrases.Table `yaml:"plain"`
	Asked  map[string]phrases.Table `yaml:"asked"`
	Idioms map[string]phrases.Table `yaml:"idioms"`

	// Excuses by which phrases of danger mean something else, see [language.excused].
	Negated   phrases.Table            `yaml:"negated"`    // just before, in the same clause
	Subjects  phrases.Words            `yaml:"subjects"`   // a phrase that begins with one of these is not negated by the words before it
	NotDanger phrases.Table            `yaml:"not_danger"` // in the same clause
	Not       map[string]phrases.Table `yaml:"not"`        // by kind, in the same sentence or a neighbouring one
	Past      phrases.Table            `yaml:"past"`       // in the same sentence
	Now       phrases.Table            `yaml:"now"`        // in the same clause: it is neither past nor a story
	Story     phrases.Table            `yaml:"story"`      // in the same sentence or a neighbouring one
	Unreal    phrases.Table            `yaml:"unreal"`     // before, in the same sentence
	Over      phrases.Table            `yaml:"over"`       // in the same sentence or the two after it
	Lasts     phrases.Table            `yaml:"lasts"`      // in the same sentence or the two after it: it is not over
	Others    phrases.Table            `yaml:"others"`     // somebody elsewhere
	Own       phrases.Table            `yaml:"own"`        // the person, and people who live with them
	Here      phrases.Table            `yaml:"here"`       // somebody else is here

	// Denied denies danger at the beginning of a reply, OnlyDenied only as the whole reply: "oh no"
	// may also begin a cry for help.
	Denied     phrases.Table `yaml:"denied"`
	OnlyDenied phrases.Table `yaml:"only_denied"`
	// NotDenied cancels the denial of a reply that begins with a no: "no, I'm not well".
	NotDenied phrases.Table `yaml:"not_denied"`

	// Words that take danger back, see [language.takesBack].
	NeverWas     phrases.Table `yaml:"never_was"`     // there was none
	NotMeant     phrases.Table `yaml:"not_meant"`     // what was said was not meant
	AllRight     phrases.Table `yaml:"all_right"`     // the person is all right
	TheyAreWell  phrases.Table `yaml:"they_are_well"` // somebody else is all right
	SomebodyElse phrases.Table `yaml:"somebody_else"` // who may be in danger instead
	NotAllRight  phrases.Table `yaml:"not_all_right"` // anywhere in the reply: nothing is taken back

	Helped   phrases.Table `yaml:"helped"`
	AsksWhat phrases.Table `yaml:"asks_what"` // asks whether a person is speaking
	Leaving  phrases.Table `yaml:"leaving"`
	Goodbye  phrases.Table `yaml:"goodbye"` // who ends a call by it may just go to the door
	Texts    texts         `yaml:"texts"`

	code    string
	weights *weights.Weights // nil if none were learned

	told    *phrases.Index // Danger, Signs, Plain, Asked and Idioms
	excuses *phrases.Index
	both    map[string][][2]string
}

func compile(code string, l *language) (err error) {
	if err = l.compile(); err != nil {
		return err
	}
	l.code = code
	l.weights, err = weights.Open(files, "words/"+code+".weights")
	return err
}

func (l *language) compile() (err error) {
	if err = l.Compile(&l.OptOut, &l.NotOptOut, &l.AsksNumber, &l.Agree, &l.Decline, &l.Denied, &l.OnlyDenied, &l.NotDenied,
		&l.NeverWas, &l.NotMeant, &l.AllRight, &l.TheyAreWell, &l.SomebodyElse, &l.NotAllRight, &l.Helped, &l.AsksWhat, &l.Leaving, &l.Goodbye); err != nil {
		return err
	}
	if err = l.Compile(&l.NotOptOutBefore, &l.AgreeOut, &l.OnlyAgree, &l.NoMore, &l.Unsure); err != nil {
		return err
	}
	told := make(map[string]phrases.Table)
	for k, t := range l.Danger {
		if _, ok := kinds[k]; !ok {
			return fmt.Errorf("no kind %q", k)
		}
		told[aDanger+k] = t
	}
	for prefix, by := range map[string]map[string]phrases.Table{aPlain: l.Plain, anAsked: l.Asked, anIdiom: l.Idioms} {
		for k, t := range by {
			if _, ok := kinds[k]; !ok {
				return fmt.Errorf("no kind %q", k)
			}
			told[prefix+k] = t
		}
	}
	for name, t := range l.Signs {
		told[aSign+name] = t
	}
	l.both = make(map[string][][2]string)
	for k, lines := range l.Both {
		for line := range strings.Lines(lines) {
			names := strings.Fields(line)
			for _, name := range names {
				if _, ok := l.Signs[name]; !ok || len(names) != 2 {
					return fmt.Errorf("%s: %q is not two signs", k, line)
				}
			}
			l.both[k] = append(l.both[k], [2]string(names))
		}
	}
	excuses := map[string]phrases.Table{
		"negated": l.Negated, "not_danger": l.NotDanger, "past": l.Past, "now": l.Now, "story": l.Story, "unreal": l.Unreal,
		"over": l.Over, "lasts": l.Lasts, "others": l.Others, "own": l.Own, "here": l.Here,
	}
	for k, t := range l.Not {
		excuses[aNot+k] = t
	}
	if l.told, err = l.Index(told); err != nil {
		return err
	}
	l.excuses, err = l.Index(excuses)
	return err
}

// takesLeave reports whether words say goodbye. "I must let you go, there is somebody at the door"
// is how people end a call.
func (l *language) takesLeave(toks []phrases.Token) bool { return l.Holds(&l.Goodbye, toks) }

// takesBack reports whether words surely take back a danger. It errs towards danger: to be
// asked once more costs a person little.
func (l *language) takesBack(toks []phrases.Token, n needs) bool {
	switch {
	case l.inClause(&l.NotAllRight, toks):
		return false
	case l.Holds(&l.NeverWas, toks):
		return true
	case n.taken:
		return false
	case l.Holds(&l.NotMeant, toks):
		return true
	case n.wish:
		return false
	case n.others:
		return l.Holds(&l.TheyAreWell, toks)
	}
	return l.Holds(&l.AllRight, toks) && !l.Holds(&l.SomebodyElse, toks)
}

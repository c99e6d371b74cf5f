package who

import (
	"embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/phrases"
)

// The languages, a file each. What is heard and what is said are data.
//
//go:embed words/*.yaml
var files embed.FS

// codes are the languages, in the order in which words are looked up where the person's
// own language does not know them.
var codes = []string{"en", "de", "es"}

var languages = phrases.MustLoad(files, "words", codes, compile)

// texts are what is said in one language; {name} is what the person likes to be called.
type texts struct {
	Greet string `yaml:"greet"`
	Ask   string `yaml:"ask"`
	Again string `yaml:"again"` // asks those who did not hear it
	Sure  string `yaml:"sure"`  // asks where there is doubt: only a yes answers it
	Wait  string `yaml:"wait"`  // while the person is fetched; only a yes follows it
	Hold  string `yaml:"hold"`
	// How the call ends.
	SomeoneElse string `yaml:"someone_else"`
	WrongNumber string `yaml:"wrong_number"`
	Hospital    string `yaml:"hospital"`
	Died        string `yaml:"died"`
	Unsure      string `yaml:"unsure"`
}

// language is what is heard and said in one language.
type language struct {
	phrases.Language `yaml:",inline"`

	NotMe    phrases.Table `yaml:"not_me"`   // says who speaks, and it is not the person
	MayBe    phrases.Table `yaml:"may_be"`   // says what somebody is, as the person may be as well
	Died     phrases.Table `yaml:"died"`     // the person has died
	Hospital phrases.Table `yaml:"hospital"` // is in hospital, or in a home
	Absent   phrases.Table `yaml:"absent"`   // is not there
	Fetch    phrases.Table `yaml:"fetch"`    // is being fetched
	Wrong    phrases.Table `yaml:"wrong"`    // is nobody whom they know there
	Asks     phrases.Table `yaml:"who"`      // asks who calls
	Yes      phrases.Table `yaml:"yes"`      // says to be the person
	Assent   phrases.Table `yaml:"assent"`   // and does so where that was asked
	Denial   phrases.Table `yaml:"denial"`   // or not
	No       phrases.Table `yaml:"no"`       // or not, where no more is said
	Ward     phrases.Table `yaml:"ward"`     // says where somebody is, where they were asked for
	Again    phrases.Table `yaml:"again"`    // has not heard or understood
	Names    phrases.Table `yaml:"introduces"`
	Hold     phrases.Table `yaml:"hold"`
	Lead     phrases.Words `yaml:"lead"`   // may stand before a pronoun of which nobody was named
	Hello    phrases.Words `yaml:"hello"`  // all that stands in what only greets
	Titles   phrases.Words `yaml:"titles"` // are no part of a name
	Common   phrases.Words `yaml:"words"`  // are no names
	Texts    texts         `yaml:"texts"`

	relatives map[string]bool

	Mine   phrases.Table `yaml:"mine"`   // somebody of the speaker's own, of whom a pronoun may tell
	Spouse phrases.Table `yaml:"spouse"` // among them who may answer the person's telephone
}

func compile(_ string, l *language) error {
	l.relatives = english.Set(l.Sets["kin"] + " " + l.Sets["up"])
	return l.Compile(&l.NotMe, &l.MayBe, &l.Died, &l.Hospital, &l.Absent, &l.Fetch, &l.Wrong, &l.Asks, &l.Yes, &l.Assent, &l.Denial, &l.No, &l.Ward, &l.Again, &l.Names, &l.Hold, &l.Mine, &l.Spouse)
}

// in returns a language, or English.
func in(tag string) *language { return languages[phrases.Code(codes, tag)] }

// What stands for names in phrases.
const (
	me     = "@me"
	other  = "@other"
	name   = "@name"
	family = "@family" // a name that the person shares with others of the house, by itself
)

// Names are those of a person, and of others who may answer their telephone.
type Names struct{ Own, Others []string }

// parts are the words of names, plain, without titles and short ones; true are those by which
// one person is told from others of their family.
func parts(l *language, names []string) map[string]bool {
	out := make(map[string]bool)
	for _, n := range names {
		words := english.Scan(n)
		for i, w := range words {
			if word := english.Unmarked(w.Text); utf8.RuneCountInString(word) > 1 && !l.Titles[word] {
				given := i == 0 || i < len(words)-1 && l.Titles[english.Unmarked(words[i-1].Text)]
				out[word] = out[word] || given
			}
		}
	}
	return out
}

// tokens reads what was said with names as what they stand for; with strangers, those that
// nobody knows, too. A whole name is one word, and a relative's or a name's "'s" is left out.
func (l *language) tokens(said string, names Names, strangers bool) []phrases.Token {
	own, others := parts(l, names.Own), parts(l, names.Others)
	toks := l.Tokens(english.Scan(said))
	out := toks[:0:0]
	for i, t := range toks {
		bare := strings.TrimSuffix(t.Word, "'s")
		given, mine := own[bare]
		_, theirs := others[bare]
		var last *phrases.Token // that the word goes on from
		if n := len(out); n > 0 && phrases.SameClause(t, out[n-1]) {
			last = &out[n-1]
		}
		switch {
		case mine && !given:
			t.Word = family
			switch {
			case last == nil:
			case l.Titles[last.Word], last.Word == me: // "this is Mrs Ellis"
				t.Word = me
			case last.Word == other:
				t.Word = other
			case l.looksLikeName(said[toks[i-1].Start:toks[i-1].End], strings.TrimSuffix(last.Word, "'s")) && !l.Lead[last.Word]:
				t.Word, last.Word = name, name // somebody else of the family, or the person misheard
			}
		case mine:
			t.Word = me
		case theirs:
			t.Word = other
		case l.relatives[bare]:
			t.Word = bare
		case strangers && i > 0 && l.looksLikeName(said[t.Start:t.End], bare):
			t.Word = name
		}
		if last != nil && strings.HasPrefix(t.Word, "@") {
			switch {
			case last.Word == me, last.Word == t.Word:
				last.End = t.End
				continue
			case l.Titles[last.Word]:
				last.Word, last.End = t.Word, t.End
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

func (l *language) looksLikeName(written, word string) bool {
	first, _ := utf8.DecodeRuneInString(written)
	return unicode.IsUpper(first) && !l.Common[word] && !l.Hello[word] && !l.Titles[word] && utf8.RuneCountInString(word) > 1
}

// onlyGreets reports whether words are nothing but a greeting, as one lifts a receiver, in some
// countries with the name of the house.
func (l *language) onlyGreets(toks []phrases.Token) bool {
	return len(toks) > 0 && !slices.ContainsFunc(toks, func(t phrases.Token) bool { return !l.Hello[t.Word] && t.Word != family })
}

// namesake reports whether words are no more than the whole name of another of the person's
// family.
func (l *language) namesake(said string, toks []phrases.Token) bool {
	whole := func(t phrases.Token) bool {
		return (t.Word == name || t.Word == other) && strings.Contains(said[t.Start:t.End], " ")
	}
	return slices.ContainsFunc(toks, whole) && !slices.ContainsFunc(toks, func(t phrases.Token) bool {
		return !whole(t) && !l.Hello[t.Word] && !l.Lead[t.Word] && !l.Common[strings.TrimSuffix(t.Word, "'s")]
	})
}

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

// files holds the languages, one file each. What is heard and what is said are data.
//
//go:embed words/*.yaml
var files embed.FS

// codes are the languages, in the order in which words are looked up if the person's own language
// does not know them.
var codes = []string{"en", "de", "es"}

var languages = phrases.MustLoad(files, "words", codes, compile)

// texts holds what is said in one language; {name} is what the person likes to be called.
type texts struct {
	Greet string `yaml:"greet"`
	Ask   string `yaml:"ask"`
	Again string `yaml:"again"` // asks again, if it was not heard
	Sure  string `yaml:"sure"`  // asks if there is doubt: only a yes answers it
	Wait  string `yaml:"wait"`  // while the person is fetched; afterwards only a yes counts
	Hold  string `yaml:"hold"`
	// How the call ends, by reason.
	SomeoneElse string `yaml:"someone_else"`
	WrongNumber string `yaml:"wrong_number"`
	Hospital    string `yaml:"hospital"`
	Died        string `yaml:"died"`
	Unsure      string `yaml:"unsure"`
}

// language holds what is heard and said in one language.
type language struct {
	phrases.Language `yaml:",inline"`

	NotMe    phrases.Table `yaml:"not_me"`   // says that the speaker is somebody else
	MayBe    phrases.Table `yaml:"may_be"`   // says what the speaker is, which the person may be too
	Died     phrases.Table `yaml:"died"`     // the person has died
	Hospital phrases.Table `yaml:"hospital"` // is in hospital, or in a home
	Absent   phrases.Table `yaml:"absent"`   // the person is not there
	Fetch    phrases.Table `yaml:"fetch"`    // the person is being fetched
	Wrong    phrases.Table `yaml:"wrong"`    // nobody there knows the person
	Asks     phrases.Table `yaml:"who"`      // asks who calls
	Yes      phrases.Table `yaml:"yes"`      // says that the speaker is the person
	Assent   phrases.Table `yaml:"assent"`   // says so if that was asked
	Denial   phrases.Table `yaml:"denial"`   // denies it if that was asked
	No       phrases.Table `yaml:"no"`       // denies it if no more is said
	Ward     phrases.Table `yaml:"ward"`     // says where the person is if they were asked for
	Again    phrases.Table `yaml:"again"`    // has not heard or understood
	Names    phrases.Table `yaml:"introduces"`
	Hold     phrases.Table `yaml:"hold"`
	Lead     phrases.Words `yaml:"lead"`   // may stand before a pronoun if nobody was named
	Hello    phrases.Words `yaml:"hello"`  // the words of a mere greeting
	Titles   phrases.Words `yaml:"titles"` // not part of a name
	Common   phrases.Words `yaml:"words"`  // not names
	Texts    texts         `yaml:"texts"`

	relatives map[string]bool

	Mine   phrases.Table `yaml:"mine"`   // somebody of the speaker's own, who may be meant by a pronoun
	Spouse phrases.Table `yaml:"spouse"` // those among them who may answer the person's telephone
}

func compile(_ string, l *language) error {
	l.relatives = english.Set(l.Sets["kin"] + " " + l.Sets["up"])
	return l.Compile(&l.NotMe, &l.MayBe, &l.Died, &l.Hospital, &l.Absent, &l.Fetch, &l.Wrong, &l.Asks, &l.Yes, &l.Assent, &l.Denial, &l.No, &l.Ward, &l.Again, &l.Names, &l.Hold, &l.Mine, &l.Spouse)
}

// in returns the language of a tag, or English.
func in(tag string) *language { return languages[phrases.Code(codes, tag)] }

// Placeholders for names in phrases.
const (
	me     = "@me"
	other  = "@other"
	name   = "@name"
	family = "@family" // a name, by itself, that the person shares with others of the house
)

// Names holds the names of a person, and of others who may answer their telephone.
type Names struct{ Own, Others []string }

// parts returns the words of names, plain, without titles and short ones. Those that distinguish
// one person from others of their family are true.
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

// tokens reads what was said, with names replaced by placeholders; with strangers, unknown names
// too. A whole name becomes one token, and the "'s" of a relative or name is dropped.
func (l *language) tokens(said string, names Names, strangers bool) []phrases.Token {
	own, others := parts(l, names.Own), parts(l, names.Others)
	toks := l.Tokens(english.Scan(said))
	out := toks[:0:0]
	for i, t := range toks {
		bare := strings.TrimSuffix(t.Word, "'s")
		given, mine := own[bare]
		_, theirs := others[bare]
		var last *phrases.Token // the token that this one continues
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

// onlyGreets reports whether words are only a greeting, as when picking up the telephone, in some
// countries with the name of the house.
func (l *language) onlyGreets(toks []phrases.Token) bool {
	return len(toks) > 0 && !slices.ContainsFunc(toks, func(t phrases.Token) bool { return !l.Hello[t.Word] && t.Word != family })
}

// namesake reports whether words are no more than the whole name of another of the person's family.
func (l *language) namesake(said string, toks []phrases.Token) bool {
	whole := func(t phrases.Token) bool {
		return (t.Word == name || t.Word == other) && strings.Contains(said[t.Start:t.End], " ")
	}
	return slices.ContainsFunc(toks, whole) && !slices.ContainsFunc(toks, func(t phrases.Token) bool {
		return !whole(t) && !l.Hello[t.Word] && !l.Lead[t.Word] && !l.Common[strings.TrimSuffix(t.Word, "'s")]
	})
}

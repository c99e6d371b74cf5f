package who

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/phrases"
)

// Answer is what a speaker's words say about who they are.
type Answer string

// The answers.
const (
	Other       Answer = ""         // nothing: they talk as the person might
	Yes         Answer = "yes"      // they say that they are the person
	SomeoneElse Answer = "else"     // they say that they are not, or that the person is not there
	WrongNumber Answer = "wrong"    // nobody there knows the person
	Hospital    Answer = "hospital" // the person is said to be in hospital, or in a home
	Died        Answer = "died"     // the person is said to have died
	Fetch       Answer = "fetch"    // they fetch the person
	AsksWho     Answer = "asks_who" // they ask who calls
	Hello       Answer = "hello"    // they only greet
	Hold        Answer = "hold"     // they ask for a moment
	Again       Answer = "again"    // they did not hear or understand
	Doubt       Answer = "doubt"    // what they say fits another person just as well
	Stranger    Answer = "stranger" // they give a name that nobody knows
)

// Read returns what words say about who speaks. asked is set if they answer the question whether it
// is the person, and about if the person was mentioned before. The person's own language is read
// first, then the others, because people fall back to another one.
func Read(said, tag string, names Names, asked, about bool) Answer {
	own := in(tag)
	if a := own.read(said, names, asked, about); a != Other {
		return a
	}
	for _, code := range codes {
		if l := languages[code]; l != own {
			// Single words are alike in many languages.
			switch a := l.read(said, names, asked, about); a { //nolint:exhaustive // answers that take whole phrases
			case SomeoneElse, WrongNumber, Hospital, Died, Yes:
				if len(strings.Fields(said)) > 1 || asked {
					return a
				}
			}
		}
	}
	return Other
}

// Denies returns what words say, by the person's name, about somebody else speaking; this counts at
// any time in a call. If the name may be another family member's, it returns [Doubt].
func Denies(said, tag string, names Names) Answer {
	l := in(tag)
	toks := l.tokens(said, names, false)
	doubt := Other
	for _, of := range []struct {
		answer Answer
		table  *phrases.Table
	}{{Died, &l.Died}, {Hospital, &l.Hospital}, {SomeoneElse, &l.NotMe}, {SomeoneElse, &l.Absent}, {WrongNumber, &l.Wrong}} {
		for from, to := l.Next(of.table, toks, 0); from >= 0; from, to = l.Next(of.table, toks, from+1) {
			switch {
			case !named(toks[from:to]):
			case l.shared(said, toks[from:to], names):
				doubt = Doubt
			default:
				return of.answer
			}
		}
	}
	return doubt
}

// asMe replaces the name of the family with that of the person.
func asMe(toks []phrases.Token) []phrases.Token {
	toks = slices.Clone(toks)
	for i := range toks {
		if toks[i].Word == family {
			toks[i].Word = me
		}
	}
	return toks
}

func named(toks []phrases.Token) bool {
	return slices.ContainsFunc(toks, func(t phrases.Token) bool { return strings.HasPrefix(t.Word, me) })
}

func (l *language) read(said string, names Names, asked, about bool) Answer {
	heard := l.tokens(said, names, false)
	toks := asMe(heard)
	holds := func(t *phrases.Table) bool { return l.Holds(t, toks) }
	notMe := holds(&l.NotMe)
	denies := notMe || asked && (holds(&l.Denial) || holds(&l.No))
	doubt := holds(&l.MayBe)
	// tells reports whether a table's phrases are about the person: by name, or by a pronoun when
	// nobody else was named. If they may be about another family member, it sets doubt, unless the
	// speaker is not the person.
	tells := func(t *phrases.Table) bool {
		for from, to := l.Next(t, toks, 0); from >= 0; from, to = l.Next(t, toks, from+1) {
			before := toks[:from]
			switch {
			case !denies && t != &l.Fetch && (l.shared(said, toks[from:to], names) || l.apposed(toks, to)):
				doubt = true
			case named(toks[from:to]):
				return true
			case l.Holds(&l.Mine, toks[:to]):
			case asked, about, notMe, !slices.ContainsFunc(before, func(t phrases.Token) bool { return !l.Lead[t.Word] && !l.relatives[t.Word] }):
				return true
			}
		}
		return false
	}
	yes := l.Holds(&l.Yes, heard)
	switch {
	case tells(&l.Died):
		return Died
	case tells(&l.Hospital), (asked || about) && holds(&l.Ward):
		return Hospital
	case holds(&l.Wrong):
		return WrongNumber
	case notMe:
		if tells(&l.Fetch) {
			return Fetch
		}
		return SomeoneElse
	case tells(&l.Fetch):
		return Fetch
	case tells(&l.Absent):
		return SomeoneElse
	case doubt, l.ofSpouse(toks, &l.Hospital), asked && (l.ofSpouse(toks, &l.Died) || l.ofSpouse(toks, &l.Absent)):
		return Doubt
	case yes:
		return Yes
	case asked && holds(&l.Denial), asked && holds(&l.No) && len(toks) <= mostOfNo:
		return SomeoneElse
	case asked && holds(&l.No): // "no, I'm not well at all"
		return Doubt
	case l.Holds(&l.Names, l.tokens(said, names, true)), l.namesake(said, heard):
		return Stranger
	case holds(&l.Asks):
		return AsksWho
	case asked && holds(&l.Assent) && !strings.HasSuffix(strings.TrimSpace(said), "?"):
		return Yes
	case l.onlyGreets(heard):
		return Hello
	case holds(&l.Hold):
		return Hold
	case holds(&l.Again):
		return Again
	}
	return Other
}

// mostOfNo is the most words in a no that answers the question: a longer one may answer another
// question that they heard.
const mostOfNo = 2

// assents reports whether words hold a yes.
func (l *language) assents(said string) bool {
	return l.Holds(&l.Assent, l.Tokens(english.Scan(said)))
}

// shared reports whether words name the person only by names that others of their family have too:
// "Mr Ellis" may be her husband. A title that they use is their own.
func (l *language) shared(said string, toks []phrases.Token, names Names) bool {
	own, titles := parts(l, names.Own), make(map[string]bool)
	for _, n := range names.Own {
		for _, w := range english.Scan(n) {
			word := english.Unmarked(w.Text)
			titles[word] = l.Titles[word]
		}
	}
	return named(toks) && !slices.ContainsFunc(toks, func(t phrases.Token) bool {
		return strings.HasPrefix(t.Word, me) && slices.ContainsFunc(english.Scan(said[t.Start:t.End]), func(w english.Word) bool {
			word := strings.TrimSuffix(english.Unmarked(w.Text), "'s")
			return own[word] || titles[word]
		})
	})
}

// apposed reports whether, after words with a pronoun that end at to, somebody of the speaker's own
// is named: "she's in hospital, my sister".
func (l *language) apposed(toks []phrases.Token, to int) bool {
	for i := to; i < len(toks); i++ {
		begins := phrases.SameSentence(toks[i], toks[to-1]) || !phrases.SameClause(toks[i], toks[i-1])
		end := l.LongestAt(&l.Mine, toks, i)
		if begins && end > i && (end == len(toks) || !phrases.SameClause(toks[end], toks[end-1])) {
			return true
		}
	}
	return false
}

// ofSpouse reports whether words say about the speaker's wife or husband what a table says about
// the person: the spouse may be the person.
func (l *language) ofSpouse(toks []phrases.Token, t *phrases.Table) bool {
	from, to := l.Next(&l.Spouse, toks, 0)
	if from < 0 {
		return false
	}
	toks = slices.Clone(toks)
	toks[from].Word = me
	return l.Holds(t, slices.Delete(toks, from+1, to))
}

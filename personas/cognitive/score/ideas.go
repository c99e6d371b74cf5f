package score

import (
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/cognitive/tasks"
)

// term is a word of meaning: its stem, or the value of a number.
type term struct {
	text     string
	word     string // as it was heard
	from, to int    // the tokens it is
	stop     bool   // a sentence begins with it
	denied   bool   // what follows it, or it itself, is said not to be so
}

// terms returns the words of a text that say something, a number as its value. A denial
// reaches over the next of them to the end of the clause.
func terms(toks []token) (out []term) {
	words := texts(toks)
	reach := 0 // how many more tokens a denial reaches over
	stop := true
	for i := 0; i < len(toks); i++ {
		w := words[i]
		stop = stop || toks[i].Break == english.Stop
		if toks[i].Break != english.Space || endsDenial[w] && reach < reachOfDenial {
			reach = 0
		}
		if english.Denies(w) || w == "dont" || w == "didnt" {
			if spoken.blank.MatchString(strings.Join(words[i:min(i+4, len(words))], " ")) || w == "no" && (i+1 == len(words) || toks[i+1].Break != english.Space || len(english.Content(words[i+1])) == 0) {
				continue
			}
			reach = reachOfDenial
			continue
		}
		t := term{word: w, from: i, to: i + 1, stop: stop, denied: reach > 0}
		reach = max(0, reach-1)
		if v, n := numberAt(words[i:]); n > 0 && w != "one" {
			t.text, t.to = strconv.Itoa(v), i+n
			i += n - 1
		} else if c := english.Content(w); len(c) == 1 {
			t.text = spoken.stem(w)
			if same := spoken.alike[t.text]; same != "" {
				t.text = same
			}
		} else {
			continue
		}
		stop = false
		out = append(out, t)
	}
	return out
}

// reachOfDenial is how many words a denial reaches over where nothing ends it.
const reachOfDenial = 6

// endsDenial are words that begin another clause, as recognisers leave marks out.
var endsDenial = english.Set("but and so because then he she they it i we there")

// numberAt returns the number that words begin with and of how many they are: "half a
// dozen" is one.
func numberAt(words []string) (value, n int) {
	for _, m := range []struct {
		words []string
		value int
	}{{[]string{"half", "a", "dozen"}, 6}, {[]string{"a", "dozen"}, 12}, {[]string{"dozen"}, 12}, {[]string{"a", "couple", "of"}, 2}, {[]string{"a", "pair", "of"}, 2}} {
		if len(words) >= len(m.words) && slices.Equal(words[:len(m.words)], m.words) {
			return m.value, len(m.words)
		}
	}
	for n < len(words) { // "nine nine nine"
		v, ok := english.Number(words[n])
		if !ok || v > 9 {
			break
		}
		value, n = (10*value+v)%1e6, n+1
	}
	if n >= 3 {
		return value, n
	}
	return english.NumberAt(words...)
}

// ideas finds the units of meaning that were told, each once.
func ideas(_ tasks.Task, _ tasks.Form, it tasks.Item, said []Said) Score {
	toks := tokens(said)
	if it.Kind == tasks.Reason {
		toks = withoutEcho(toks, tokens([]Said{{Text: it.Say}}))
	}
	told := terms(toks)
	s := Score{Max: it.Max}
	for _, idea := range it.Ideas {
		from, to, ok := toldIdea(it.Kind, toks, told, idea)
		if !ok {
			continue
		}
		e := Evidence{Quote: quote(said, toks[from], lastOfPiece(toks, from, to)), Counts: true}
		points := idea.Worth()
		if it.Kind == tasks.Reason { // the ideas are answers that are better or worse
			s.Points = max(s.Points, points)
		} else {
			s.Points += points
		}
		s.Evidence = append(s.Evidence, e)
	}
	if s.Max > 0 {
		s.Points = min(s.Points, s.Max)
	}
	s.Unclear = len(told) == 0 && len(toks) > 0 && !spoken.blank.MatchString(strings.Join(texts(toks), " "))
	return s
}

// index returns where a run of words begins; -1: nowhere.
func index(toks, run []token) int {
	for i := 0; i+len(run) <= len(toks); i++ {
		if slices.EqualFunc(toks[i:i+len(run)], run, func(a, b token) bool { return a.Text == b.Text }) {
			return i
		}
	}
	return -1
}

// echo is from how many words on the question's own are taken for it said back.
const echo = 5

// withoutEcho returns an answer without what says its question back.
func withoutEcho(toks, question []token) []token {
	out := make([]token, 0, len(toks))
	for i := 0; i < len(toks); {
		n := 0
		for n < len(toks)-i && index(question, toks[i:i+n+1]) >= 0 {
			n++
		}
		if n < echo {
			out = append(out, toks[i])
			n = 1
		}
		i += n
	}
	return out
}

// lastOfPiece returns the last token up to to that is of the piece of token from.
func lastOfPiece(toks []token, from, to int) token {
	for to > from+1 && toks[to-1].piece != toks[from].piece {
		to--
	}
	return toks[to-1]
}

// toldIdea returns the tokens that hold one of an idea's wordings.
func toldIdea(kind tasks.Kind, said []token, told []term, idea tasks.Idea) (from, to int, ok bool) {
	for _, wording := range idea.Any {
		toks := tokens([]Said{{Text: wording}})
		want := terms(toks)
		if len(want) == 0 { // it is made of small words alone
			if at := index(said, toks); at >= 0 && len(toks) > 0 {
				return at, at + len(toks), true
			}
			continue
		}
		for i := range told {
			if n := holds(told[i:], want); n > 0 && (kind != tasks.Reason || len(want) > 1 || goesWith(said, told[i], toks)) {
				return told[i].from, told[i+n-1].to, true
			}
		}
	}
	return 0, 0, false
}

// goesWith reports whether the small words that make the one term of a wording what it is are
// near it: "pop it in" is not "pop it out".
func goesWith(said []token, t term, wording []token) bool {
	near := said[max(0, t.from-4):min(len(said), t.to+4)]
	return !slices.ContainsFunc(wording, func(w token) bool {
		return particles[w.Text] && !slices.ContainsFunc(near, func(o token) bool { return o.Text == w.Text })
	})
}

var particles = english.Set("in out off up down round through over back away")

// holds returns how many terms, from the first one on, hold all that are wanted, and none of
// them said not to be so that should be; 0: they do not. Of three and more one may be left
// out, and what is weak.
func holds(told, want []term) int {
	left := slices.Clone(want)
	last := 0
	for n, t := range told[:min(2*len(want)+2, len(told))] {
		k := slices.IndexFunc(left, func(w term) bool {
			split := n+1 < len(told) && t.to == told[n+1].from && t.word+told[n+1].word == w.word // "sea gull"
			return (split || sameTerm(t, w)) && t.denied == w.denied
		})
		if k < 0 && n == 0 {
			return 0
		}
		if k >= 0 {
			left, last = slices.Delete(left, k, k+1), n+1
		}
	}
	found := len(want) - len(left)
	left = slices.DeleteFunc(left, func(w term) bool { return spoken.weak[w.text] })
	spare := 0
	if len(want) >= 3 && found >= 2 {
		spare = 1
	}
	for _, w := range left {
		if _, err := strconv.Atoi(w.text); err == nil || w.denied {
			return 0
		}
	}
	if len(left) > spare || found == 0 || found == 1 && spoken.weak[told[0].text] && len(want) > 1 {
		return 0
	}
	return last
}

// sameTerm reports whether what was told means what is wanted.
func sameTerm(told, want term) bool {
	if told.text == want.text {
		return true
	}
	if _, err := strconv.Atoi(want.text); err == nil {
		return false
	}
	if len(want.text) >= 5 && english.Alike(told.text, want.text) {
		return true
	}
	is, _ := heardAs(told.word, want.word)
	return is
}

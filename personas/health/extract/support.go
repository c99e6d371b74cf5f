package extract

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/reader"
)

var (
	negating = english.Set(`not no never don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't won't wouldn't can't cannot couldn't
		hardly neither nor without instead`)
	selves = english.Set("i i'm i've i'd i'll me myself mine we we're we've us")
	others = english.Set(`he he's she she's they they're his her hers him them their son daughter wife husband sister brother mother father neighbour
		neighbor friend nurse doctor granddaughter grandson grandmother grandfather cousin aunt uncle niece nephew mum mom dad cat dog`)
	before = english.Set("yesterday ago used last previously formerly once usually normally always tomorrow")
	fixing = english.Set("no wait actually rather sorry mean make correction")
)

// supported reports why the words at tokens at to at+n do not bear the value out,
// and otherwise whether they do so plainly: what hangs on the model's judgement
// alone is to be read back.
func (r *reply) supported(v reader.Value, at, n int) (plainly bool, why string) {
	quote := r.words[at : at+n]
	own := reader.Read(r.q, r.said[quote[0].Start:quote[n-1].End], r.rc)
	switch {
	case own.Status == reader.Refused || own.Status == reader.Skipped:
		return false, "the quote is a refusal"
	case own.Settled && own.Value != v:
		return false, "rules read the quote otherwise"
	}
	switch r.q.Kind {
	case reader.Scale, reader.Number:
		return r.numberSupported(v.Number, at, n, own)
	case reader.Time:
		return r.timeSupported(v.Time, at, n, own)
	case reader.Boolean, reader.Choice:
		return r.statementSupported(v, at, n, own)
	case reader.Text:
		return true, ""
	}
	return false, "no such kind"
}

// numberSupported demands the very number in the quote, free of what takes it
// back. It stands plainly where the rules guess it too.
func (r *reply) numberSupported(want float64, at, n int, own reader.Reading) (bool, string) {
	why := "the number was not said"
	for _, num := range numbersIn(r.words) {
		if num.from < at || num.from+num.n > at+n || math.Abs(num.value-want) > 1e-9 {
			continue
		}
		switch {
		case r.elsewhere(num), r.q.Kind == reader.Scale && tallies[r.words[num.from].Text] > 0:
			why = "the number counts something else"
		case r.corrected(num.from + num.n):
			why = "the number was corrected"
		default:
			why = r.takenBack(num.from, num.n)
		}
		if why == "" {
			guessed := func(g reader.Value) bool { return !g.IsZero() && g.Number == want }
			return guessed(own.Value) || guessed(r.rules.Value), ""
		}
	}
	return false, why
}

var (
	counted = english.Set(`year years day days week weeks month months hour hours minute minutes o'clock am pm times time child children son sons
		daughter daughters grandchild grandchildren pound pounds dollar dollars mile miles percent degrees old stairs steps people`)
	beforeOne = english.Set("a number from say said about maybe perhaps is it's be of just like probably or to at only than")
)

// elsewhere reports whether a number counts something that was not asked for
// ("seven grandchildren"), or is none ("a bad one").
func (r *reply) elsewhere(num number) bool {
	i, next := num.from, num.from+num.n
	if num.n == 1 && r.words[i].Text == "one" && i > 0 && r.words[i-1].clause == r.words[i].clause && !beforeOne[r.words[i-1].Text] {
		return true
	}
	if next >= len(r.words) || r.words[next].clause != r.words[i].clause || !counted[r.words[next].Text] {
		return false
	}
	unit := r.words[next].Text
	wanted := english.Set(english.Plain(r.q.Unit + " " + r.asked))
	return !wanted[unit] && !wanted[unit+"s"]
}

// corrected reports whether another number follows words such as "no, say".
func (r *reply) corrected(from int) bool {
	for i := from; i < len(r.words); i++ {
		if fixing[r.words[i].Text] {
			return slices.ContainsFunc(numbersIn(r.words), func(n number) bool { return n.from > i })
		}
	}
	return false
}

// timeSupported demands that the quote holds the hour, whichever half of the day.
func (r *reply) timeSupported(want string, at, n int, own reader.Reading) (bool, string) {
	if why := r.takenBack(at, n); why != "" {
		return false, why
	}
	if own.Value.Time != "" {
		if own.Value.Time[2:] == want[2:] && (hour(own.Value.Time)-hour(want))%12 == 0 {
			return own.Value.Time == want, ""
		}
		return false, "rules read another time"
	}
	h := hour(want)
	for _, num := range numbersIn(r.words[at : at+n]) {
		if num.value == float64(h) || num.value == float64(h%12) || h%12 == 0 && num.value == 12 {
			return false, ""
		}
	}
	return false, "the time was not said"
}

// hour returns that of "15:04".
func hour(clock string) int {
	h, _ := strconv.Atoi(clock[:2]) // digits
	return h
}

// fewWords is how long a reply may be that is about nothing but the question.
const fewWords = 3

// statementSupported reads a yes, a no or a choice. It stands plainly where the
// words are about the question, or about the person and the rules guess the same;
// what else the person says of themselves is taken, and read back.
func (r *reply) statementSupported(v reader.Value, at, n int, own reader.Reading) (bool, string) {
	if why := r.takenBack(at, n); why != "" && (why != negatedWhy || v.Kind != reader.Boolean || v.Bool != r.q.Negated) {
		return false, why
	}
	quote := r.words[at : at+n]
	guess := own.Value
	if guess.IsZero() {
		guess = r.rules.Value
	}
	switch {
	case !guess.IsZero() && guess != v:
		return false, "rules guess otherwise"
	case r.topical(quote):
		return true, ""
	case anyIn(selves, quote):
		return guess == v, ""
	case guess == v && len(r.words) <= fewWords:
		return false, ""
	}
	return false, "the quote does not speak of the question"
}

// topical reports whether words are about the question: one of its topics, or of
// what its options are called.
func (r *reply) topical(words []word) bool {
	if anyIn(english.Set(english.Plain(strings.Join(r.q.Topic, " "))), words) {
		return true
	}
	said := func(phrase string) bool { return find(words, wordsOf(phrase), 0) >= 0 }
	return slices.ContainsFunc(r.q.Options, func(o reader.Option) bool { return said(o.Value) || slices.ContainsFunc(o.Words, said) })
}

const negatedWhy = "the words before the quote negate it"

// takenBack returns what around tokens i to i+n speaks against them: a negation in
// front, somebody else, or another time than the question's. "" means nothing.
func (r *reply) takenBack(i, n int) string {
	from, to := i, i+n
	for from > 0 && r.words[from-1].clause == r.words[i].clause {
		from--
	}
	for to < len(r.words) && r.words[to].clause == r.words[i+n-1].clause {
		to++
	}
	clause := r.words[from:to]
	switch {
	case anyIn(negating, r.words[max(from, i-3):i]):
		return negatedWhy
	case r.q.Kind == reader.Text:
		return ""
	case anyIn(others, clause) && !anyIn(selves, clause):
		return "the words are about somebody else"
	}
	asked := english.Set(english.Plain(r.asked))
	if slices.ContainsFunc(clause, func(w word) bool { return before[w.Text] && !asked[w.Text] }) {
		return "the words are about another time"
	}
	return ""
}

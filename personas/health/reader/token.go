package reader

import (
	"regexp"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// maxTokens bounds the work for one reply: some twenty minutes of talk.
const maxTokens = 3000

// pause is what stands between two words.
type pause uint8

const (
	run  pause = iota // nothing
	soft              // a comma, a dash, an ellipsis
	hard              // the end of a sentence
)

// token is a word of the reply, in lower case, and where it stands.
type token struct {
	text       string
	start, end int
	pause      pause // before the word
	asked      bool  // a question mark follows
	// plain: it carries no answer of its own, as fillers, hedges, politeness and lead-ins
	// do; aside: it is one of those that are no lead-in.
	plain, aside bool
	word         *word  // its classes; nil: it has none
	spans        []span // the phrases that begin at it, the longer ones last
}

// text is what was said, in words.
type text struct {
	lx   *Lexicon
	said string
	toks []token
}

// parse splits said into words, and finds the cues in them.
func parse(lx *Lexicon, said string) *text {
	r := &text{lx: lx, said: said, toks: lx.tokens(said)}
	lx.mark(r.toks)
	for i := range r.toks {
		n, sort := r.match(i, cue.Plain)
		for k := i; k < i+n; k++ {
			r.toks[k].plain = true
			r.toks[k].aside = r.toks[k].aside || sort == aside
		}
	}
	return r
}

// of is the reply with other tokens, whose phrases are found anew.
func (r *text) of(toks []token) *text {
	r.lx.mark(toks)
	return &text{lx: r.lx, said: r.said, toks: toks}
}

// slice is the reply from token i up to j.
func (r *text) slice(i, j int) *text {
	if i >= j {
		return &text{lx: r.lx, said: r.said}
	}
	return &text{lx: r.lx, said: r.said, toks: r.toks[i:j]}
}

// match is the length in words of the longest phrase of the class that begins at token i,
// and its value; 0 when there is none.
func (r *text) match(i int, class class) (n int, value string) {
	if i < 0 || i >= len(r.toks) {
		return 0, ""
	}
	for _, s := range r.toks[i].spans {
		if s.class == class && i+s.n <= len(r.toks) {
			n, value = s.n, s.value
		}
	}
	if n == 0 && r.in(i, class) {
		n = 1
	}
	return n, value
}

// starts reports whether a phrase of the class begins at token i.
func (r *text) starts(i int, class class) bool {
	n, _ := r.match(i, class)
	return n > 0
}

// anywhere is the first place of any phrase of the class, or -1.
func (r *text) anywhere(class class) (i, n int, value string) {
	for i = range r.toks {
		if n, value = r.match(i, class); n > 0 {
			return i, n, value
		}
	}
	return -1, 0, ""
}

// in reports whether the word at token i is one of the class.
func (r *text) in(i int, class class) bool {
	return i >= 0 && i < len(r.toks) && r.toks[i].word.in(class)
}

// value is what the word at token i stands for in the class.
func (r *text) value(i int, class class) (int, bool) { return r.lx.value(r.at(i), class) }

// value is what a word stands for in the class.
func (lx *Lexicon) value(w string, class class) (int, bool) {
	p, ok := lx.node(w).as(class)
	return int(p.number), ok
}

// aux is 1 for an auxiliary ("did"), -1 for a denied one ("didn't"), and 0 for other words.
func (lx *Lexicon) aux(w string) int {
	n, _ := lx.value(w, cue.Aux)
	return n
}

// aux is that of the word at token i.
func (r *text) aux(i int) int { return r.lx.aux(r.at(i)) }

// quote is what was said from token i up to j.
func (r *text) quote(i, j int) string {
	if i < 0 || j > len(r.toks) || i >= j {
		return ""
	}
	return r.said[r.toks[i].start:r.toks[j-1].end]
}

// at is the word at i, or "" beyond the ends.
func (r *text) at(i int) string {
	if i < 0 || i >= len(r.toks) {
		return ""
	}
	return r.toks[i].text
}

// before is the pause before token i; the ends of the reply are hard.
func (r *text) before(i int) pause {
	if i <= 0 || i >= len(r.toks) {
		return hard
	}
	return r.toks[i].pause
}

// clause is where the clause around token i begins and ends: at pauses and at
// words that join clauses.
func (r *text) clause(i int) (from, to int) {
	from, to = i, i+1
	for from > 0 && r.before(from) == run && !r.in(from-1, cue.Joiners) {
		from--
	}
	for to < len(r.toks) && r.before(to) == run && !r.in(to, cue.Joiners) {
		to++
	}
	return from, to
}

// around is where the words around tokens i up to j begin and end that no pause of at
// least p parts from them.
func (r *text) around(i, j int, p pause) (from, to int) {
	for from = i; r.before(from) < p; {
		from--
	}
	for to = j; r.before(to) < p; {
		to++
	}
	return from, to
}

// follows reports whether the word at token i is said in one breath with the one before.
func (r *text) follows(i int) bool { return r.before(i) == run }

// any reports whether a phrase of the class begins at one of tokens i up to j.
func (r *text) any(i, j int, class class) bool {
	for k := max(i, 0); k < min(j, len(r.toks)); k++ {
		if r.starts(k, class) {
			return true
		}
	}
	return false
}

// backOver is the first token before i, in the same breath, that is not of the class.
func (r *text) backOver(i int, class class) int {
	k := i - 1
	for r.in(k, class) && r.follows(k+1) {
		k--
	}
	return k
}

// ends reports whether nothing of meaning follows at token i: a pause, a word that joins
// a clause, or plain words up to there.
func (r *text) ends(i int) bool { return r.plainUntilPause(i) || r.in(i, cue.Joiners) }

// onlyPlain reports whether tokens i up to j carry no answer of their own.
func (r *text) onlyPlain(i, j int) bool {
	for k := max(i, 0); k < min(j, len(r.toks)); k++ {
		if !r.toks[k].plain {
			return false
		}
	}
	return true
}

// alone reports whether tokens i up to j are a clause of their own, or one with plain words.
func (r *text) alone(i, j int) bool {
	from, to := r.around(i, j, soft)
	return r.onlyPlain(from, i) && r.onlyPlain(j, to)
}

// without is the reply without the words of the class, or nil where there are none.
func (r *text) without(class class) *text {
	var left []token
	for i, t := range r.toks {
		if !r.in(i, class) {
			left = append(left, t)
		}
	}
	if len(left) == 0 || len(left) == len(r.toks) {
		return nil
	}
	return r.of(left)
}

// bare reports whether nothing but plain words surrounds tokens i up to j.
func (r *text) bare(i, j int) bool { return r.onlyPlain(0, i) && r.onlyPlain(j, len(r.toks)) }

// spoken finds words, numbers, and the marks that are said: an apostrophe within a word, a
// point or colon within a number, "p.m.". With spokenComma a comma may be the decimal mark.
var spoken, spokenComma = spokenWith(`,\d{3}\b|[.:]\d+`), spokenWith(`[.,]\d{3}\b|[.,:]\d+`)

func spokenWith(marks string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)[ap]\.[\s\x{a0}]?m\b|\d+(?:` + marks + `)*|\pL[\pL\pM]*(?:['’]\pL[\pL\pM]*)*|[%/-]`)
}

// thousands is a number whose marks part its thousands.
var thousands = regexp.MustCompile(`^\d{1,3}(?:[.,]\d{3})+$`)

// digits is a number as it is written in the language, in the form that is parsed.
func (lx *Lexicon) digits(s string) string {
	switch {
	case !lx.comma:
		return strings.ReplaceAll(s, ",", "")
	case thousands.MatchString(s):
		return strings.NewReplacer(",", "", ".", "").Replace(s)
	}
	return strings.Replace(s, ",", ".", 1)
}

// tokens are the words of said, written in one way.
func (lx *Lexicon) tokens(said string) []token { return lx.join(lx.split(said)) }

// split cuts said into words in lower case.
func (lx *Lexicon) split(said string) []token {
	spoken := spoken
	if lx.comma {
		spoken = spokenComma
	}
	toks := make([]token, 0, 16)
	wait, end := hard, 0
	for _, at := range spoken.FindAllStringIndex(said, maxTokens) {
		marked := false
		t := token{text: english.Lower(said[at[0]:at[1]]), start: at[0], end: at[1]}
		switch c := t.text[0]; {
		case (c == '/' || c == '-') && !between(said, at[0]):
			continue
		case isDigit(rune(c)):
			t.text = lx.digits(t.text)
		case strings.Contains(t.text, "."):
			t.text = t.text[:1] + t.text[len(t.text)-1:] // "pm"
			marked = true
		default:
			t.text = lx.plain(t.text)
		}
		since, asked := pauseOf(said[end:at[0]])
		if n := len(toks); n > 0 {
			toks[n-1].asked = asked
			wait = since
		}
		t.pause = wait
		toks, end = append(toks, t), at[1]
		if marked && strings.HasPrefix(said[end:], ".") {
			end++ // the point in "p.m." ends no sentence
		}
	}
	if n := len(toks); n > 0 {
		_, toks[n-1].asked = pauseOf(said[end:])
	}
	return toks
}

// pauseOf is the longest pause among the marks between two words, and whether one of them
// asks.
func pauseOf(gap string) (p pause, asked bool) {
	gap = strings.ReplaceAll(gap, "..", "…") // a pause for thought
	gap = strings.ReplaceAll(gap, "….", "…")
	switch {
	case strings.ContainsAny(gap, ".!?;\n"):
		p = hard
	case strings.ContainsAny(gap, ",:–—…()"), strings.Contains(gap, " -"), strings.Contains(gap, "--"):
		p = soft
	}
	return p, strings.Contains(gap, "?")
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

// between reports whether a digit stands on both sides of said[i].
func between(said string, i int) bool {
	return i > 0 && isDigit(rune(said[i-1])) && i+1 < len(said) && isDigit(rune(said[i+1]))
}

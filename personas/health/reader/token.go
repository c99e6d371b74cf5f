package reader

import (
	"regexp"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// maxTokens limits the work for one reply: it is some twenty minutes of talk.
const maxTokens = 3000

// pause is the length of the pause between two words.
type pause uint8

const (
	run  pause = iota // no pause
	soft              // a comma, a dash, an ellipsis
	hard              // the end of a sentence
)

// token is a word of the reply, in lower case, with its place in the text.
type token struct {
	text       string
	start, end int
	pause      pause // before the word
	asked      bool  // a question mark follows the word
	// plain is set for words that carry no answer of their own: fillers, hedges, politeness and
	// lead-ins; aside is set for those of them that are not lead-ins.
	plain, aside bool
	word         *word  // its classes, or nil if it has none
	spans        []span // phrases that begin with it, the longer ones last
}

// text is a reply, split into words.
type text struct {
	lx   *Lexicon
	said string
	toks []token
}

// parse splits said into words and finds the cues in them.
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

// of returns the reply with other tokens, in which it finds the phrases again.
func (r *text) of(toks []token) *text {
	r.lx.mark(toks)
	return &text{lx: r.lx, said: r.said, toks: toks}
}

// slice returns tokens i up to j of the reply.
func (r *text) slice(i, j int) *text {
	if i >= j {
		return &text{lx: r.lx, said: r.said}
	}
	return &text{lx: r.lx, said: r.said, toks: r.toks[i:j]}
}

// match returns the length in words of the longest phrase of the class that begins at token i, and
// its value, or 0 if there is none.
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

// anywhere returns the first place of any phrase of the class, its length and its value, or -1.
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

// value returns the number that the word at token i stands for in the class.
func (r *text) value(i int, class class) (int, bool) { return r.lx.value(r.at(i), class) }

// value returns the number that a word stands for in the class.
func (lx *Lexicon) value(w string, class class) (int, bool) {
	p, ok := lx.node(w).as(class)
	return int(p.number), ok
}

// aux returns 1 for an auxiliary ("did"), -1 for a negated one ("didn't"), and 0 for other words.
func (lx *Lexicon) aux(w string) int {
	n, _ := lx.value(w, cue.Aux)
	return n
}

// aux returns the value of [Lexicon.aux] for the word at token i.
func (r *text) aux(i int) int { return r.lx.aux(r.at(i)) }

// quote returns the original text from token i up to j, or "" if there are no such tokens.
func (r *text) quote(i, j int) string {
	if i < 0 || j > len(r.toks) || i >= j {
		return ""
	}
	return r.said[r.toks[i].start:r.toks[j-1].end]
}

// at returns the word at token i, or "" if there is no such token.
func (r *text) at(i int) string {
	if i < 0 || i >= len(r.toks) {
		return ""
	}
	return r.toks[i].text
}

// before returns the pause before token i; it is hard at both ends of the reply.
func (r *text) before(i int) pause {
	if i <= 0 || i >= len(r.toks) {
		return hard
	}
	return r.toks[i].pause
}

// clause returns the beginning and end of the clause around token i. Clauses are separated by
// pauses and by words that join them.
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

// around returns the beginning and end of the words around tokens i up to j that are not separated
// from them by a pause of at least p.
func (r *text) around(i, j int, p pause) (from, to int) {
	for from = i; r.before(from) < p; {
		from--
	}
	for to = j; r.before(to) < p; {
		to++
	}
	return from, to
}

// follows reports whether there is no pause before token i.
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

// backOver returns the last token before i that is not of the class. It does not go back over a
// pause: it returns the token in front of the first one on the way.
func (r *text) backOver(i int, class class) int {
	k := i - 1
	for r.in(k, class) && r.follows(k+1) {
		k--
	}
	return k
}

// ends reports whether a thought ends at token i: only plain words stand before the next pause, or
// a word that joins clauses follows.
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

// alone reports whether tokens i up to j make up a clause, apart from plain words.
func (r *text) alone(i, j int) bool {
	from, to := r.around(i, j, soft)
	return r.onlyPlain(from, i) && r.onlyPlain(j, to)
}

// without returns the reply without the words of the class, or nil if it has none or only such
// words.
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

// bare reports whether the reply has only plain words besides tokens i up to j.
func (r *text) bare(i, j int) bool { return r.onlyPlain(0, i) && r.onlyPlain(j, len(r.toks)) }

// spoken matches words, numbers, and marks that are part of them: an apostrophe within a word, a
// point or colon within a number, "p.m.". In spokenComma a comma may be the decimal mark.
var spoken, spokenComma = spokenWith(`,\d{3}\b|[.:]\d+`), spokenWith(`[.,]\d{3}\b|[.,:]\d+`)

func spokenWith(marks string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)[ap]\.[\s\x{a0}]?m\b|\d+(?:` + marks + `)*|\pL[\pL\pM]*(?:['’]\pL[\pL\pM]*)*|[%/-]`)
}

// thousands matches a number whose marks separate thousands.
var thousands = regexp.MustCompile(`^\d{1,3}(?:[.,]\d{3})+$`)

// digits converts a number from the notation of the language to the form that is parsed.
func (lx *Lexicon) digits(s string) string {
	switch {
	case !lx.comma:
		return strings.ReplaceAll(s, ",", "")
	case thousands.MatchString(s):
		return strings.NewReplacer(",", "", ".", "").Replace(s)
	}
	return strings.Replace(s, ",", ".", 1)
}

// tokens returns the words of said in their canonical spelling.
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
			end++ // the point in "p.m." does not end a sentence
		}
	}
	if n := len(toks); n > 0 {
		_, toks[n-1].asked = pauseOf(said[end:])
	}
	return toks
}

// pauseOf returns the longest pause among the marks between two words, and reports whether one of
// them is a question mark.
func pauseOf(gap string) (p pause, asked bool) {
	gap = strings.ReplaceAll(gap, "..", "…") // an ellipsis is a pause, not the end of a sentence
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

// between reports whether said[i] stands between two digits.
func between(said string, i int) bool {
	return i > 0 && isDigit(rune(said[i-1])) && i+1 < len(said) && isDigit(rune(said[i+1]))
}

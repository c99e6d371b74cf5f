package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"
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
	r := &text{lx: lx, said: said, toks: lx.join(split(said))}
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

// any reports whether one of tokens i up to j is of the class.
func (r *text) any(i, j int, class class) bool {
	for k := max(i, 0); k < min(j, len(r.toks)); k++ {
		if r.in(k, class) {
			return true
		}
	}
	return false
}

// anyPhrase reports whether a phrase of the class begins at one of tokens i up to j.
func (r *text) anyPhrase(i, j int, class class) bool {
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

// bare reports whether nothing but plain words surrounds tokens i up to j.
func (r *text) bare(i, j int) bool { return r.onlyPlain(0, i) && r.onlyPlain(j, len(r.toks)) }

// split cuts said at everything but letters, digits and what binds them: an
// apostrophe within a word, a point or colon within a number.
func split(said string) []token {
	toks := make([]token, 0, 16)
	wait := hard
	for i := 0; i < len(said) && len(toks) < maxTokens; {
		c, n := utf8.DecodeRuneInString(said[i:])
		switch {
		case isDigit(c):
			j := endOfNumber(said, i)
			toks = append(toks, token{text: strings.ReplaceAll(said[i:j], ",", ""), start: i, end: j, pause: wait})
			wait, i = run, j
		case unicode.IsLetter(c) && c != utf8.RuneError:
			j := endOfWord(said, i)
			toks = append(toks, token{text: lower(said[i:j]), start: i, end: j, pause: wait})
			if j < len(said) && said[j] == '.' && isHalfOfDay(said, i) {
				j++ // the point in "p.m." ends no sentence
			}
			wait, i = run, j
		case c == '%' || c == '/' && between(said, i):
			toks = append(toks, token{text: said[i : i+1], start: i, end: i + 1, pause: wait})
			wait, i = run, i+1
		case c == '-' && between(said, i):
			toks = append(toks, token{text: "to", start: i, end: i + 1, pause: wait})
			wait, i = run, i+1
		default:
			wait = max(wait, pauseOf(said, i, c))
			if c == '?' && len(toks) > 0 {
				toks[len(toks)-1].asked = true
			}
			i += n
		}
	}
	return toks
}

func pauseOf(said string, i int, c rune) pause {
	switch c {
	case '.':
		if strings.HasPrefix(said[i:], "..") || i > 0 && said[i-1] == '.' {
			return soft // a pause for thought
		}
		return hard
	case '!', '?', ';', '\n':
		return hard
	case ',', ':', '–', '—', '…', '(', ')':
		return soft
	case '-':
		if i > 0 && said[i-1] == ' ' || strings.HasPrefix(said[i:], "--") {
			return soft
		}
	}
	return run
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

// between reports whether a digit stands on both sides of said[i].
func between(said string, i int) bool {
	return i > 0 && isDigit(rune(said[i-1])) && i+1 < len(said) && isDigit(rune(said[i+1]))
}

func endOfNumber(said string, i int) int {
	for i < len(said) {
		c := rune(said[i])
		switch {
		case isDigit(c):
			i++
		case (c == '.' || c == ':') && between(said, i):
			i++
		case c == ',' && between(said, i) && thousands(said, i):
			i++
		default:
			return i
		}
	}
	return i
}

// thousands reports whether exactly three digits follow the comma at i.
func thousands(said string, i int) bool {
	n := 0
	for k := i + 1; k < len(said) && isDigit(rune(said[k])); k++ {
		n++
	}
	return n == 3
}

func endOfWord(said string, i int) int {
	if isHalfOfDay(said, i) {
		return i + len("p.m")
	}
	for i < len(said) {
		c, n := utf8.DecodeRuneInString(said[i:])
		switch {
		case unicode.IsLetter(c) && c != utf8.RuneError || unicode.IsMark(c):
			i += n
		case (c == '\'' || c == '’') && letterAt(said, i+n):
			i += n
		default:
			return i
		}
	}
	return i
}

func letterAt(said string, i int) bool {
	if i >= len(said) {
		return false
	}
	c, _ := utf8.DecodeRuneInString(said[i:])
	return unicode.IsLetter(c)
}

// isHalfOfDay reports whether "a.m" or "p.m" stands at i.
func isHalfOfDay(said string, i int) bool {
	if i+3 > len(said) || said[i+1] != '.' || letterAt(said, i+3) {
		return false
	}
	return strings.IndexByte("aApP", said[i]) >= 0 && strings.IndexByte("mM", said[i+2]) >= 0
}

// lower is s in lower case with plain apostrophes; "p.m" becomes "pm".
func lower(s string) string {
	if strings.ContainsRune(s, '’') {
		s = strings.ReplaceAll(s, "’", "'")
	}
	if strings.IndexByte(s, '.') >= 0 {
		s = strings.ReplaceAll(s, ".", "")
	}
	return strings.ToLower(s)
}

package reading

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/naiber/naiber/internal/english"
)

// The kinds of numbers.
const (
	KindModel = "model"
	KindPart  = "part"
)

// Number is the number of a model or a part, as it may have been meant.
type Number struct {
	// Variants holds what the words may stand for, in upper-case letters and digits, the likeliest
	// first.
	Variants []string
	// Kind is what the words around the number say that it is, or "".
	Kind string
	// Sure is set if no letter was only heard: the number was written, or spelled by words.
	Sure bool
	// Unsure is set if the number was taken back, or doubted, after it was begun.
	Unsure     bool
	Start, End int // in the message
}

// Digits reports whether a number has no letter.
func (n *Number) Digits() bool { return strings.IndexFunc(n.Variants[0], unicode.IsLetter) < 0 }

const (
	// mostVariants is the most variants of one number, and mostPieces the most words that it is
	// read from.
	mostVariants = 16
	mostPieces   = 48
	// leastNumber is the least number of letters and digits in a number.
	leastNumber = 4
	// longestWord is the most letters in a word within a number that is none itself: letters that a
	// recogniser took for a word.
	longestWord = 5
)

// piece is one or several words, and what they may stand for within a number.
type piece struct {
	alts []string // empty: it ends a number
	// strong is set for pieces that are letters or digits wherever they stand; others may be words.
	strong     bool
	word       bool // not by itself a letter or digit
	skip       bool
	sure       bool
	start, end int
	apart      bool // a sentence ends before it
}

// numbers reads the numbers of a message, outside its e-mail address.
func (l *language) numbers(text string, words []english.Word, mail Email) (out []Number, s *Stream) {
	words = l.merged(words)
	pieces := l.pieces(text, words, mail)
	for from := 0; from < len(pieces); {
		to := from
		for to < len(pieces) && len(pieces[to].alts) > 0 && (to == from || !pieces[to].apart) && to-from < mostPieces {
			to++
		}
		if n, ok := number(pieces[from:to]); ok {
			n.Kind = l.kindAround(words, n.Start, n.End)
			n.Unsure = l.Holds(&l.Unsure, l.Tokens(slices.DeleteFunc(slices.Clone(words), func(w english.Word) bool { return w.Start < n.Start })))
			if i := slices.IndexFunc(out, func(o Number) bool { return slices.Contains(o.Variants, n.Variants[0]) }); i < 0 {
				out = append(out, n)
			}
		}
		from = max(to, from+1)
	}
	return out, streamOf(pieces)
}

// merged returns words, joining those that together name one letter: "uve doble".
func (l *language) merged(words []english.Word) []english.Word {
	out := make([]english.Word, 0, len(words))
	for _, w := range words {
		if n := len(out); n > 0 && w.Break == english.Space {
			if letter := l.Same[out[n-1].Text+" "+w.Text]; len(letter) == 1 {
				out[n-1].Text, out[n-1].End = letter, w.End
				continue
			}
		}
		out = append(out, w)
	}
	return out
}

// pieces reads the words of a message as pieces of numbers.
func (l *language) pieces(text string, words []english.Word, mail Email) []piece {
	out := make([]piece, 0, len(words))
	shouted := strings.IndexFunc(text, unicode.IsLower) < 0
	for i := 0; i < len(words); {
		p, n := l.pieceAt(text, words, i, shouted)
		p.start, p.end = words[i].Start, words[i+n-1].End
		if i > 0 && words[i].Break == english.Stop {
			between := text[words[i-1].End:p.start]
			p.apart = strings.ContainsFunc(between, unicode.IsSpace) && words[i-1].End-words[i-1].Start > 1
		}
		if p.start < mail.End && p.end > mail.Start {
			p.alts = nil
		}
		out = append(out, p)
		i += n
	}
	return out
}

// pieceAt returns the piece that begins at a word, and how many words it takes.
func (l *language) pieceAt(text string, words []english.Word, i int, shouted bool) (piece, int) {
	at := func(k int) string {
		if k < len(words) {
			return english.Unmarked(strings.ReplaceAll(words[k].Text, "'", ""))
		}
		return ""
	}
	w := at(i)
	if times := l.Double[w]; times > 0 {
		if letter := l.DoubleLetter[at(i+1)]; letter != "" && times == 2 {
			return piece{alts: []string{letter}, strong: true}, 2
		}
		if i+1 < len(words) {
			if p, n := l.pieceAt(text, words, i+1, shouted); n == 1 && len(p.alts) > 0 && len(p.alts[0]) == 1 {
				for k := range p.alts {
					p.alts[k] = strings.Repeat(p.alts[k], times)
				}
				p.strong = true
				return p, 2
			}
		}
	}
	if times := l.Numbers[w]; times > 1 && times < 5 { // "three noughts", "two effs"
		for _, plural := range l.Plurals {
			if one, ok := strings.CutSuffix(at(i+1), plural); ok {
				if v, ok := l.Numbers[one]; ok && v == 0 {
					return piece{alts: []string{strings.Repeat("0", times)}, strong: true}, 2
				} else if letter := l.letters[one]; letter != "" && len(one) > 1 && !l.Weak[one] {
					return piece{alts: []string{strings.Repeat(letter, times)}, strong: true}, 2
				}
			}
		}
	}
	if strings.IndexFunc(w, unicode.IsDigit) >= 0 {
		return piece{alts: []string{alnum(w)}, strong: true, sure: len(alnum(w)) > 1}, 1
	}
	if p, n, ok := l.letterAt(at, words, i); ok {
		return p, n
	}
	if alts, n := l.numeral(at, i); n > 0 {
		p := piece{alts: alts, strong: !l.Weak[w] || n > 1}
		if letter := l.letters[w]; letter != "" && n == 1 { // "oh"
			p.alts = append(p.alts, letter)
		}
		if n == 1 && w == "oh" {
			p.alts = append(p.alts, "O")
		}
		return p, n
	}
	if l.Skip[w] {
		return piece{alts: []string{""}, skip: true}, 1
	}
	raw := text[words[i].Start:words[i].End]
	size := utf8.RuneCountInString(w)
	switch {
	case !shouted && size > 1 && size <= 8 && raw == strings.ToUpper(raw) && alnum(w) != "" && !l.nouns[w]:
		return piece{alts: []string{alnum(w)}, strong: true, sure: true}, 1
	case l.Stop[w] || size > longestWord && strings.ContainsAny(w, "aeiou") || size > 8 || alnum(w) == "":
		return piece{}, 1
	}
	return piece{alts: []string{alnum(w)}, word: true, strong: !strings.ContainsAny(w, "aeiouy")}, 1
}

// letterAt reads a letter by its name, by a word that stands for it, or by both: "K as in kilo".
func (l *language) letterAt(at func(int) string, words []english.Word, i int) (piece, int, bool) {
	w := at(i)
	letter := l.letters[w]
	if letter == "" && l.Spelling[w] {
		return piece{alts: []string{initial(w)}, strong: true, sure: true}, 1, true
	}
	if letter == "" {
		return piece{}, 0, false
	}
	p := piece{alts: []string{letter}, strong: !l.Weak[w]}
	// As a word, it may also be a digit: "for", "to".
	if v, ok := l.Numbers[w]; ok {
		p.alts = append(p.alts, strconv.Itoa(v))
	}
	if i+2 >= len(words) {
		return p, 1, true
	}
	toks := l.Tokens(words[i+1 : min(i+4, len(words))])
	if len(toks) == 0 {
		return p, 1, true
	}
	end := l.LongestAt(&l.AsIn, toks, 0)
	next := i + 1 + end
	if end < 0 || next >= len(words) {
		return p, 1, true
	}
	word := at(next)
	named := initial(word)
	switch {
	case l.letters[word] != "": // "T as in tea"
		named = l.letters[word]
		if end == 1 || len(word) == 1 { // "M for K": the word is a digit
			return p, 1, true
		}
	case end == 1 && named != letter, utf8.RuneCountInString(word) < 3, named == "":
		return p, 1, true
	}
	return piece{alts: []string{named}, strong: true, sure: true}, end + 2, true
}

func initial(word string) string {
	r, _ := utf8.DecodeRuneInString(word)
	return alnum(string(r))
}

// numeral reads a number in words as digits, in each way that it may be meant: "eighty two" is 82,
// or 80 and 2. n is how many words it takes.
func (l *language) numeral(at func(int) string, i int) (alts []string, n int) {
	v, ok := l.Numbers[at(i)]
	if !ok {
		return nil, 0
	}
	if v < 20 && !l.multiplies(at, i+1) && v != 100 {
		return []string{strconv.Itoa(v)}, 1
	}
	total, group, apart := 0, 0, ""
	last := 0 // the size of the last word: the next one must be smaller
	for {
		w := at(i + n)
		joined := n > 0 && w == l.Joiner
		if joined {
			w = at(i + n + 1)
		}
		v, ok := l.Numbers[w]
		if !ok || l.Weak[w] && n > 0 && !joined {
			break
		}
		size := 1
		switch {
		case v >= 1000:
			total, group, size = total+max(group, 1)*v, 0, v
			apart += strings.Repeat("0", len(strconv.Itoa(v))-1)
		case v >= 100 && v%100 == 0:
			switch after := n > 0 && last < 1000; {
			case after && group > 0 && v == 100:
				group *= 100
				apart += "00"
			case after:
				return result(total+group, apart, n)
			default:
				group += v
				apart += strconv.Itoa(v)
			}
			size = 100
		case v >= 10:
			if n > 0 && last < 100 {
				return result(total+group, apart, n)
			}
			group, size = group+v, 10
			if v < 20 {
				size = 1
			}
			apart += strconv.Itoa(v)
		default:
			if n > 0 && (last < 10 || v == 0) {
				return result(total+group, apart, n)
			}
			group += v
			apart += strconv.Itoa(v)
		}
		last = size
		n++
		if joined {
			n++
		}
	}
	return result(total+group, apart, n)
}

// multiplies reports whether a word is a hundred, a thousand or more.
func (l *language) multiplies(at func(int) string, i int) bool {
	v := l.Numbers[at(i)]
	return v == 100 || v >= 1000
}

func result(value int, apart string, n int) ([]string, int) {
	whole := strconv.Itoa(value)
	if apart == whole || apart == "" {
		return []string{whole}, n
	}
	return []string{whole, apart}, n
}

// number builds a number from pieces, and reports false if they are none.
func number(pieces []piece) (Number, bool) {
	first := slices.IndexFunc(pieces, func(p piece) bool { return p.strong })
	if first < 0 {
		return Number{}, false
	}
	last := first
	chars, digits, sure := 0, 0, true
	for i := first; i < len(pieces); i++ {
		p := pieces[i]
		if p.strong {
			last = i
			chars += len(p.alts[0])
			digits += strings.Count(strings.Map(digit, p.alts[0]), "d")
		}
	}
	for _, p := range pieces[first : last+1] {
		sure = sure && (p.sure || p.skip)
		if !p.strong {
			chars += len(p.alts[0])
			digits += strings.Count(strings.Map(digit, p.alts[0]), "d")
		}
	}
	if chars < leastNumber || digits == 0 || digits < 2 && chars < 6 {
		return Number{}, false
	}
	n := Number{Sure: sure, Start: pieces[first].start, End: pieces[last].end}
	n.Variants = variants(pieces[first : last+1])
	// Pieces next to it may be letters or digits too.
	before := edge(pieces[:first], true)
	after := edge(pieces[last+1:], false)
	for _, v := range n.Variants {
		for _, b := range before {
			for _, a := range after {
				if b+a != "" {
					n.add(b + v + a)
				}
			}
		}
	}
	return n, true
}

func digit(r rune) rune {
	if unicode.IsDigit(r) {
		return 'd'
	}
	return -1
}

// edge returns what up to three weak pieces next to a number may add to it, "" first.
func edge(pieces []piece, before bool) []string {
	out, text := []string{""}, ""
	for k := range min(len(pieces), 3) {
		p := pieces[k]
		if before {
			p = pieces[len(pieces)-1-k]
		}
		if p.skip {
			continue
		}
		if before {
			text = p.alts[0] + text
		} else {
			text += p.alts[0]
		}
		out = append(out, text)
	}
	return out
}

func (n *Number) add(v string) {
	if len(n.Variants) < mostVariants && !slices.Contains(n.Variants, v) {
		n.Variants = append(n.Variants, v)
	}
}

// variants returns what pieces may stand for, the likeliest first.
func variants(pieces []piece) []string {
	out := []string{""}
	for _, p := range pieces {
		alts := p.alts
		if p.word { // letters that were taken for a word, or an unrelated word
			alts = append(slices.Clone(alts), "")
			if !p.strong {
				slices.Reverse(alts)
			}
		}
		var next []string
		for k, a := range alts {
			for i, o := range out {
				if k > 0 && (len(next) >= mostVariants || i >= mostVariants/2) {
					break
				}
				if !slices.Contains(next, o+a) {
					next = append(next, o+a)
				}
			}
		}
		out = next
	}
	return out
}

// kindAround returns the kind that the words around a number give it: the nearest before it, else
// the nearest after it.
func (l *language) kindAround(words []english.Word, start, end int) string {
	kind := func(w string) string {
		switch {
		case l.Model[w]:
			return KindModel
		case l.Part[w]:
			return KindPart
		}
		return ""
	}
	const reach = 6
	for i, word := range slices.Backward(words) {
		if word.End <= start {
			for k := i; k >= 0 && k > i-reach; k-- {
				if found := kind(words[k].Text); found != "" {
					return found
				}
			}
			break
		}
	}
	for i, w := range words {
		if w.Start >= end {
			for k := i; k < len(words) && k < i+reach; k++ {
				if found := kind(words[k].Text); found != "" {
					return found
				}
			}
			break
		}
	}
	return ""
}

// alnum returns the letters A to Z and digits of s, in upper case.
func alnum(s string) string {
	return strings.Map(func(r rune) rune {
		r = unicode.ToUpper(r)
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// Plain returns a number in the form in which numbers are compared: letters and digits, in upper
// case.
func Plain(number string) string { return alnum(number) }

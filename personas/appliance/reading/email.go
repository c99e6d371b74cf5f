package reading

import (
	"net/mail"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// Email is an e-mail address. Spoken is set if it was put together from words.
type Email struct {
	Address    string
	Spoken     bool
	Start, End int // in the message
}

var written = regexp.MustCompile(`[A-Za-z0-9](?:[A-Za-z0-9._%+'\-]*[A-Za-z0-9_%+\-])?\s?@\s?[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?)+`)

// Valid reports whether mail can be sent to an address.
func Valid(address string) bool {
	a, err := mail.ParseAddress(address)
	if err != nil || a.Address != address || len(address) > 254 || strings.ContainsAny(address, " \"\r\n") {
		return false
	}
	_, domain, _ := strings.Cut(address, "@")
	return strings.Contains(domain, ".") && !strings.HasSuffix(domain, ".")
}

// sign is a word of an address, or a mark between two words.
type sign struct {
	text       string
	start, end int
}

var signs = regexp.MustCompile(`[\p{L}\p{N}']+|[._+@\-]|[,;:!?()]`)

// email reads the last address of a message, because that is the one that counts after "no".
func (l *language) email(text string) Email {
	if all := written.FindAllStringIndex(text, -1); len(all) > 0 {
		at := all[len(all)-1]
		address := strings.ToLower(strings.Join(strings.Fields(text[at[0]:at[1]]), ""))
		if strings.ContainsAny(text[at[0]:at[1]], " \t\n") || !Valid(address) {
			if e := l.spoken(text); e.Address != "" {
				return e
			}
		}
		if Valid(address) {
			return Email{Address: address, Start: at[0], End: at[1]}
		}
	}
	return l.spoken(text)
}

// spoken reads an address in words: "margaret dot ames at example dot com".
func (l *language) spoken(text string) Email {
	s := l.signs(text)
	for i := len(s) - 1; i > 0; i-- {
		if !l.Address.At[s[i].text] {
			continue
		}
		domain, end := l.domain(s, i+1)
		if domain == "" {
			continue
		}
		local, start := l.local(s, i)
		if address := local + "@" + domain; local != "" && Valid(address) {
			return Email{Address: address, Spoken: true, Start: s[start].start, End: s[end-1].end}
		}
	}
	return Email{}
}

// signs returns the words and marks of a message, without asides such as "all lower case".
func (l *language) signs(text string) []sign {
	lower := english.Unmarked(english.Lower(text))
	if len(lower) != len(text) { // offsets would differ
		lower = strings.ToLower(lower)
	}
	for said, at := range l.Address.Said { // a mark whose name has several words
		if len(at) <= len(said) {
			lower = strings.ReplaceAll(lower, said, at+strings.Repeat(" ", len(said)-len(at)))
		}
	}
	for _, aside := range l.Address.Aside {
		lower = strings.ReplaceAll(lower, aside, strings.Repeat(" ", len(aside)))
	}
	var out []sign
	for _, at := range signs.FindAllStringIndex(lower, -1) {
		from, to := at[0], at[1]
		word := lower[from:to]
		tight := from > 0 && to < len(lower) && wordByte(lower[from-1]) && wordByte(lower[to])
		switch word {
		case "@":
			word = slices.Sorted(keys(l.Address.At))[0]
		case ".":
			if !tight {
				word = ";"
			} else {
				word = slices.Sorted(keys(l.Address.Dot))[0]
			}
		case "-", "+", "_":
			if !tight && word != "_" || word == "-" && (from < 2 || !wordByte(lower[from-2]) || to+1 >= len(lower) || !wordByte(lower[to+1])) {
				continue // between spelled letters
			}
			for name, mark := range l.Address.Marks {
				if mark == word {
					word = name
					break
				}
			}
		case "?", "!", ":":
			word = ";"
		case "(", ")":
			word = ","
		}
		out = append(out, sign{word, from, to})
	}
	return out
}

func keys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func wordByte(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '_' }

const mostLabels = 5

// domain reads the part after the "at", and returns the index after its last label.
func (l *language) domain(s []sign, from int) (domain string, end int) {
	var labels []string
	i := from
	for i < len(s) && s[i].text == "," {
		i++
	}
	for range mostLabels {
		label, to := l.label(s, i, len(labels) > 0)
		if label == "" {
			break
		}
		labels, i = append(labels, label), to
		if i >= len(s) || !l.Address.Dot[s[i].text] {
			break
		}
		i++
	}
	if len(labels) < 2 || len(labels[len(labels)-1]) < 2 {
		return "", 0
	}
	return strings.Join(labels, "."), i
}

// label reads the words up to the next dot. The last label, which no dot follows, is one word or
// several spelled letters.
func (l *language) label(s []sign, from int, last bool) (label string, end int) {
	dot := from
	for dot < len(s) && dot < from+12 && !l.Address.Dot[s[dot].text] && s[dot].text != ";" && s[dot].text != "," && !l.Address.At[s[dot].text] {
		dot++
	}
	if dot < len(s) && l.Address.Dot[s[dot].text] && dot > from && (!last || dot-from < 4) {
		return l.join(s[from:dot]), dot
	}
	if !last || from >= len(s) {
		return "", from
	}
	end = from + 1
	if len(s[from].text) == 1 {
		for end < len(s) && len(s[end].text) == 1 && end-from < 4 {
			end++
		}
	}
	return l.join(s[from:end]), end
}

// mostSigns is how many words of an address are read before its "at".
const mostSigns = 48

// local reads the part before the "at", and returns where it begins. It skips what is between
// commas: "dennis, that's with two n's, at". Letters spelled there replace the words that they
// spell.
func (l *language) local(s []sign, at int) (local string, start int) {
	var spelled string
	end := at
	for {
		for end > 0 && s[end-1].text == "," {
			end--
		}
		start = end
		for start > 0 && end-start < mostSigns {
			w := s[start-1].text
			if w == ";" || w == "," && !l.within(s, start-1) || l.Address.At[w] || l.Address.Stop[w] && !l.spelledAround(s, start-1) {
				break
			}
			start--
		}
		local = l.join(s[start:end])
		again := start > 0 && l.Address.Again[s[start-1].text]
		comma := start - 1
		for comma >= 0 && s[comma].text != "," && s[comma].text != ";" {
			comma--
		}
		aside := start > 0 && s[start-1].text != "," && comma > 0 && s[comma].text == "," && !l.Address.At[s[start-1].text] && !l.leads(s[comma+1:start])
		switch {
		case start == end && comma > 0 && l.leads(s[comma+1:end]): // "..., then at"
			end = comma
			continue
		case again && l.isSpelled(s[start:end]) && spelled == "" && comma > 0:
			spelled, end = local, comma
			continue
		case again && comma > 0, aside && spelled == "" && !l.marked(s[start:end]):
			end = comma
			continue
		}
		break
	}
	if spelled == "" {
		return local, start
	}
	return l.corrected(s[start:end], spelled), start
}

// leads reports whether words introduce an address: "it is", "my address is".
func (l *language) leads(s []sign) bool {
	for _, w := range s {
		if !l.Address.Stop[w.text] {
			return false
		}
	}
	return true
}

// within reports whether a comma stands among spelled letters.
func (l *language) within(s []sign, i int) bool {
	single := func(k int) bool {
		return k >= 0 && k < len(s) && (len(s[k].text) == 1 || l.Address.Dot[s[k].text] || l.Address.Marks[s[k].text] != "" || l.Double[s[k].text] > 0)
	}
	return single(i-1) || single(i+1)
}

// marked reports whether words hold a mark of an address.
func (l *language) marked(s []sign) bool {
	return slices.ContainsFunc(s, func(w sign) bool { return l.Address.Dot[w.text] || l.Address.Marks[w.text] != "" })
}

// isSpelled reports whether words are spelled letters.
func (l *language) isSpelled(s []sign) bool {
	return len(s) > 1 && !slices.ContainsFunc(s, func(w sign) bool {
		return len(w.text) > 1 && w.text != "," && l.Double[w.text] == 0 && l.letters[w.text] == ""
	})
}

// farFromSpelled is how much of a word may differ from its spelling.
const farFromSpelled = 0.5

// corrected replaces the last words that sound like what was spelled.
func (l *language) corrected(s []sign, spelled string) string {
	best, keep := farFromSpelled*float64(len(spelled)), -1
	for k := len(s) - 1; k >= 0 && k >= len(s)-3; k-- {
		if d := Distance(strings.ToUpper(l.join(s[k:])), strings.ToUpper(spelled)); d <= best {
			best, keep = d, k
		}
	}
	if keep < 0 {
		return spelled
	}
	return l.join(s[:keep]) + spelled
}

// spelledAround reports whether a word is a letter, because its neighbours are single letters.
func (l *language) spelledAround(s []sign, i int) bool {
	single := func(k int) bool { return k >= 0 && k < len(s) && len(s[k].text) == 1 }
	if len(s[i].text) == 1 {
		return single(i-1) || single(i+1)
	}
	return l.letters[s[i].text] != "" && single(i-1) && single(i+1)
}

// join joins the words of an address.
func (l *language) join(s []sign) string {
	var b strings.Builder
	at := func(i int) string {
		if i < len(s) {
			return s[i].text
		}
		return ""
	}
	for i := 0; i < len(s); {
		w := s[i].text
		switch mark := l.Address.Marks[w]; {
		case mark != "":
			b.WriteString(mark)
			i++
			continue
		case w == ",":
			i++
			continue
		case l.Address.Dot[w]:
			b.WriteString(".")
			i++
			continue
		}
		if times := l.Double[w]; times > 0 && i+1 < len(s) {
			letter := l.DoubleLetter[at(i+1)]
			if letter == "" || len(at(i+1)) == 1 && !l.spelledNear(s, i, i+1) {
				letter = strings.Repeat(l.char(at(i+1)), times)
			}
			if letter != "" {
				b.WriteString(strings.ToLower(letter))
				i += 2
				continue
			}
		}
		if len(w) == 1 && at(i+1) != "" { // "m as in mike"
			words := make([]english.Word, 0, 4)
			for k := i; k < len(s) && k < i+4; k++ {
				words = append(words, english.Word{Text: s[k].text, Start: s[k].start, End: s[k].end})
			}
			if p, n, ok := l.letterAt(func(k int) string { return at(i + k) }, words, 0); ok && n > 1 {
				b.WriteString(strings.ToLower(p.alts[0]))
				i += n
				continue
			}
		}
		if alts, n := l.numeral(at, i); n > 0 && (!l.Weak[w] || n != 1 || l.spelledNear(s, i, i)) {
			b.WriteString(alts[0])
			i += n
			continue
		}
		if letter := l.letters[w]; letter != "" && l.spelledAround(s, i) {
			w = strings.ToLower(letter)
		} else if l.Spelling[w] && (i > 0 && l.Spelling[at(i-1)] || l.Spelling[at(i+1)]) {
			w = w[:1]
		}
		b.WriteString(strings.ReplaceAll(w, "'", ""))
		i++
	}
	return b.String()
}

// spelledNear reports whether a single letter or a digit is next to some words.
func (l *language) spelledNear(s []sign, from, to int) bool {
	near := func(k int) bool {
		if k < 0 || k >= len(s) {
			return false
		}
		v, ok := l.Numbers[s[k].text]
		return len(s[k].text) == 1 || ok && v < 100 && !l.Weak[s[k].text]
	}
	return near(from-1) || near(to+1)
}

// char returns the letter or digit that one word stands for, or "".
func (l *language) char(w string) string {
	if v, ok := l.Numbers[w]; ok && v < 10 {
		return strconv.Itoa(v)
	}
	return l.letters[w]
}

// Package phrases finds phrases in what people say: patterns of words, listed one a line in a
// language's file. The package itself is independent of languages.
package phrases

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// Language holds what parsing and matching depend on.
type Language struct {
	Sets   map[string]string `yaml:"sets"`
	Same   map[string]string `yaml:"same"`   // other spellings of words
	You    Words             `yaml:"you"`    // words for the listener, which no gap skips
	Joints Words             `yaml:"joints"` // words that begin a clause
}

// Words is a set of words.
type Words map[string]bool

// UnmarshalYAML reads words separated by white space.
func (w *Words) UnmarshalYAML(decode func(any) error) error {
	var text string
	err := decode(&text)
	*w = english.Set(text)
	return err
}

// Token is one word of what was said, in its plain form.
type Token struct {
	Word       string
	Start, End int // in the text that was scanned
	clause     int
	sentence   int
	// first means that a clause begins here, or that the previous word only joins the clause on.
	first bool
}

// Tokens returns the words with their clauses and sentences.
func (l *Language) Tokens(words []english.Word) []Token {
	out := make([]Token, 0, len(words))
	clause, sentence, first := 0, 0, true
	for _, w := range words {
		switch {
		case len(out) == 0, w.Break == english.Space, w.Break == english.Pause && first:
		case w.Break == english.Stop:
			sentence++
			fallthrough
		default:
			clause, first = clause+1, true
		}
		word, same := l.Same[w.Text] // some words differ only in their marks
		if !same {
			word = english.Unmarked(w.Text)
		}
		if n := len(out); n > 0 && !first {
			if both, ok := l.Same[out[n-1].Word+" "+word]; ok {
				out[n-1].Word, out[n-1].End = both, w.End
				continue
			}
		}
		word = cmp.Or(l.Same[word], word)
		joint := l.Joints[word]
		if joint && !first {
			clause++
		}
		out = append(out, Token{Word: word, Start: w.Start, End: w.End, clause: clause, sentence: sentence, first: first || joint})
		first = joint
	}
	return out
}

// maxGap is how many words ".." may skip.
const maxGap = 4

// element is a part of a phrase.
type element struct {
	// sign is 0 for words, '.' for a gap, '_' for any word, '^' and '$' for the start and the end
	// of a clause.
	sign     byte
	words    []string
	many     map[string]bool // the words, if there are too many for a linear search
	stems    []string        // beginnings of words
	optional bool
}

func (e *element) is(word string) bool {
	if e.holds(word) {
		return true
	}
	bare, short := strings.CutSuffix(word, "'s") // "the kettle's smoking"
	return short && e.holds(bare)
}

func (e *element) holds(word string) bool {
	if e.many != nil && e.many[word] || e.many == nil && slices.Contains(e.words, word) {
		return true
	}
	return slices.ContainsFunc(e.stems, func(s string) bool { return strings.HasPrefix(word, s) })
}

// phrase is a pattern of words. In its text "a|b" matches either word, "{name}" one of a set,
// "word*" the beginning of a word, "x?" is optional, "_" matches any word and ".." up to four of
// them, neither of which may be one for the listener; "^" and "$" match the bounds of a clause.
// Commas do not separate neighbouring words; only gaps end at them.
type phrase []element

func (l *Language) phrase(text string) (phrase, error) {
	var p phrase
	for field := range strings.FieldsSeq(text) {
		var e element
		switch field {
		case "..":
			e.sign = '.'
		case "_", "^", "$":
			e.sign = field[0]
		default:
			field, e.optional = strings.CutSuffix(field, "?")
			for word := range strings.SplitSeq(field, "|") {
				switch {
				case strings.HasPrefix(word, "{"):
					set, ok := l.Sets[strings.Trim(word, "{}")]
					if !ok {
						return nil, fmt.Errorf("phrase %q: no set %s", text, word)
					}
					e.words = append(e.words, strings.Fields(set)...)
				case strings.HasSuffix(word, "*"):
					e.stems = append(e.stems, strings.TrimSuffix(word, "*"))
				default:
					e.words = append(e.words, word)
				}
			}
		}
		if len(e.words) > 6 {
			e.many = english.Set(strings.Join(e.words, " "))
		}
		p = append(p, e)
	}
	return p, nil
}

// begun returns the end of a match of p that begins at i, or -1. If listed is set, the word at i is
// one of those by which p was found, see [phrase.firsts].
func (l *Language) begun(p phrase, toks []Token, i int, listed bool) int {
	if listed && p[0].sign == 0 && !p[0].optional {
		return l.at(p[1:], toks, i+1, i)
	}
	return l.at(p, toks, i, i)
}

// at returns the end of a match of p that begins at i, or -1.
func (l *Language) at(p phrase, toks []Token, i, from int) int {
	if len(p) == 0 {
		return i
	}
	e := &p[0]
	more := i < len(toks) && toks[i].sentence == toks[from].sentence
	switch e.sign {
	case '^':
		if i < len(toks) && toks[i].first {
			return l.at(p[1:], toks, i, from)
		}
		return -1
	case '$':
		if !more || toks[i].first {
			return l.at(p[1:], toks, i, from)
		}
		return -1
	case '_':
		if more && !l.You[toks[i].Word] {
			return l.at(p[1:], toks, i+1, from)
		}
		return -1
	case '.':
		for k := i; ; k++ {
			if end := l.at(p[1:], toks, k, from); end >= 0 {
				return end
			}
			if k == len(toks) || k-i == maxGap || l.You[toks[k].Word] || k+1 < len(toks) && toks[k+1].clause != toks[from].clause {
				return -1
			}
		}
	}
	if more && e.is(toks[i].Word) {
		if end := l.at(p[1:], toks, i+1, from); end >= 0 {
			return end
		}
	}
	if e.optional {
		return l.at(p[1:], toks, i, from)
	}
	return -1
}

// Table is a list of phrases. A file lists them one a line; [Language.Compile] must compile them
// before use.
type Table struct {
	lines string
	by    map[string][]phrase
	rest  []phrase // phrases that may begin with any word or the beginning of one
}

// UnmarshalYAML only stores the lines, since sets may come after them.
func (t *Table) UnmarshalYAML(decode func(any) error) error { return decode(&t.lines) }

// Join returns a table with the phrases of several, not yet compiled.
func Join(tables ...Table) (all Table) {
	for _, t := range tables {
		all.lines += t.lines + "\n"
	}
	return all
}

// Empty reports whether a table has no phrases.
func (t *Table) Empty() bool { return strings.TrimSpace(t.lines) == "" }

// Compile compiles tables. Its error names the first invalid phrase of each.
func (l *Language) Compile(tables ...*Table) error {
	var errs []error
	for _, t := range tables {
		errs = append(errs, l.compile(t))
	}
	return errors.Join(errs...)
}

func (l *Language) compile(t *Table) error {
	t.by = make(map[string][]phrase)
	for line := range strings.Lines(t.lines) {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		p, err := l.phrase(line)
		if err != nil {
			return err
		}
		t.add(p)
	}
	return nil
}

func (t *Table) add(p phrase) {
	words, open := p.firsts()
	if open {
		t.rest = append(t.rest, p)
		return
	}
	for _, w := range words {
		t.by[w] = append(t.by[w], p)
	}
}

// firsts returns the words that a match of p may begin with; open reports that it may begin with
// any word.
func (p phrase) firsts() (words []string, open bool) {
	for _, e := range p {
		if e.sign == '^' {
			continue
		}
		if e.sign != 0 || len(e.stems) > 0 {
			return nil, true
		}
		words = append(words, e.words...)
		if !e.optional {
			return words, false
		}
	}
	return words, false
}

// Index is several tables that are searched at once.
type Index struct {
	by   map[string][]*entry
	rest []*entry
}

type entry struct {
	phrase phrase
	label  string
}

// Match is a match of a phrase in an [Index], with the label of its table.
type Match struct {
	Label    string
	From, To int
}

// Index returns an index of the tables by their labels, or an error that names a phrase that is not
// valid.
func (l *Language) Index(tables map[string]Table) (*Index, error) {
	x := &Index{by: make(map[string][]*entry)}
	for _, label := range slices.Sorted(maps.Keys(tables)) {
		for line := range strings.Lines(tables[label].lines) {
			line, _, _ = strings.Cut(line, "#")
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			p, err := l.phrase(line)
			if err != nil {
				return nil, err
			}
			e := &entry{phrase: p, label: label}
			words, open := p.firsts()
			if open {
				x.rest = append(x.rest, e)
				continue
			}
			for _, w := range words {
				x.by[w] = append(x.by[w], e)
			}
		}
	}
	return x, nil
}

// All returns the matches of x in toks, ordered by where they begin.
func (l *Language) All(x *Index, toks []Token) (out []Match) {
	for i := range toks {
		bare, short := strings.CutSuffix(toks[i].Word, "'s")
		lists := [...][]*entry{x.by[toks[i].Word], x.rest, nil}
		if short {
			lists[2] = x.by[bare]
		}
		for n, list := range lists {
			for _, e := range list {
				if end := l.begun(e.phrase, toks, i, n != 1); end > i {
					out = append(out, Match{Label: e.label, From: i, To: end})
				}
			}
		}
	}
	return out
}

// Next returns the first match that begins at or after i, or -1.
func (l *Language) Next(t *Table, toks []Token, i int) (from, to int) {
	for ; i < len(toks); i++ {
		for n, list := range [...][]phrase{t.by[toks[i].Word], t.rest} {
			for _, p := range list {
				if end := l.begun(p, toks, i, n == 0); end > i {
					return i, end
				}
			}
		}
	}
	return -1, -1
}

// LongestAt returns the end of the longest match that begins at i, or -1.
func (l *Language) LongestAt(t *Table, toks []Token, i int) int {
	longest := -1
	for n, list := range [...][]phrase{t.by[toks[i].Word], t.rest} {
		for _, p := range list {
			if end := l.begun(p, toks, i, n == 0); end > i {
				longest = max(longest, end)
			}
		}
	}
	return longest
}

// Holds reports whether toks contain a phrase of t.
func (l *Language) Holds(t *Table, toks []Token) bool {
	from, _ := l.Next(t, toks, 0)
	return from >= 0
}

// Within returns the tokens from i to j, extended in both directions while same returns true for
// neighbours.
func Within(toks []Token, i, j int, same func(a, b Token) bool) []Token {
	for i > 0 && same(toks[i-1], toks[i]) {
		i--
	}
	for j < len(toks) && same(toks[j], toks[j-1]) {
		j++
	}
	return toks[i:j]
}

// SameClause reports whether two tokens belong to one clause.
func SameClause(a, b Token) bool { return a.clause == b.clause }

// SameSentence reports whether two tokens belong to one sentence.
func SameSentence(a, b Token) bool { return a.sentence == b.sentence }

// Clause returns the number of the clause that the token belongs to.
func (t Token) Clause() int { return t.clause }

// Sentence returns the number of the sentence that the token belongs to.
func (t Token) Sentence() int { return t.sentence }

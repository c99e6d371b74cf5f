package reader

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// grammar finds phrases that are composed rather than fixed, such as "could we leave the walking
// one for now". Its rules are patterns of words and of named classes: one rule covers all the ways
// of asking, of naming the question and of being polite.
//
// An item of a pattern is a word, or several words separated by bars; <name>, any phrase of that
// class; a point, any one word without a pause before it; ^, the beginning of a clause; $, the end
// of one; ~topic, a word for the question; ~is, "is" or a word that ends in it; ~told, a place
// after a word of telling; &, no pause here; !<name> or !word, none of these here. A question mark
// after an item makes it optional; an asterisk makes it optional and repeatable. Fillers and
// politeness may stand between any two items.
type grammar struct {
	rules   slot // rules with the same first item share it
	classes map[string]*slot
}

// slot is a set of phrases that can stand in the same place.
type slot struct {
	words wordSet              // phrases that are one plain word
	byKey map[string][]pattern // longer ones, by the words they can begin with
	other []pattern            // longer ones that can begin with any word
}

type pattern []item

type item struct {
	words     wordSet
	class     *slot
	test      func(r asked, i int) bool // takes no word
	one       func(r asked, i int) bool // takes one word
	any       bool                      // takes any one word
	not       bool
	left, rep bool // may be left out; may be repeated
}

// wordSet is a set of words.
type wordSet map[string]bool

func wordsOf(s string) wordSet {
	out := wordSet{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// ends is a set of places where a phrase can end. Bit n stands for n words after its beginning.
type ends uint64

// newGrammar parses a grammar from its classes, which may name earlier ones, and its rules. Each
// line of classes is "name: phrase, phrase"; each line of rules is "phrase, phrase".
func newGrammar(classes, rules string) (*grammar, error) {
	g := &grammar{classes: map[string]*slot{}}
	for line := range strings.Lines(classes) {
		if name, phrases, ok := strings.Cut(line, ":"); ok {
			c := &slot{}
			for s := range strings.SplitSeq(phrases, ",") {
				p, err := g.pattern(s)
				if err != nil {
					return nil, fmt.Errorf("class %s: %w", name, err)
				}
				c.add(p)
			}
			g.classes[name] = c
		}
	}
	tails := map[string]*slot{}
	for s := range strings.FieldsFuncSeq(rules, func(c rune) bool { return c == ',' || c == '\n' }) {
		p, err := g.pattern(s)
		if err != nil {
			return nil, err
		}
		head, tail, ok := strings.Cut(strings.TrimSpace(s), " ")
		if !ok || head[0] != '<' || strings.HasSuffix(tail, "*") {
			g.rules.add(p)
			continue
		}
		if tails[head] == nil {
			tails[head] = &slot{}
			g.rules.add(pattern{p[0], {class: tails[head]}})
		}
		tails[head].add(p[1:])
	}
	return g, nil
}

// add adds a phrase to the class, indexed by the words that it can begin with.
func (c *slot) add(p pattern) {
	if len(p) == 0 {
		return
	}
	first, anything := p.first()
	switch {
	case anything:
		c.other = append(c.other, p)
	case len(p) == 1 && p[0].words != nil && !p[0].left && !p[0].not:
		if c.words == nil {
			c.words = wordSet{}
		}
		maps.Copy(c.words, first)
	default:
		if c.byKey == nil {
			c.byKey = map[string][]pattern{}
		}
		for w := range first {
			c.byKey[w] = append(c.byKey[w], p)
		}
	}
}

// first returns the words that the pattern can begin with, or true if it can begin with any word.
func (p pattern) first() (words wordSet, anything bool) {
	words = wordSet{}
	for _, it := range p {
		if it.not || it.test != nil {
			continue
		}
		if it.any || it.one != nil || it.class != nil && len(it.class.other) > 0 {
			return nil, true
		}
		maps.Copy(words, it.words)
		if it.class != nil {
			maps.Copy(words, it.class.words)
			for w := range it.class.byKey {
				words[w] = true
			}
		}
		if !it.left {
			return words, false
		}
	}
	return nil, true
}

// pattern parses one pattern.
func (g *grammar) pattern(s string) (pattern, error) {
	var p pattern
	for f := range strings.FieldsSeq(s) {
		var it item
		f, it.left = strings.CutSuffix(f, "?")
		if !it.left {
			if f, it.rep = strings.CutSuffix(f, "*"); it.rep {
				it.left = true
			}
		}
		f, it.not = strings.CutPrefix(f, "!")
		switch {
		case f == "^":
			it.test = func(r asked, i int) bool { return r.startsClause(i) }
		case f == "$":
			it.test = func(r asked, i int) bool { return r.endsClause(i) }
		case f == "&":
			it.test = func(r asked, i int) bool { return r.before(i) == run }
		case f == "~told":
			it.test = func(r asked, i int) bool { return r.any(0, i, cue.Telling) }
		case f == "~topic":
			it.one = func(r asked, i int) bool { return r.ofTopic(i) }
		case f == "~is":
			it.one = func(r asked, i int) bool { return r.in(i, cue.Is) || r.lx.ends(r.at(i), cue.Being) }
		case f == ".":
			it.any = true
		case strings.HasPrefix(f, "<"):
			c := g.classes[strings.Trim(f, "<>")]
			if c == nil {
				return nil, fmt.Errorf("no class %s in %q", f, s)
			}
			it.class = c
		default:
			it.words = wordsOf(strings.ReplaceAll(f, "|", " "))
		}
		p = append(p, it)
	}
	return p, nil
}

// at returns the length in words of the longest phrase of any rule that begins at token i, or 0.
func (g *grammar) at(r asked, i int) int {
	if g == nil {
		return 0
	}
	return max(0, bits.Len64(uint64(g.rules.ends(r, i, i, 0)))-1)
}

// ends returns the places where the pattern can end, in a phrase that began at token base, if it
// begins at one of the places in from. The grammar is applied at token start.
func (p pattern) ends(r asked, base, start int, from ends) ends {
	for _, it := range p {
		var to ends
		if it.left {
			to = from
		}
		for todo, seen := from, from; todo != 0; {
			n := bits.TrailingZeros64(uint64(todo))
			todo &^= 1 << n
			step := it.ends(r, base, start, n)
			to |= step
			if it.rep {
				todo |= step &^ seen
				seen |= step
			}
		}
		if from = to; from == 0 {
			return 0
		}
	}
	return from
}

// ends returns the places where the item can end if it begins n words after token base.
func (it *item) ends(r asked, base, start, n int) ends {
	here := ends(1) << n
	if it.test != nil {
		if it.test(r, base+n) != it.not {
			return here
		}
		return 0
	}
	var got ends
	for k := n; k < 63; k++ {
		at := base + k
		if at >= len(r.toks) || at > start && r.toks[at].pause == hard {
			break
		}
		got |= it.taken(r, base, at, k)
		if at == start || !r.toks[at].aside || r.in(at, cue.Joiners) {
			break
		}
	}
	if it.not {
		if got != 0 {
			return 0
		}
		return here
	}
	return got
}

// taken returns the places where the item can end if its first word is token at, k words after
// token base.
func (it *item) taken(r asked, base, at, k int) ends {
	var got ends
	switch {
	case it.words != nil:
		if it.words[r.at(at)] {
			got = 2 << k
		}
	case it.any:
		if k == 0 || r.before(at) == run {
			got = 2 << k
		}
	case it.one != nil:
		if it.one(r, at) {
			got = 2 << k
		}
	default:
		got = it.class.ends(r, base, at, k)
	}
	return got
}

// ends returns the places where a phrase of the class can end if it begins at token at, k words
// after token base.
func (c *slot) ends(r asked, base, at, k int) ends {
	word := r.at(at)
	var got ends
	if c.words[word] {
		got = 2 << k
	}
	for _, p := range c.byKey[word] {
		got |= p.ends(r, base, at, 1<<k)
	}
	for _, p := range c.other {
		got |= p.ends(r, base, at, 1<<k)
	}
	return got
}

// startsClause reports whether a clause begins at token i, ignoring fillers. After "and", a clause
// begins only if it has a subject of its own or nothing was said before: "I read and skip lunch"
// has no second subject.
func (r *text) startsClause(i int) bool {
	subject := r.in(i, cue.Selves) || r.in(i, cue.ItsThats)
	for i > 0 && r.follows(i) {
		i--
		and := r.in(i, cue.And)
		if r.in(i, cue.Joiners) && (!and || subject) {
			return true
		}
		if r.toks[i].aside && !and {
			continue
		}
		if n, _ := r.match(i, cue.Particles); n != 1 && (!and || !r.onlyAside(i)) {
			return false
		}
	}
	return true
}

// onlyAside reports whether there are only fillers before token j.
func (r *text) onlyAside(j int) bool {
	return !slices.ContainsFunc(r.toks[:j], func(t token) bool { return !t.aside })
}

// endsClause reports whether a clause ends before token i, ignoring fillers.
func (r *text) endsClause(i int) bool {
	for r.follows(i) && r.toks[i].aside && !r.in(i, cue.Joiners) {
		i++
	}
	return !r.follows(i) || r.in(i, cue.Joiners)
}

// ofTopic reports whether token i is a word for what the question asks about.
func (r asked) ofTopic(i int) bool {
	w := subject(r.at(i))
	return r.q.Kind == Time && r.lx.is(w, cue.Times) || r.about(i, i+1) ||
		slices.ContainsFunc(r.q.Topic, func(t string) bool { return r.names(t, i) || len(t) > 2 && strings.HasPrefix(w, t) })
}

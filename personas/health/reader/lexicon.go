package reader

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/naiber/naiber/internal/english"
)

// Lexicon holds the cues of one language, from the files of its folder in cues. It is immutable.
type Lexicon struct {
	words               map[string]*word
	decline, skip, exit *grammar
	endings             map[class][]string
	units               map[string]unit
	alike               map[string]string // things counted that mean the same
	groups              []group           // synonyms of choices
	keyed               map[string][]int  // the indexes in groups of those that have a key
	grades              grades            // words for good and bad, for scales
	themes              []theme
	comma               bool // the decimal mark is a comma
	inflected           bool // a verb form implies its subject: "me caí"
	// accented holds the words that mean something else without their accents. All other words lose
	// their accents, in the cues and in replies. If nil, all keep them.
	accented map[string]bool
}

// class is a class of words, or of phrases that may each have a value. The classes that the rules
// in Go use are fields of cue; a language may have more, for its themes.
type class uint16

// word is a word that belongs to a class or begins a phrase.
type word struct {
	classes [8]uint64 // one bit each
	node
}

// node is a place in the tree of all phrases.
type node struct {
	next map[string]*node
	ends []phrase
}

// phrase is a phrase of a class that ends at a node.
type phrase struct {
	class  class
	value  string
	number float64 // the value, if it is a number
}

// span is a phrase that occurs in a reply.
type span struct {
	phrase
	n int // words
}

// unit is a unit of measurement; factor is its size in the base unit of its dimension.
type unit struct {
	dim    string
	factor float64
	// code is the unit as it is recorded. If empty, the unit is only understood in questions that
	// have a unit.
	code string
}

// group is a set of phrases that mean the same choice: the option that has one of the group's keys
// as its value or among its words.
type group struct {
	topics class // the topics to which the phrases apply; zero for any
	words  class
}

// grades holds words for good and bad, and their places on a scale: the share of the way from its
// lowest value to its highest, depending on its direction.
type grades struct {
	options []Option
	share   map[string]map[Direction]float64 // by the option's value
}

// theme holds what people say about one subject instead of yes and no. The event is what a question
// about the subject usually asks for: medicines taken, a fall, being short of breath.
type theme struct {
	name    string
	topics  class // a question or a clause with one of these belongs to the theme
	did     class // the event happened; the speaker is the subject
	didnt   class
	idioms  class // the same verbs in another meaning
	states  class // whole statements with any subject that say that the event happened
	things  class // what one had if it happened: "I had some toast"
	parts   class // what can be fine or bad: "my breathing's been fine"
	objects bool  // what follows a verb must belong to the theme: "took them", not "took the bus"
	symptom bool  // "a little" is a yes
	task    bool  // "I'm just about to" is a no; "all but one" is a no
	vague   bool  // its statements may be about other things: "both of them"
}

var (
	languages = loadLanguages()
	wordless  = &Lexicon{}
)

// For returns the lexicon for a language tag: English for "" and "en-…". For a language without
// cues it returns one without words, which reads only digits and keys.
func For(locale string) *Lexicon {
	tag, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(locale), "_", "-"), "-")
	if tag == "" {
		tag = "en"
	}
	if lx := languages[tag]; lx != nil {
		return lx
	}
	return wordless
}

// plain returns a word without its accents, unless they distinguish it from another word.
func (lx *Lexicon) plain(w string) string {
	if lx.accented == nil || !strings.ContainsFunc(w, func(c rune) bool { return c > unicode.MaxASCII }) {
		return w
	}
	if w = norm.NFC.String(w); lx.accented[w] {
		return w
	}
	return english.Unmarked(w)
}

// letters matches a word.
var letters = regexp.MustCompile(`[\pL\pM]+`)

// plainText returns a text with [Lexicon.plain] applied to its words.
func (lx *Lexicon) plainText(s string) string {
	if lx.accented == nil {
		return s
	}
	return letters.ReplaceAllStringFunc(s, lx.plain)
}

// asked returns the question with [Lexicon.plain] applied to its words.
func (lx *Lexicon) asked(q Question) Question {
	if lx.accented == nil {
		return q
	}
	plain := func(words []string) []string {
		out := make([]string, len(words))
		for i, w := range words {
			out[i] = lx.plainText(w)
		}
		return out
	}
	q.Topic, q.Yes, q.No, q.Units, q.Unit = plain(q.Topic), plain(q.Yes), plain(q.No), plain(q.Units), lx.plainText(q.Unit)
	q.Options = slices.Clone(q.Options)
	for i := range q.Options {
		q.Options[i].Words = plain(q.Options[i].Words)
	}
	return q
}

// allAsked returns the questions with [Lexicon.plain] applied to their words.
func (lx *Lexicon) allAsked(qs []Question) []Question {
	if lx.accented == nil {
		return qs
	}
	out := make([]Question, len(qs))
	for i := range qs {
		out[i] = lx.asked(qs[i])
	}
	return out
}

// join replaces contractions by their canonical form: "dont" and "do not" both become "don't".
func (lx *Lexicon) join(toks []token) []token {
	out := toks[:0]
	for _, t := range toks {
		if p, ok := lx.node(t.text).as(cue.Contract); ok {
			t.text = p.value
		}
		if len(out) > 0 && t.pause == run {
			last := &out[len(out)-1]
			if p, ok := lx.node(last.text, t.text).as(cue.Joined); ok {
				last.text, last.end, last.asked = p.value, t.end, t.asked
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

// mark sets the classes of the words and the phrases that begin at each. A phrase does not continue
// after the end of a sentence.
func (lx *Lexicon) mark(toks []token) {
	var found []span
	for i := range toks {
		toks[i].word, toks[i].spans = lx.words[toks[i].text], nil
		if toks[i].word == nil {
			continue
		}
		from := len(found)
		for at, k := &toks[i].word.node, i; at != nil; {
			for _, e := range at.ends {
				found = append(found, span{e, k - i + 1})
			}
			if k++; k >= len(toks) || toks[k].pause == hard {
				break
			}
			at = at.next[toks[k].text]
		}
		toks[i].spans = found[from:len(found):len(found)]
	}
}

// node returns the node at which the phrases of these words end, or nil.
func (lx *Lexicon) node(first string, others ...string) *node {
	w := lx.words[first]
	if w == nil {
		return nil
	}
	n := &w.node
	for _, o := range others {
		if n = n.next[o]; n == nil {
			return nil
		}
	}
	return n
}

// as returns the phrase of the class that ends at the node.
func (n *node) as(class class) (phrase, bool) {
	if n != nil {
		for _, p := range n.ends {
			if p.class == class {
				return p, true
			}
		}
	}
	return phrase{}, false
}

// ends reports whether a word has an ending of the class.
func (lx *Lexicon) ends(w string, class class) bool {
	return slices.ContainsFunc(lx.endings[class], func(e string) bool { return strings.HasSuffix(w, e) })
}

// is reports whether a word is one of the class.
func (lx *Lexicon) is(w string, class class) bool { return lx.words[w].in(class) }

// in reports whether the word is one of the class.
func (w *word) in(class class) bool { return w != nil && w.classes[class/64]&(1<<(class%64)) != 0 }

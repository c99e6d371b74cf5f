package reader

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/naiber/naiber/internal/english"
)

// Lexicon holds the cues of one language: what the files of its folder in cues say. It is
// built once and not changed.
type Lexicon struct {
	words               map[string]*word
	decline, skip, exit *grammar
	endings             map[class][]string
	units               map[string]unit
	alike               map[string]string // counted things taken for each other
	groups              []group           // synonyms for choices
	keyed               map[string][]int  // the places of the groups that have a key
	grades              grades            // words for good and bad, for scales
	themes              []theme
	comma               bool // the decimal mark is a comma
	inflected           bool // a verb says by itself who does it: "me caí"
	// accented are the words that mean something else without their accents; of all others
	// the accents are dropped, in the cues as in what is said. Nil: none are dropped.
	accented map[string]bool
}

// class is a class of words, or of phrases that may each stand for something. Those that
// the rules speak of are fields of cue; a language may have more, for its themes.
type class uint16

// word is one that some class holds or some phrase begins with.
type word struct {
	classes [8]uint64 // one bit each
	node
}

// node is a place in the tree of all phrases.
type node struct {
	next map[string]*node
	ends []phrase
}

// phrase is one of a class that ends at a node.
type phrase struct {
	class  class
	value  string
	number float64 // the value, where it is one
}

// span is a phrase that was said.
type span struct {
	phrase
	n int // words
}

// unit is a measure: how many of the base unit of its dimension it holds.
type unit struct {
	dim    string
	factor float64
	// code is how it is recorded. Empty: only where the question has a unit.
	code string
}

// group is a set of phrases that mean the same choice, for whichever option has one of
// its keys in its value or words.
type group struct {
	topics class // the phrases are said of these alone; zero: of anything
	words  class
}

// grades are words for good and bad, and where on a scale they stand: by its direction,
// the share of the way from its lowest value to its highest.
type grades struct {
	options []Option
	share   map[string]map[Direction]float64 // by the option's value
}

// theme holds what people say of one subject instead of yes and no. The event
// is what a question about the subject usually asks for: medicines taken, a
// fall, being short of breath.
type theme struct {
	name    string
	topics  class // a question or a clause with one of these is about it
	did     class // the event happened; the speaker is the subject
	didnt   class
	idioms  class // the same verbs, meaning something else
	states  class // whole statements, whoever the subject is: yes, it happened
	things  class // what one has had when it happened: "I had some toast"
	parts   class // what is fine or bad: "my breathing's been fine"
	objects bool  // what follows a verb has to be the theme's: "took them", not "took the bus"
	symptom bool  // "a little" is a yes
	task    bool  // "I'm just about to" is a no; "all but one" is a no
	vague   bool  // its statements may be about anything: "both of them"
}

var (
	languages = loadLanguages()
	wordless  = &Lexicon{}
)

// For is the lexicon for a language tag: English for "" and "en-…". For a language
// without cues it is one without words, which reads digits and keys alone.
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

// plain is a word without its accents, unless they tell it from another.
func (lx *Lexicon) plain(w string) string {
	if lx.accented == nil || !strings.ContainsFunc(w, func(c rune) bool { return c > unicode.MaxASCII }) {
		return w
	}
	if w = norm.NFC.String(w); lx.accented[w] {
		return w
	}
	return english.Unmarked(w)
}

// letters are the words of a text.
var letters = regexp.MustCompile(`[\pL\pM]+`)

// plainText is a text with its words plain.
func (lx *Lexicon) plainText(s string) string {
	if lx.accented == nil {
		return s
	}
	return letters.ReplaceAllStringFunc(s, lx.plain)
}

// asked is the question with its words as the lexicon writes them.
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

// allAsked are questions with their words as the lexicon writes them.
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

// join writes contractions in one way: "dont" and "do not" both become "don't".
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

// mark finds all that the cues say of the words: their classes, and the phrases that begin
// at each. Phrases do not reach over the end of a sentence.
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

// node is where the phrases of these words end, or nil.
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

// as is the phrase of the class that ends at the node.
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

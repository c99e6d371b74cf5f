package reader

import "strings"

// Lexicon holds the words of one language. It is built once and not changed.
type Lexicon struct {
	contract map[string]string    // "dont" → "don't"
	pairs    map[[2]string]string // "did not" → "didn't"
	joiners  set                  // words that begin a clause
	plain    table[plainness]     // words without an answer of their own
	idioms   table[bool]          // hold a number or an option that is no answer
	hollow   table[bool]          // what a text answer needs more than
	negs     set                  // words that turn a meaning round
	nones    set                  // words that leave nothing of what follows
	softNegs set                  // words that may stand between those and what they turn
	same     table[sameness]
	fix      table[bool] // "no, wait": what came before no longer counts
	others   set         // words for other people
	selves   set         // words for oneself
	silent   set         // what stands in brackets for silence

	numbers numberWords
	clock   clockWords
	yesno   yesnoWords
	refuse  refuseWords
	intents intentWords
	groups  []group // synonyms for choices
	grades  grades  // words for good and bad, for scales
	themes  []theme
}

// plainness tells words that may stand anywhere from those that lead to an answer.
type plainness uint8

const (
	aside  plainness = iota + 1 // fillers, hedges, politeness
	leadIn                      // "it's a", "put it at"
)

// sameness tells "the same as yesterday" from a habit.
type sameness uint8

const (
	sameAsLast sameness = iota + 1
	sameHabit
)

// For is the lexicon for a language tag: English for "" and "en-…", and for
// every other language one without words, which reads digits and keys alone.
func For(locale string) *Lexicon {
	tag, _, _ := strings.Cut(strings.ToLower(locale), "-")
	tag, _, _ = strings.Cut(tag, "_")
	switch tag {
	case "", "en":
		return english
	default:
		return wordless
	}
}

var (
	english  = newEnglish()
	wordless = &Lexicon{}
)

// join writes contractions in one way: "dont" and "do not" both become "don't".
func (lx *Lexicon) join(toks []token) []token {
	out := toks[:0]
	for _, t := range toks {
		if w, ok := lx.contract[t.text]; ok {
			t.text = w
		}
		if len(out) > 0 && t.pause == run {
			last := &out[len(out)-1]
			if w, ok := lx.pairs[[2]string{last.text, t.text}]; ok {
				last.text, last.end, last.asked = w, t.end, t.asked
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

// newEnglish builds the English lexicon from the tables in the en_ files.
func newEnglish() *Lexicon {
	lx := &Lexicon{
		contract: pairsOf(enContract),
		pairs:    map[[2]string]string{},
		joiners:  setOf(enJoiners),
		negs:     setOf(enNegs),
		nones:    setOf(enNones),
		softNegs: setOf(enSoftNegs),
		others:   setOf(enOthers),
		selves:   setOf(enSelves),
		silent:   setOf(enSilent),
		numbers:  enNumbers(),
		clock:    enClock(),
		yesno:    enYesNo(),
		refuse:   enRefuse(),
		intents:  enIntents(),
		groups:   enGroups(),
		grades:   enGrades(),
		themes:   enThemes(),
	}
	for long, short := range pairsOf(enPairs) {
		first, second, _ := strings.Cut(long, "_")
		lx.pairs[[2]string{first, second}] = short
	}
	lx.plain.add(leadIn, enLeadIns).add(aside, enFillers).add(aside, enHedges).add(aside, enPolite)
	lx.hollow.add(true, enFillers).add(true, enPolite).add(true, enTrailing)
	lx.idioms.add(true, enIdioms)
	lx.same.add(sameAsLast, enSame).add(sameHabit, enHabit)
	lx.fix.add(true, enFix)
	return lx
}

// pairsOf reads "key value" pairs, one after the other.
func pairsOf(s string) map[string]string {
	words := strings.Fields(s)
	m := make(map[string]string, len(words)/2)
	for i := 0; i+1 < len(words); i += 2 {
		m[words[i]] = words[i+1]
	}
	return m
}

package reading

import "github.com/naiber/naiber/internal/phrases"

// cue is a way to tell of something: Says, in a message that names what it is about by Of.
type cue struct {
	Kind string        `yaml:"kind"` // of danger
	Of   phrases.Table `yaml:"of"`   // empty: Says is enough
	Says phrases.Table `yaml:"says"`
}

// cued returns the first of cues in toks for which counts accepts the words of Says, or nil.
func (l *language) cued(cues []cue, toks []phrases.Token, counts func(from, to int) bool) *cue {
	for n := range cues {
		c := &cues[n]
		from, to := l.Next(&c.Says, toks, 0)
		if from < 0 || !c.Of.Empty() && !l.Holds(&c.Of, toks) {
			continue
		}
		for ; from >= 0; from, to = l.Next(&c.Says, toks, from+1) {
			if counts(from, to) {
				return c
			}
		}
	}
	return nil
}

// settled returns the end of the last phrase of t that is not unsettled later: what is told before
// it is over.
func (l *language) settled(t *phrases.Table, toks []phrases.Token) (end int) {
	for from, to := l.Next(t, toks, 0); from >= 0; from, to = l.Next(t, toks, from+1) {
		if !l.Holds(&l.Unsettled, toks[to:]) {
			end = to
		}
	}
	return end
}

// How many words before a phrase may deny it, or name the speaker as its subject, and how many
// after it may name its object.
const deniedWithin, subjectWithin, objectWithin = 3, 2, 3

// troubled reports whether toks tell of an appliance in trouble now: the trouble is not denied,
// over, mended since, harmless, or about something else that its clause names.
func (l *language) troubled(toks []phrases.Token) bool {
	settled := l.settled(&l.Settled, toks)
	return l.cued(l.Tells, toks, func(from, to int) bool {
		start := from
		for start > 0 && phrases.SameClause(toks[start-1], toks[start]) {
			start--
		}
		for i := from - 1; i >= start && !l.nouns[toks[i].Word]; i-- {
			if l.Foreign[toks[i].Word] || i >= from-subjectWithin && l.Speaker[toks[i].Word] {
				return false
			}
		}
		for i := to; i < min(len(toks), to+objectWithin) && phrases.SameClause(toks[i], toks[from]) && !l.nouns[toks[i].Word]; i++ {
			if l.Foreign[toks[i].Word] {
				return false
			}
		}
		sentence := phrases.Within(toks, from, to, phrases.SameSentence)
		return from >= settled && !l.Holds(&l.Denied, toks[max(start, from-deniedWithin):from]) &&
			!l.Holds(&l.Harmless, phrases.Within(toks[max(start, from-objectWithin):min(len(toks), to+objectWithin)], from-max(start, from-objectWithin), to-max(start, from-objectWithin), phrases.SameClause)) && (!l.Holds(&l.Bygone, sentence) || l.Holds(&l.Now, sentence))
	}) != nil
}

// Package reading reads by rules what people say or write about an appliance: numbers
// of models and parts, addresses, what is wanted, what the machine does, danger.
//
// What it knows of a language is in words/*.yaml. It reads text and nothing else, and
// may be used concurrently.
package reading

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/phrases"
)

// Reading is what one message says.
type Reading struct {
	Language string // the one that it was read in
	// Goals are wanted, in order of appearance. Change: they take the place of the one that waits.
	Goals  []string
	Change bool
	// Correct: what was understood before is to be replaced.
	Correct bool
	Numbers []Number
	// Stream is all that may belong to a number; nil where that is too little.
	Stream   *Stream
	Email    Email
	Symptoms []string // by their labels
	// Yes and No answer a question; both may be said.
	Yes, No, More               bool
	Leave, Goodbye, Thanks      bool
	Wait                        bool // somebody looks for what was asked for
	Appliance, Trouble, NotOurs bool
	// Tells: an appliance of the person's own is in trouble now.
	Tells bool
	// Ordinal is which of several is meant, from 1; It says that one spoken of before is.
	Ordinal int
	It      bool
	// Words are how many words there are, Known how many the rules account for.
	Words, Known int
}

// Says reports whether a message is about an appliance, or answers a question.
func (r *Reading) Says() bool {
	return len(r.Goals)+len(r.Numbers)+len(r.Symptoms) > 0 || r.Email.Address != "" || r.Appliance || r.Trouble || r.Tells
}

// begins reports whether the message begins to tell of an appliance's trouble, or wants
// something of a part.
func (r *Reading) begins() bool {
	wants := slices.ContainsFunc(r.Goals, func(g string) bool { return g != goalSummary })
	return !r.NotOurs && (r.Tells || wants && (r.Appliance || len(r.Numbers) > 0))
}

// Begins reports whether a message of a talk about other things begins to speak of an
// appliance's trouble, or wants something of a part. It costs little unless the message may.
func Begins(text, tag string) bool {
	words := english.Scan(text)
	digits := strings.ContainsAny(text, "0123456789")
	if !slices.ContainsFunc(Codes, func(code string) bool { return languages[code].mayBegin(words, digits) }) {
		return false
	}
	rd := Read(text, tag)
	return rd.begins()
}

// mayBegin reports whether [Reading.begins] may hold for words in this language: a goal is named
// beside an appliance, what one works on, or a digit; or trouble is told of beside one of the former.
func (l *language) mayBegin(words []english.Word, digits bool) bool {
	toks := l.Tokens(words)
	named := l.Holds(&l.mentions, toks)
	return (named || digits) && l.Holds(&l.wants, toks) || named && l.troubled(toks)
}

// Read reads a message in the language of a BCP 47 tag; where that says nothing, in the
// others, for people fall back to another one.
func Read(text, tag string) Reading {
	own := Code(tag)
	first := languages[own].read(text)
	first.Language = own
	if first.Says() || first.Yes || first.No {
		return first
	}
	for _, code := range ownFirst(own)[1:] {
		if r := languages[code].read(text); r.Says() {
			r.Language = code
			return r
		}
	}
	return first
}

// ownFirst returns all languages, the person's own first.
func ownFirst(own string) []string {
	others := slices.DeleteFunc(slices.Clone(Codes), func(code string) bool { return code == own })
	return append([]string{own}, others...)
}

// Code returns the language of a BCP 47 tag, English where it is not known here.
func Code(tag string) string { return phrases.Code(Codes, tag) }

// Dangers are the kinds of danger.
var Dangers = languages[Codes[0]].kinds

// Danger returns what danger a message tells of and the language that it was told in,
// the person's own first; or nothing.
func Danger(text, tag string) (kind, language string) {
	words := english.Scan(text)
	own := Code(tag)
	for _, code := range ownFirst(own) {
		l := languages[code]
		toks := l.Tokens(words)
		if !l.Holds(&l.alerts, toks) { // as it is nearly always
			continue
		}
		settled := l.settled(&l.DangerOver, toks)
		if c := l.cued(l.DangerOf, toks, func(from, to int) bool {
			return from >= settled && !l.over(toks, from, to) && !l.Holds(&l.NotDanger, phrases.Within(toks, from, to, phrases.SameClause))
		}); c != nil {
			return c.Kind, code
		}
	}
	return "", own
}

// over reports whether what is told was, and is not now.
func (l *language) over(toks []phrases.Token, from, to int) bool {
	sentence := phrases.Within(toks, from, to, phrases.SameSentence)
	return l.Holds(&l.Past, sentence) && !l.Holds(&l.Now, sentence)
}

// mostWait is how many words somebody says who only looks for something.
const mostWait = 12

func (l *language) read(text string) (r Reading) {
	words := english.Scan(text)
	toks := l.Tokens(words)
	known := make([]bool, len(toks))
	r.Words = len(toks)
	r.Email = l.email(text)
	r.Numbers, r.Stream = l.numbers(text, words, r.Email)
	has := func(t *phrases.Table) bool { return l.mark(t, toks, known) }
	l.goals(&r, toks, known)
	l.symptoms(&r, toks, known)
	r.Trouble = l.told(&l.Trouble, toks, known)
	for i, t := range toks {
		if l.nouns[t.Word] {
			r.Appliance, known[i] = true, true
		}
		r.It = r.It || l.It[t.Word]
	}
	r.NotOurs = l.Holds(&l.NotTrouble, toks)
	r.Tells = l.troubled(toks)
	r.Change, r.Correct = has(&l.Change), has(&l.Correct)
	r.Yes, r.No, r.More = has(&l.Yes), has(&l.No), has(&l.More)
	r.Leave, r.Goodbye, r.Thanks, r.Wait = has(&l.Leave), has(&l.Goodbye), has(&l.Thanks), has(&l.Wait)
	r.Yes = r.Yes && !r.No
	r.Wait = r.Wait && r.Words <= mostWait
	for i := range l.Ordinals {
		if l.Holds(&l.Ordinals[i], toks) {
			r.Ordinal = i + 1
		}
	}
	for i, t := range toks {
		within := func(from, to int) bool { return t.Start >= from && t.End <= to }
		if within(r.Email.Start, r.Email.End) || slices.ContainsFunc(r.Numbers, func(n Number) bool { return within(n.Start, n.End) }) {
			known[i] = true
		}
	}
	for _, k := range known {
		if k {
			r.Known++
		}
	}
	return r
}

// mark reports whether toks hold a phrase of t, and marks all that do as known.
func (l *language) mark(t *phrases.Table, toks []phrases.Token, known []bool) (found bool) {
	for from, to := l.Next(t, toks, 0); from >= 0; from, to = l.Next(t, toks, from+1) {
		found = true
		for i := from; i < to; i++ {
			known[i] = true
		}
	}
	return found
}

// goals reads what is wanted. Where phrases of several begin at one word, the longest
// counts, and the words of it are no other's.
func (l *language) goals(r *Reading, toks []phrases.Token, known []bool) {
	for i := 0; i < len(toks); i++ {
		goal, end := "", -1
		for _, g := range Goals {
			t := l.Goals[g]
			if to := l.LongestAt(&t, toks, i); to > end {
				goal, end = g, to
			}
		}
		if end < 0 {
			continue
		}
		if !l.Holds(&l.NotGoals, phrases.Within(toks, i, end, phrases.SameClause)) {
			for k := i; k < end; k++ {
				known[k] = true
			}
			if !slices.Contains(r.Goals, goal) {
				r.Goals = append(r.Goals, goal)
			}
		}
		i = end - 1
	}
}

// symptoms reads what the machine does, in order of appearance.
func (l *language) symptoms(r *Reading, toks []phrases.Token, known []bool) {
	type at struct{ label, from int }
	var found []at
	for n := range l.Symptoms {
		if from := l.firstTold(&l.Symptoms[n].Heard, toks, known); from >= 0 {
			found = append(found, at{n, from})
		}
	}
	slices.SortStableFunc(found, func(a, b at) int { return a.from - b.from })
	for _, f := range found {
		r.Symptoms = append(r.Symptoms, l.Symptoms[f.label].Label)
	}
}

func (l *language) told(t *phrases.Table, toks []phrases.Token, known []bool) bool {
	return l.firstTold(t, toks, known) >= 0
}

// firstTold returns where a phrase of t begins that is not denied by the words of its
// clause around it, nor of the past; or -1.
func (l *language) firstTold(t *phrases.Table, toks []phrases.Token, known []bool) int {
	for from, _ := l.Next(t, toks, 0); from >= 0; from, _ = l.Next(t, toks, from+1) {
		to := l.LongestAt(t, toks, from)
		start := from
		for start > 0 && phrases.SameClause(toks[start-1], toks[start]) {
			start--
		}
		if l.Holds(&l.Denied, toks[start:from]) || l.over(toks, from, to) {
			continue
		}
		for i := from; i < to; i++ {
			known[i] = true
		}
		return from
	}
	return -1
}

// Symptom returns how a symptom of a label is spoken of in a language, the label itself
// where that is not known.
func Symptom(label, code string) string {
	for _, s := range languages[code].Symptoms {
		if s.Label == label {
			return s.Say
		}
	}
	return label
}

// Counts reports whether a word is a number from two on, and Handiwork whether it is
// something to be done to a machine: what is made up shows in both.
func Counts(word, tag string) bool {
	l := languages[Code(tag)]
	return l.Numbers[word] > 1 && !l.Weak[word]
}

// Handiwork reports whether a word is a step of a repair.
func Handiwork(word, tag string) bool { return languages[Code(tag)].Handiwork[word] }

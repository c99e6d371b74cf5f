package learn

import (
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/store"
)

// How an answer begins that says no, or yes.
var (
	saysNo  = regexp.MustCompile(`^(?:(?:oh|well|ah|er|um|hm+|sadly|i'm afraid|unfortunately|of course|certainly|absolutely)[ ,]+)*(?:no|nope|nah|not|never|none|neither|hardly|(?:i|we|he|she|it|they|there) (?:\w+n't|(?:\w+ )?not|cannot|never)|(?:i'm|it's|he's|she's|they're|we're) not)\b`)
	saysYes = regexp.MustCompile(`^(?:(?:oh|well|ah|er|um|hm+|of course|certainly)[ ,]+)*(?:yes|yeah|yep|aye|indeed|right|of course|certainly|sure|(?:i|we|he|she|it|they) (?:do|does|did|am|is|are|was|were|have|has|can|will))\b`)
)

// evidence is what turns say, clause by clause. A question says what its answer
// makes of it.
func (ch chunk) evidence(turns []store.MemoryTurn) []clause {
	var out []clause
	named := func(i int) bool {
		return slices.ContainsFunc(turns, func(o store.MemoryTurn) bool { return o.ID == ch.turns[i].ID })
	}
	for i, t := range ch.turns {
		if !named(i) {
			continue
		}
		if t.Speaker == store.RoleAssistant {
			if i+1 == len(ch.turns) || !named(i+1) || ch.turns[i+1].Speaker != store.RoleUser {
				out = append(out, answered(t.Text, partly)...)
			}
			continue
		}
		if i > 0 && ch.turns[i-1].Speaker == store.RoleAssistant {
			out = append(out, answered(ch.turns[i-1].Text, reply(t.Text))...)
		}
		out = append(out, clauses(t.Text)...)
	}
	return out
}

// reply is what an answer makes of its question.
func reply(text string) sense {
	text = strings.TrimSpace(harmless.ReplaceAllString(straight(text), " "))
	switch {
	case saysNo.MatchString(text): // first: "of course not"
		return denying
	case saysYes.MatchString(text):
		return plainly
	default:
		return partly
	}
}

// answered are the clauses of what nAIber said. An answer is to its last sentence.
func answered(text string, to sense) []clause {
	all := sentences(text)
	var out []clause
	for i, sentence := range all {
		for _, c := range clauses(sentence) {
			c.sense = partly
			if i == len(all)-1 {
				c.sense = to
			}
			out = append(out, c)
		}
	}
	return out
}

// contradicts reports whether a sentence says that something is so that was said
// not to be, or the other way round. What was said of it last counts, and most
// what says it and nothing else. who is the person, whom everything is about.
func contradicts(text string, said []clause, who string) bool {
	own := telling(who)
	for _, f := range clauses(text) {
		words := slices.DeleteFunc(f.words, func(w string) bool { return has(own, w) })
		met, over := 0, 0
		var last clause
		for _, c := range said {
			n := shared(words, c.words)
			if rest := len(c.words) - n; n > met || n == met && rest <= over {
				met, over, last = n, rest, c
			}
		}
		if met > 0 && f.against(last) {
			return true
		}
	}
	return false
}

// against reports whether f and what was said cannot both be so.
func (f clause) against(said clause) bool {
	is := f.sense
	if is == partly && shared(f.leans, said.words) > 0 { // "is lonely" after "I am not lonely"
		is = plainly
	}
	switch is {
	case plainly:
		return said.sense == denying || said.sense == ended && !f.past
	case denying:
		return said.sense == plainly
	case ended:
		return said.sense == plainly && !said.past
	default:
		return false
	}
}

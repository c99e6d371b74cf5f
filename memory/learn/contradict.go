package learn

import (
	"slices"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/calls"
)

// evidence is what the lines say, clause by clause. A question says what its answer
// makes of it.
func (c cited) evidence() []english.Clause {
	var out []english.Clause
	for k, i := range c.places {
		t, answer := c.turns[i], k+1 < len(c.places) && c.places[k+1] == i+1 && c.turns[i+1].Speaker == calls.RoleUser
		switch {
		case t.Speaker == calls.RoleUser:
			out = append(out, answered(c.asked(i), english.Answer(t.Text))...)
			out = append(out, english.Clauses(t.Text)...)
		case !answer:
			out = append(out, answered(t.Text, english.Open)...)
		}
	}
	return out
}

// answered are the clauses of what nAIber said. An answer is to its last sentence.
func answered(text string, to english.Sense) []english.Clause {
	all := english.Sentences(text)
	var out []english.Clause
	for i, sentence := range all {
		for _, c := range english.Clauses(sentence) {
			c.Sense = english.Open
			if i == len(all)-1 {
				c.Sense = to
			}
			out = append(out, c)
		}
	}
	return out
}

// contradicts reports whether a sentence says that something is so that was said
// not to be, or the other way round. What was said of it last counts, and most
// what says it and nothing else. who is the person, whom everything is about.
func contradicts(text string, said []english.Clause, who string) bool {
	own := english.Content(who)
	for _, f := range english.Clauses(text) {
		words := slices.DeleteFunc(f.Words, func(w string) bool { return english.Has(own, w) })
		met, over := 0, 0
		var last english.Clause
		for _, c := range said {
			n := english.Common(words, c.Words)
			if rest := len(c.Words) - n; n > met || n == met && rest <= over {
				met, over, last = n, rest, c
			}
		}
		if met > 0 && against(f, last) {
			return true
		}
	}
	return false
}

// against reports whether f and what was said cannot both be so.
func against(f, said english.Clause) bool {
	is := f.Sense
	if is == english.Open && english.Common(f.Leans, said.Words) > 0 { // "is lonely" after "I am not lonely"
		is = english.Affirmed
	}
	switch is {
	case english.Affirmed:
		return said.Sense == english.Denied || said.Sense == english.Ended && !f.Past
	case english.Denied:
		return said.Sense == english.Affirmed
	case english.Ended:
		return said.Sense == english.Affirmed && !said.Past
	default:
		return false
	}
}

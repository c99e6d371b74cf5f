package health

import (
	"regexp"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// restateWords is how long a reply is at most that restates one number.
const restateWords = 12

// clauseEnd is where one thought ends and another may begin.
var clauseEnd = regexp.MustCompile(`(?i)[,.;!?]+\s*|\s+(?:and|but)\s+`)

// own is what is left of a reply without the clauses that clearly speak of other
// questions, answered ones included, and whether there were such.
func (t *turn) own(e *Entry, said string) (rest string, cut bool) {
	if len(t.elsewhere(e.Question.ID, said)) == 0 {
		return said, false
	}
	var keep []string
	for _, clause := range clauseEnd.Split(said, -1) {
		if len(t.elsewhere(e.Question.ID, clause)) > 0 {
			cut = true
			continue
		}
		keep = append(keep, clause)
	}
	return join(keep...), cut
}

// elsewhere reads words as answers to all other questions, answered or not.
func (t *turn) elsewhere(except, said string) map[string]reader.Reading {
	var all []reader.Question
	for i := range t.s.Entries {
		if e := &t.s.Entries[i]; !e.Question.Screen || e.Question.ID == except {
			all = append(all, e.question(t.rc.Now))
		}
	}
	got := reader.ReadMany(all, said, t.rc)
	delete(got, except)
	return got
}

// restated records a number that the reply, and nothing else in it, gives for a
// question that was answered: "the pain is a two, by the way".
func (t *turn) restated(e *Entry) bool {
	got := t.elsewhere(e.Question.ID, t.in.words)
	if len(got) != 1 || t.count() > restateWords {
		return false
	}
	for id, rd := range got {
		o := t.s.entry(id)
		numeric := o.Question.Type == packs.TypeScale || o.Question.Type == packs.TypeNumber
		if o.Answer.given() && numeric && rd.Settled && rd.Status == reader.Answered && t.take(id, rd, sourceRules) {
			t.lead = words.Corrected
			return true
		}
	}
	return false
}

// unit is what a number is counted in: the pack's unit, or the one of a weight that
// the person named.
func (t *turn) unit(e *Entry) string {
	said := plain(t.in.words)
	switch {
	case e.Question.Type != packs.TypeNumber:
		return ""
	case e.Question.Unit != "":
		return e.Question.Unit
	case holds(said, "kilo", "kilos", "kg", "kilogram", "kilograms", "kilogrammes"):
		return "kg"
	case holds(said, "pound", "pounds", "lb", "lbs"):
		return "lb"
	}
	return ""
}

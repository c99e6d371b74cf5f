package health

import (
	"maps"
	"regexp"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// restateWords is how long a reply is at most that restates one answer.
const restateWords = 12

// clauseEnd is where one thought ends and another may begin.
var clauseEnd = regexp.MustCompile(`(?i)[,.;!?]+\s*|\s+(?:and|but|because)\s+`)

// own is what is left of a reply without the clauses that clearly speak of other
// questions, answered ones included, and whether there were such.
func (t *turn) own(e *Entry, said string) (rest string, cut bool) {
	said, cut = reader.Turned(e.question(t.rc.Now), t.openBut(e.Question.ID), said, t.rc)
	if len(t.elsewhere(e.Question.ID, said)) == 0 {
		return said, cut
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

// openBut are the open questions other than one that may be answered in passing.
func (t *turn) openBut(except string) []reader.Question {
	var open []reader.Question
	for i := range t.s.Entries {
		if e := &t.s.Entries[i]; e.open() && e.Question.ID != except && !t.s.awaits(e.Question.ID) && !e.Question.Screen {
			open = append(open, e.question(t.rc.Now))
		}
	}
	return open
}

// elsewhere reads words as answers to all other questions, answered or not. Words for
// good and bad count only where they could be taken for an answer to the one that was asked.
func (t *turn) elsewhere(except, said string) map[string]reader.Reading {
	got := t.many(except, said, func(*Entry) bool { return true })
	if e := t.s.entry(except); e != nil && e.Question.Type != packs.TypeScale && e.Question.Type != packs.TypeChoice {
		maps.DeleteFunc(got, func(_ string, rd reader.Reading) bool { return rd.Verbal && !rd.Settled })
	}
	return got
}

// many reads words as answers to the wanted questions other than the one that was
// asked. That one is shown to the reader too, so that what could answer it is given to no
// other. An instrument's items are answered only where they were put, word for word.
func (t *turn) many(asked, said string, wanted func(*Entry) bool) map[string]reader.Reading {
	var all []reader.Question
	of := ""
	if e := t.s.entry(asked); e != nil && e.Question.Type == packs.TypeText {
		of = e.FollowUpOf
	}
	for i := range t.s.Entries {
		e := &t.s.Entries[i]
		if own := e.Question.ID == asked; own || wanted(e) && !e.Question.Screen {
			q := e.question(t.rc.Now)
			q.Asked, q.Implied = own, e.Question.ID == of
			all = append(all, q)
		}
	}
	got := reader.ReadMany(all, said, t.rc)
	delete(got, asked)
	return got
}

// restated takes what the reply, and nothing else in it, says anew of a question
// that was answered: "the pain is a two, by the way", "I did have a fall". The same
// answer again changes nothing.
func (t *turn) restated(e *Entry) bool {
	got := t.elsewhere(e.Question.ID, t.in.words)
	if len(got) != 1 || t.count() > restateWords {
		return false
	}
	for id, rd := range got {
		o := t.s.entry(id)
		if !o.Answer.given() || o.Question.Type == packs.TypeText || !rd.Settled || rd.Status != reader.Answered {
			return false
		}
		if alike(o.value(rd.Value), o.Answer.Value) {
			t.lead = words.Thanks
			return true
		}
		if t.take(id, rd, sourceRules) {
			t.lead = words.Corrected
			if t.s.awaits(id) {
				t.lead = words.Thanks // it is read back first
			}
			return true
		}
	}
	return false
}

// value is what was read as an answer to the question: a number without a unit of
// its own is counted in the pack's.
func (e *Entry) value(v reader.Value) packs.Value {
	got := toPacks(v)
	if e.Question.Type == packs.TypeNumber && e.Question.Unit != "" {
		got.Unit = e.Question.Unit
	}
	return got
}

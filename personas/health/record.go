package health

import (
	"slices"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// corrections records answers that the reply takes back, and reports whether there
// were any. One that is to be changed, but not said to what, is asked again. open
// is the question that the reply answers, if any: it is read from the rest.
func (t *turn) corrections(open *Entry) bool {
	found := reader.Corrections(t.answered(), t.in.words, t.rc)
	rest := ""
	for _, c := range found {
		if c.Why != "named" && open != nil && t.insists(open) {
			return false
		}
		e := t.s.entry(c.ID)
		if rest = c.Rest; e == open {
			rest = ""
		}
		if c.Reading.Settled {
			t.lead = words.Corrected
			if t.take(c.ID, c.Reading, sourceRules) && t.s.awaits(c.ID) {
				t.lead = words.Thanks // it is read back first
			}
			continue
		}
		e.Reopened, t.s.Said = true, Said{}
		e.grant()
		t.lead = words.CorrectedOpen
	}
	if open != nil && rest != "" {
		if rd := t.readingOf(open, rest); rd.Settled {
			t.take(open.Question.ID, rd, sourceRules)
		}
	}
	return len(found) > 0
}

// insists reports whether the reply says once more what was not understood: "I said
// seven", after the open question had to be put again, is about that one.
func (t *turn) insists(open *Entry) bool {
	return (open.Asked > 1 || open.Waits > 0 || open.Reopened) && t.reading(open).Settled
}

// answered are the questions answered so far, the latest last.
func (t *turn) answered() []reader.Question {
	var list []*Entry
	for e := range t.s.all() {
		if e.Answer.given() {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b *Entry) int { return a.Answer.At.Compare(b.Answer.At) })
	out := make([]reader.Question, len(list))
	for i, e := range list {
		v := toReader(e.Answer.Value)
		out[i] = e.question(t.rc.Now)
		out[i].Answer = &v
	}
	return out
}

// passing records what the reply says about open questions other than one, and has
// read back what it says otherwise of those that were answered.
func (t *turn) passing(except string) {
	t.contradicted(except)
	got := t.others(except, t.in.words)
	for e := range t.s.all() {
		if rd, ok := got[e.Question.ID]; ok && rd.Settled {
			t.take(e.Question.ID, rd, sourceRules)
		}
	}
	if t.took > 0 && t.lead == "" {
		t.lead = words.Thanks
	}
}

// contradicted has read back what the reply says otherwise than an earlier answer: "no,
// but I had a fall last night". Without a word that takes the earlier one back it may be
// said of something else, so nothing is changed unheard.
func (t *turn) contradicted(except string) {
	got := t.elsewhere(except, t.in.words)
	for e := range t.s.all() {
		rd, ok := got[e.Question.ID]
		if !ok || !rd.Settled || rd.Status != reader.Answered || !e.restatable() || t.s.awaits(e.Question.ID) {
			continue
		}
		if a, ok := e.asAnswer(rd, sourceRules, t.in.at); ok && !e.Answer.At.Equal(t.in.at) && !alike(a.Value, e.Answer.Value) {
			t.pend(Pending{ID: e.Question.ID, Answer: a, Correction: true})
		}
	}
}

// restatable reports whether the entry has an answer that is plain enough to be told
// from other talk wherever it is told anew.
func (e *Entry) restatable() bool {
	return !e.open() && e.Answer.given() && (e.Question.Type == packs.TypeBoolean || e.Question.Type == packs.TypeScale)
}

// others reads words as answers to open questions other than one.
func (t *turn) others(except, said string) map[string]reader.Reading {
	return t.many(except, said, func(e *Entry) bool { return e.open() && !t.s.awaits(e.Question.ID) })
}

// awaits reports whether an answer to the question is to be read back.
func (s *State) awaits(id string) bool {
	return slices.ContainsFunc(s.Pending, func(pd Pending) bool { return pd.ID == id })
}

// take records a reading, or has it read back first where it is a risky one. It
// reports false where the value is no answer to the question.
func (t *turn) take(id string, rd reader.Reading, source string) bool {
	e := t.s.entry(id)
	a, ok := e.asAnswer(rd, source, t.in.at)
	switch {
	case !ok:
		return false
	case a.given() && (e.Question.NeedsReadBack(a.Value) || rd.Risky):
		t.drop(id)
		// What only a model read is not on record until the person has said yes to it.
		t.pend(Pending{ID: id, Answer: a, Guess: source == sourceModel, Correction: e.Answer != nil})
		e.Reopened, e.Guessed = false, e.Guessed || source == sourceModel
	default:
		t.took++
		t.record(id, a)
	}
	return true
}

// record makes a reading the answer that counts. What it replaces is kept.
func (t *turn) record(id string, a Answer) {
	e := t.s.entry(id)
	t.drop(id)
	e.Reopened = false
	if e.Answer != nil && e.Answer.Status == a.Status && e.Answer.Value == a.Value {
		return // said again
	}
	t.s.Noted = append(t.s.Noted, Noted{ID: id, Correction: e.Answer != nil})
	e.set(a)
	t.p.metrics.readings.WithLabelValues(a.Source, a.Status).Inc()
}

// set makes an answer the one that counts, and keeps what it replaces.
func (e *Entry) set(a Answer) {
	if e.Answer != nil {
		e.Earlier = append(e.Earlier, *e.Answer)
	}
	e.Answer, e.Fresh = &a, true // its follow-ups are to be asked
}

// acknowledge chooses what to say to the answer to the open question.
func (t *turn) acknowledge(e *Entry) {
	switch a := e.Answer; {
	case t.s.awaits(e.Question.ID):
		t.lead = ""
	case a.given():
		if t.lead = words.Acknowledge(e.Question, a.Value); t.lead == words.Glad && t.worse() {
			t.lead = words.Thanks // one does not rejoice next to it
		}
	case a != nil && a.Status == string(reader.Refused):
		t.lead = words.Refused
	case a != nil && a.Status == string(reader.Skipped):
		t.lead = words.Skipped
	}
}

// worse reports whether the same reply told something that is no good news, or
// may be none: it is still to be read back.
func (t *turn) worse() bool {
	return len(t.s.Pending) > 0 || slices.ContainsFunc(t.s.Entries, func(e Entry) bool {
		return e.Fresh && e.Answer.given() && words.Acknowledge(e.Question, e.Answer.Value) == words.Sorry
	})
}

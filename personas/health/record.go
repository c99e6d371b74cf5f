package health

import (
	"slices"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// corrections records corrections of earlier answers in the reply, and reports whether there were
// any. An answer that is taken back without a new one is asked for again. open is the question that
// the reply answers, if any; it is read from the rest of the reply.
func (r *reply) corrections(open *Entry) bool {
	found := reader.Corrections(r.answered(), r.in.words, r.rc)
	rest := ""
	for _, c := range found {
		if c.Why != "named" && open != nil && r.insists(open) {
			return false
		}
		e := r.s.entry(c.ID)
		if rest = c.Rest; e == open {
			rest = ""
		}
		if c.Reading.Settled {
			r.lead = words.Corrected
			if r.take(c.ID, c.Reading, sourceRules) && r.s.awaits(c.ID) {
				r.lead = words.Thanks // it is read back before it counts
			}
			continue
		}
		e.Reopened, r.s.Said = true, Said{}
		e.grant()
		r.lead = words.CorrectedOpen
	}
	if open != nil && rest != "" {
		if rd := r.readingOf(open, rest); rd.Settled {
			r.take(open.Question.ID, rd, sourceRules)
		}
	}
	return len(found) > 0
}

// insists reports whether the reply repeats an answer that was not understood: "I said seven",
// after the open question had to be put again, answers that question.
func (r *reply) insists(open *Entry) bool {
	return (open.Asked > 1 || open.Waits > 0 || open.Reopened) && r.reading(open).Settled
}

// answered returns the questions answered so far, the latest last.
func (r *reply) answered() []reader.Question {
	var list []*Entry
	for e := range r.s.all() {
		if e.Answer.given() {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b *Entry) int { return a.Answer.At.Compare(b.Answer.At) })
	out := make([]reader.Question, len(list))
	for i, e := range list {
		v := toReader(e.Answer.Value)
		out[i] = e.question(r.rc.Now)
		out[i].Answer = &v
	}
	return out
}

// passing records what the reply says about open questions other than one, and queues what
// contradicts earlier answers to be read back.
func (r *reply) passing(except string) {
	r.contradicted(except)
	got := r.others(except, r.in.words)
	for e := range r.s.all() {
		if rd, ok := got[e.Question.ID]; ok && rd.Settled {
			r.take(e.Question.ID, rd, sourceRules)
		}
	}
	if r.took > 0 && r.lead == "" {
		r.lead = words.Thanks
	}
}

// besides records what the reply says that follow-ups would ask for, so that they need not be put:
// "six, my knees". asked is the question that the reply answers.
func (r *reply) besides(asked string) {
	open := r.s.Open
	for i := 0; i < len(r.s.Entries); i++ { //nolint:intrange // it grows
		e := r.s.Entries[i] // a copy, since follow-ups are inserted after it
		if e.FollowUpOf != "" || e.Question.Screen {
			continue
		}
		for k := range e.Question.FollowUps {
			f := &e.Question.FollowUps[k]
			if o := r.s.entry(f.ID); o != nil && o.Answer != nil {
				continue
			}
			rd, ok := r.told(&e, f, asked)
			if !ok {
				continue
			}
			if r.s.entry(f.ID) == nil {
				r.s.insert(i+1, Entry{Question: e.Question.Following(f), FollowUpOf: e.Question.ID})
				if open > i {
					open++
				}
			}
			r.take(f.ID, rd, sourceRules)
		}
	}
	r.s.Open = open
}

// told returns what the reply says that a follow-up to e would ask for, if anything. Somebody who
// answered by a fact has told it: "it makes me cough, so I left it".
func (r *reply) told(e *Entry, f *packs.FollowUp, asked string) (reader.Reading, bool) {
	asks := reader.Asks(f.Asks)
	if a, ok := r.fact(e); ok && asks != "" && asks != reader.AsksWhere && f.When.Matches(a.Value) {
		text := reader.Value{Kind: reader.Text, Text: r.in.words}
		return reader.Reading{Status: reader.Answered, Value: text, Confidence: a.Confidence, Quote: r.in.words, Settled: true, Why: "by a fact"}, true
	}
	quote, v := r.answerTo(e)
	if asks == "" || asks != reader.AsksWhere && (quote == "" || !f.When.Matches(v)) || asks == reader.AsksWhy && e.Question.ID != asked {
		return reader.Reading{}, false
	}
	return reader.Told(e.question(r.rc.Now), asks, quote, r.openBut(e.Question.ID), r.in.words, r.rc)
}

// factWords is the least number of words in a reply that answers by a fact.
const factWords = 6

// fact returns the answer to a question that this reply means without saying it, as weights or a
// model read it.
func (r *reply) fact(e *Entry) (Answer, bool) {
	for _, pd := range r.s.Pending {
		if pd.ID == e.Question.ID && pd.Answer.At.Equal(r.in.at) && pd.Guess && r.count() >= factWords && (pd.Answer.Quote == r.in.words || pd.Answer.Source == sourceModel) {
			return pd.Answer, true
		}
	}
	return Answer{}, false
}

// answerTo returns the answer to a question that this reply gave, and its words, or zero values if
// it gave none.
func (r *reply) answerTo(e *Entry) (quote string, v packs.Value) {
	for _, pd := range r.s.Pending {
		if pd.ID == e.Question.ID && pd.Answer.At.Equal(r.in.at) && !pd.Guess {
			return pd.Answer.Quote, pd.Answer.Value
		}
	}
	if a := e.Answer; a.given() && a.At.Equal(r.in.at) {
		return a.Quote, a.Value
	}
	return "", packs.Value{}
}

// contradicted queues answers that differ from earlier ones to be read back: "no, but I had a fall
// last night". Without words that take the earlier answer back, they may be about something else,
// so they do not count unconfirmed.
func (r *reply) contradicted(except string) {
	got := r.elsewhere(except, r.in.words)
	for e := range r.s.all() {
		rd, ok := got[e.Question.ID]
		if !ok || !rd.Settled || rd.Status != reader.Answered || !e.restatable() || r.s.awaits(e.Question.ID) {
			continue
		}
		if a, ok := e.asAnswer(rd, sourceRules, r.in.at); ok && !e.Answer.At.Equal(r.in.at) && !alike(a.Value, e.Answer.Value) {
			r.pend(Pending{ID: e.Question.ID, Answer: a, Correction: true})
		}
	}
}

// restatable reports whether the entry has an answer of a kind that can be recognised in other talk
// when it is given again.
func (e *Entry) restatable() bool {
	return !e.open() && e.Answer.given() && (e.Question.Type == packs.TypeBoolean || e.Question.Type == packs.TypeScale)
}

// others reads words as answers to open questions other than one.
func (r *reply) others(except, said string) map[string]reader.Reading {
	return r.many(except, said, func(e *Entry) bool { return e.open() && !r.s.awaits(e.Question.ID) })
}

// awaits reports whether an answer to the question is waiting to be read back.
func (s *State) awaits(id string) bool {
	return slices.ContainsFunc(s.Pending, func(pd Pending) bool { return pd.ID == id })
}

// take records a reading, or queues it to be read back if it is risky. It returns false if the
// value is not an answer to the question.
func (r *reply) take(id string, rd reader.Reading, source string) bool {
	e := r.s.entry(id)
	a, ok := e.asAnswer(rd, source, r.in.at)
	switch {
	case !ok:
		return false
	case a.given() && (e.Question.NeedsReadBack(a.Value) || rd.Risky):
		r.drop(id)
		// What only a model read counts only once the person has confirmed it.
		model := source == sourceModel
		r.pend(Pending{ID: id, Answer: a, Guess: model, Verbal: model && rd.Verbal, Correction: e.Answer != nil})
		e.Reopened, e.Guessed = false, e.Guessed || model
	default:
		r.took++
		r.record(id, a)
	}
	return true
}

// record makes a reading the current answer. The previous one is kept.
func (r *reply) record(id string, a Answer) {
	e := r.s.entry(id)
	r.drop(id)
	e.Reopened = false
	if e.Answer != nil && e.Answer.Status == a.Status && e.Answer.Value == a.Value {
		return // the same answer again
	}
	r.s.Noted = append(r.s.Noted, Noted{ID: id, Correction: e.Answer != nil})
	e.set(a)
	r.p.metrics.readings.WithLabelValues(a.Source, a.Status).Inc()
}

// set makes a the current answer and keeps the previous one.
func (e *Entry) set(a Answer) {
	if e.Answer != nil {
		e.Earlier = append(e.Earlier, *e.Answer)
	}
	e.Answer, e.Fresh = &a, true // its follow-ups are due
}

// acknowledge chooses the response to the answer to the open question.
func (r *reply) acknowledge(e *Entry) {
	switch a := e.Answer; {
	case r.s.awaits(e.Question.ID):
		r.lead = ""
	case a.given():
		if r.lead = words.Acknowledge(e.Question, a.Value); r.lead == words.Glad && r.worse() {
			r.lead = words.Thanks // joy would not fit the other news
		}
	case a != nil && a.Status == string(reader.Refused):
		r.lead = words.Refused
	case a != nil && a.Status == string(reader.Skipped):
		r.lead = words.Skipped
	}
}

// worse reports whether the same reply also gave bad news, or an answer that may be and is still to
// be read back.
func (r *reply) worse() bool {
	return len(r.s.Pending) > 0 || slices.ContainsFunc(r.s.Entries, func(e Entry) bool {
		return e.Fresh && e.Answer.given() && words.Acknowledge(e.Question, e.Answer.Value) == words.Sorry
	})
}

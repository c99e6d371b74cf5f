package reader

import "strings"

// ReadMany looks in one reply for answers to several open questions: "I slept
// well and I've taken my pills". Only clauses that clearly speak of one question's
// topic count, so a bare yes, no or number answers none of them. Readings that
// are about a question but not settled are included: their value is to be
// read back, or the question put again, knowing what was said.
//
// The question being asked is read by [Read]; open holds the others, and it as well,
// marked as asked, so that what may be meant for it is given to no other.
func ReadMany(open []Question, said string, ctx Context) map[string]Reading {
	out := map[string]Reading{}
	if _, _, ok := keypad(said); ok {
		return out
	}
	r := parse(For(ctx.Locale), said)
	if len(r.toks) == 0 || r.silence() {
		return out
	}
	clauses := r.clauses()
	for _, q := range open {
		for i, c := range clauses {
			if i+1 < len(clauses) && c.onlyNames(q) && clauses[i+1].bareAnswer(q, ctx) {
				c = c.with(clauses[i+1]) // "my sleep you mean. Six."
			}
			got, ok := c.passing(q, open, ctx)
			if !ok {
				continue
			}
			if old, seen := out[q.ID]; seen && old.Settled && !got.Settled {
				continue
			}
			out[q.ID] = got
		}
	}
	return out
}

// clauses cuts the reply at pauses and before joining words. A clause that has
// no topic of its own ("about a seven") belongs to the one before it.
func (r *reply) clauses() []*reply {
	var out []*reply
	start := 0
	for i := 1; i <= len(r.toks); i++ {
		if i < len(r.toks) && r.before(i) != hard && !r.cutsAt(i) {
			continue
		}
		out = append(out, r.slice(start, i))
		start = i
	}
	return out
}

// cutsAt reports whether a new thought begins at i: "and I", "but my", ", my".
func (r *reply) cutsAt(i int) bool {
	at := i
	if r.lx.joiners[r.at(i)] {
		at++
	} else if r.before(i) != soft {
		return false
	}
	for r.at(at) != "" && r.before(at) == run && (r.at(at) == "yes" || r.at(at) == "no" || r.at(at) == "then") {
		at++
	}
	w := r.at(at)
	return r.lx.selves[w] || r.lx.others[w] || w == "the" || w == "it" || w == "no" || r.topical(w)
}

// topical reports whether a word names the subject of some theme.
func (r *reply) topical(w string) bool {
	for i := range r.lx.themes {
		if r.lx.themes[i].topics[subject(w)] {
			return true
		}
	}
	return false
}

// passing reads a clause as an answer to q given in passing.
func (r *reply) passing(q Question, open []Question, ctx Context) (Reading, bool) {
	at := r.topic(q)
	if at < 0 || r.aboutOther(at) {
		return Reading{}, false
	}
	if rivals(q, open, r) {
		return Reading{}, false
	}
	if no, _ := r.refusal(q); no.Status == Refused {
		return finish(q, no), true
	}
	switch q.Kind {
	case Boolean:
		s, ok := r.statement(q)
		if !ok {
			if s, ok = r.topicStated(q, at); !ok {
				return Reading{}, false
			}
		}
		if i, _, _ := r.lx.yesno.maybe.anywhere(r.toks); i >= 0 {
			return Reading{}, false
		}
		return finish(q, Reading{
			Status: Answered, Value: Value{Kind: Boolean, Bool: s.yes}, Confidence: s.confidence,
			Quote: r.quote(s.from, s.to), Why: "in passing: " + s.why, Risky: s.near,
		}), true
	case Scale, Number, Choice, Time:
		got := finish(q, readKind(q, r, ctx))
		if got.Value.IsZero() || got.Status == Unclear {
			return got, !got.Value.IsZero()
		}
		got.Why = "in passing: " + got.Why
		return got, true
	case Text:
	}
	return Reading{}, false
}

// topicStated reads "I haven't been dizzy" and "no pain" for questions that no theme
// knows, by a negation before the topic; what is affirmed is left to be asked.
func (r *reply) topicStated(q Question, at int) (signal, bool) {
	if q.Negated || !r.negatedBefore(at) {
		return signal{}, false
	}
	from, _ := r.clause(at)
	return signal{yes: false, from: from, to: at + 1, confidence: 0.75, why: "topic denied"}, true
}

// topic is where the clause speaks of q, or -1: by one of its words, or by a
// statement that nobody makes of anything else.
func (r *reply) topic(q Question) int {
	for i := range r.toks {
		for _, t := range q.Topic {
			if r.names(t, i) {
				return i
			}
		}
	}
	for _, t := range q.themesOf(r.lx) {
		for i := range r.toks {
			if t.topics[subject(r.at(i))] {
				return i
			}
			if n, _ := t.states.at(r.toks, i); n > 1 && !t.vague {
				return i
			}
		}
	}
	return -1
}

// names reports whether a topic of one or more words stands at i.
func (r *reply) names(topic string, i int) bool {
	return r.spelt(topic, i) > 0 || subject(r.at(i)) == topic
}

// subject is a word without what is attached to it: "pain" of "pain's".
func subject(w string) string { return strings.TrimSuffix(w, "'s") }

// aboutOther reports whether the clause is someone else's story.
func (r *reply) aboutOther(at int) bool {
	for k := range at {
		if r.lx.selves[r.at(k)] {
			return false
		}
		if r.lx.others[r.at(k)] {
			return true
		}
	}
	return false
}

// rivals reports whether what the clause says could as well answer another question: a
// number any open one of the same kind and unit, a yes or no the one that was asked.
func rivals(q Question, open []Question, r *reply) bool {
	numeric := q.Kind != Boolean && q.Kind != Choice
	for _, o := range open {
		if o.ID != q.ID && o.Kind == q.Kind && o.Unit == q.Unit && (numeric || o.Asked) && r.topic(o) >= 0 {
			return true
		}
	}
	return false
}

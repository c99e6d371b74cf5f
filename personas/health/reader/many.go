package reader

import (
	"slices"
	"strings"
)

// ReadMany reads one reply as answers to several open questions: "I slept well and I've taken my
// pills". Only clauses that clearly concern one question's topic count: a bare yes, no or number
// answers none of them. Readings that concern a question but are not settled are included, so that
// the caller can read their value back, or put the question again knowing what was said.
//
// [Read] reads the question being asked. It must be in open, too, with Asked set: what may be meant
// for it is then not taken as an answer to another.
func ReadMany(open []Question, said string, ctx Context) map[string]Reading {
	out := map[string]Reading{}
	if _, _, ok := keypad(said); ok {
		return out
	}
	lx := For(ctx.Locale)
	r := parse(lx, said)
	if len(r.toks) == 0 || r.silence() {
		return out
	}
	open = lx.allAsked(open)
	clauses := r.clauses(open)
	for o := range open {
		q := &open[o]
		for i, c := range clauses {
			if i+1 < len(clauses) && c.ask(q).passing().onlyNames() && clauses[i+1].ask(q).passing().bareAnswer(ctx) {
				c = c.with(clauses[i+1]) // "my sleep you mean. Six."
			}
			got, ok := c.ask(q).passing().read(open, ctx)
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

// clauses splits the reply at the ends of sentences, and at pauses and joining words after which a
// question is named or a new subject begins. A clause without a topic of its own ("about a seven")
// belongs to the one before it.
func (r *text) clauses(qs []Question) []*text {
	return r.cut(func(i int) bool { return r.before(i) == hard || r.cutsAt(qs, i) })
}

// cut splits the reply before each token for which begins returns true.
func (r *text) cut(begins func(i int) bool) []*text {
	var out []*text
	start := 0
	for i := 1; i <= len(r.toks); i++ {
		if i == len(r.toks) || begins(i) {
			out = append(out, r.slice(start, i))
			start = i
		}
	}
	return out
}

// cutsAt reports whether a new thought begins at token i: "and I", "but my", ", my".
func (r *text) cutsAt(qs []Question, i int) bool {
	at := i
	if r.in(i, cue.Joiners) {
		at++
	} else if r.before(i) != soft {
		return false
	}
	for r.follows(at) && r.in(at, cue.YesNoThen) {
		at++
	}
	return r.in(at, cue.Selves) || r.in(at, cue.Others) || r.in(at, cue.TheItNo) || r.topical(r.at(at)) ||
		slices.ContainsFunc(qs, func(q Question) bool { return q.about(r.at(at)) })
}

// topical reports whether a word names the subject of some theme.
func (r *text) topical(w string) bool {
	return slices.ContainsFunc(r.lx.themes, func(t theme) bool { return r.lx.is(subject(w), t.topics) })
}

// read reads a clause as an answer to q given in passing. What it says of somebody else, of another
// time or of what would be is a guess at most.
func (r passing) read(open []Question, ctx Context) (Reading, bool) {
	at := r.topic()
	if at < 0 || r.rivals(open) {
		return Reading{}, false
	}
	foreign := r.aboutOther(at)
	if no, _, _ := r.declining().refusal(); no.Status == Refused && !foreign {
		return finish(r.q, no), true
	}
	got, ok := r.toldBeside(at, ctx)
	if !ok || !got.Settled || !foreign && !r.supposed() && !r.ofOtherTimes() {
		return got, ok
	}
	if !foreign && r.leftUndone(got) {
		got.Risky = true
		return got, true
	}
	got.Confidence = doubtful // about somebody else or another time
	return finish(r.q, got), true
}

// leftUndone reports whether got says that a task was missed since yesterday. Such an answer is
// kept and read back, although the question is about today.
func (r passing) leftUndone(got Reading) bool {
	return r.q.task(r.lx) != nil && got.Value.Bool == r.q.Negated && !r.supposed() && r.has(cue.Yesterday)
}

// toldBeside reads what the clause says of q, whose topic is at token at.
func (r passing) toldBeside(at int, ctx Context) (Reading, bool) {
	switch r.q.Kind {
	case Boolean:
		s, ok := r.telling().statement()
		if !ok {
			if s, ok = r.topicStated(at); !ok {
				return Reading{}, false
			}
		}
		if i, _, _ := r.anywhere(cue.Maybe); i >= 0 {
			if !r.starts(i, cue.IThinkI) || r.q.task(r.lx) == nil || s.yes != r.q.Negated {
				return Reading{}, false
			}
			s.near, s.confidence = true, min(s.confidence, likely) // "I think I missed one"
		}
		if r.q.Negated && !s.yes && r.q.task(r.lx) != nil {
			return Reading{}, false // "I took my tablets" does not say that none was missed
		}
		return finish(r.q, Reading{
			Status: Answered, Value: Value{Kind: Boolean, Bool: s.yes}, Confidence: s.confidence,
			Quote: r.quote(s.from, s.to), Why: "in passing: " + s.why, Risky: s.near,
		}), true
	case Scale, Number, Choice, Time:
		got := finish(r.q, readKind(r.q, r.toldOf(at), ctx))
		if got.Value.IsZero() || got.Status == Unclear {
			return got, !got.Value.IsZero()
		}
		got.Why = "in passing: " + got.Why
		return got, true
	case Text:
	}
	return Reading{}, false
}

// toldOf returns the part of the clause about the topic at token at. A number belongs to a topic
// before it, or to one after it if a word between joins the two: "pain is a six", "a six for pain".
// In "six, pain woke me" it belongs to something else.
func (r passing) toldOf(at int) *text {
	if r.q.Kind != Scale && r.q.Kind != Number {
		return r.text
	}
	k := at - 1
	for r.in(k, cue.Selves) || r.in(k, cue.The) {
		k--
	}
	if from, _ := r.clause(k); r.follows(k+1) && r.in(k, cue.ForOn) && r.numberIn(from, k) {
		return r.slice(from, at)
	}
	to := at
	for to < len(r.toks) && !r.isNumberWord(to) {
		to++
	}
	_, n := r.number(to, false)
	for to += n; to < len(r.toks) && (!r.in(to, cue.And) || r.isNumberWord(to+1)); {
		to++ // what follows "and" is about something else: "sleep was a four and pain is a two"
	}
	return r.slice(at, to)
}

// supposed reports whether the clause is hypothetical: "without the tablets it would be a ten",
// "I'd take them if I could reach them".
func (r *text) supposed() bool {
	for k := range r.toks {
		if !r.toks[k].aside && (r.in(k, cue.Supposing) || r.in(k, cue.IWould) && !r.in(k+1, cue.HadOrSaid)) {
			return true
		}
	}
	return false
}

// ofOtherTimes reports whether the clause is about a time that q does not ask about: another day,
// or what is usual. A question about a fall covers the time since the last call, one about missed
// doses a longer time, and one about sleep the night.
func (r asked) ofOtherTimes() bool {
	sleep := r.asksOf(cue.SleepTopic)
	for k := range r.toks {
		switch {
		case r.in(k-1, cue.SinceThan):
		case r.q.Kind == Boolean && (r.q.Negated || r.q.task(r.lx) == nil && !r.q.symptom(r.lx)):
			return false
		case r.starts(k, cue.OtherDay), r.starts(k, cue.NotToday) && (!sleep || !r.in(k, cue.LastIn)):
			return true
		}
	}
	return false
}

// topicStated reads "I haven't been dizzy" and "no pain" for questions without a theme: a negation
// before the topic. It does not read affirmations; those questions are still put. "I can't breathe
// properly" does not deny trouble.
func (r passing) topicStated(at int) (signal, bool) {
	if r.q.Negated || !r.negatedBefore(at) || r.any(at-3, at, cue.Unable) {
		return signal{}, false
	}
	from, _ := r.clause(at)
	return signal{yes: false, from: from, to: at + 1, confidence: likely, why: "topic denied"}, true
}

// topic returns the token at which the clause mentions q, by one of its words or by a statement
// that can be about nothing else, or -1.
func (r asked) topic() int {
	if i := r.named(); i >= 0 || r.q.Kind == Scale || r.q.Kind == Number {
		return i // "two at night" is not a number for sleep
	}
	for _, t := range r.q.themesOf(r.lx) {
		for i := range r.toks {
			if r.lx.is(subject(r.at(i)), t.topics) {
				return i
			}
			if n, happened := r.stated(t, i); n > 1 && !t.vague && (happened || r.q.Kind != Boolean) {
				return i // "steady on my feet" answers the question about falls, but does not mention one
			}
		}
	}
	if r.q.Implied && r.q.Kind == Boolean {
		return 0
	}
	return -1
}

// named returns the token at which the reply names a topic of q, or -1.
func (r asked) named() int {
	for i := range r.toks {
		if slices.ContainsFunc(r.q.Topic, func(t string) bool { return r.names(t, i) }) {
			return i
		}
	}
	return -1
}

// names reports whether a topic of one or more words stands at i.
func (r *text) names(topic string, i int) bool {
	return r.spelt(topic, i) > 0 || subject(r.at(i)) == topic
}

// subject returns a word without an apostrophe and what follows it: "pain" for "pain's".
func subject(w string) string {
	w, _, _ = strings.Cut(w, "'")
	return w
}

// aboutOther reports whether the words at token at are about somebody else. The last person named
// before it counts: "she gave me my tablets" is about the speaker, "my husband's pain" is not.
func (r *text) aboutOther(at int) bool {
	for k := at - 1; k >= 0; k-- {
		switch {
		case r.lx.is(subject(r.at(k)), cue.Others):
			return true
		case r.in(k, cue.Selves) && !r.in(k, cue.Me):
			return false
		}
	}
	return false
}

// rivals reports whether what the clause says could just as well answer another question: for a
// number, any open question of the same kind and unit; for a yes or no, the one that was asked.
func (r passing) rivals(open []Question) bool {
	q := r.q
	numeric := q.Kind != Boolean && q.Kind != Choice
	for _, o := range open {
		if o.ID != q.ID && o.Kind == q.Kind && o.Unit == q.Unit && (numeric || o.Asked) && r.ask(&o).topic() >= 0 {
			return true
		}
	}
	return false
}

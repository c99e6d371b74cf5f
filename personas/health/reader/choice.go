package reader

import (
	"math"
	"slices"
	"strings"
)

// match is an option named in the reply.
type match struct {
	option   int
	from, to int
	own      bool // by the option's own words, not by a synonym
}

// readChoice reads one of the options, by its own words, a synonym, an amount that means it, or its
// place ("the second one").
func (r choosing) readChoice() Reading {
	ms := r.matches()
	if len(ms) == 0 {
		if plain := r.without(cue.Intensifiers); plain != nil {
			return plain.ask(r.q).choosing().readChoice()
		}
		if got, ok := r.same(); ok {
			return got
		}
		if got, ok := r.byAmount(); ok {
			return got
		}
		if got, ok := r.byPlace(); ok {
			return got
		}
		return unclear("no option")
	}
	ms = r.lastMatch(ms)
	best := ms[0]
	for _, m := range ms[1:] {
		if m.option != best.option {
			return Reading{Status: Unclear, Why: "several options", Quote: r.quote(ms[0].from, m.to)}
		}
	}
	worth, why := stated, "synonym"
	if best.own {
		worth, why = sure, "option"
	}
	switch {
	case r.elsewhere(best.from), !r.fits(best), r.otherwise(best), r.q.Strict && !r.chosenAlone(ms), r.lostAfter(best.to), r.has(cue.OrWas), r.starts(best.from, cue.Particles) && r.has(cue.Maybe):
		worth = guess
	case r.bare(best.from, best.to):
		worth = certain
	}
	return Reading{
		Status: Answered, Value: Value{Kind: Choice, Choice: r.q.Options[best.option].Value}, Confidence: worth,
		Quote: r.quote(best.from, best.to), Why: why,
	}
}

// chosenAlone reports whether an option stands by itself: in a clause with only small words and the
// reason after it. Other clauses are taken as remarks. If no option is given in its published
// words, a remark may just as well be what the option describes: "I like all I do, always", "every
// day, I do something I like".
func (r choosing) chosenAlone(ms []match) bool {
	all, end := true, 0
	for i, m := range ms {
		from, to := r.around(m.from, m.to, soft)
		if r.inQuestion(m.from) || r.slice(from, to).has(cue.Explain) {
			return false
		}
		published := r.published(m)
		if !published {
			from, _ = r.around(m.from, m.to, hard)
		}
		alone := true
		for k := from; k < to && (k < m.to || !r.in(k, cue.Reasons)); k++ {
			among := k >= m.from && k < m.to || i > 0 && k < ms[i-1].to || i+1 < len(ms) && k >= ms[i+1].from
			alone = alone && (among || r.small(k) || r.in(k, cue.Joiners) || r.in(k, cue.WithOption))
		}
		led := r.in(m.from-1, cue.So) || r.starts(m.from-1, cue.Particles)
		if published && (alone || led && r.follows(m.from) && r.onlyPlain(m.to, len(r.toks))) {
			return true
		}
		all, end = all && alone, to
	}
	return all && (r.before(end) == hard || !r.isMe(end))
}

// published reports whether an option was named in the words in which it is read out.
func (r choosing) published(m match) bool {
	o := r.q.Options[m.option]
	n := r.spelt(strings.ReplaceAll(o.Value, "_", " "), m.from)
	if len(o.Words) > 0 {
		n = max(n, r.spelt(o.Words[0], m.from))
	}
	return n == m.to-m.from
}

// elsewhere reports whether the clause is about someone else.
func (r choosing) elsewhere(i int) bool {
	from, _ := r.clause(i)
	return r.any(from, i, cue.HeShe) && !r.tellsOfMe(from, i)
}

// fits reports whether the words around an option allow it to be an answer: those of "I slept well"
// do, those of "sometimes I don't know where they went" and "lovely weather" do not.
func (r choosing) fits(m match) bool {
	if !r.fitsBefore(m) {
		return false
	}
	if r.any(m.from, m.to, cue.Selves) {
		return true
	}
	for k := m.from - 1; k >= 0 && r.follows(k+1) && !r.in(k, cue.Joiners); k-- {
		if r.isMe(k) {
			denied, ok := r.thought(k)
			return ok && !denied
		}
		if !r.small(k) && !r.q.about(r.at(k)) && !r.in(k, cue.AroundOption) {
			return false
		}
	}
	return true
}

// fitsBefore reports whether the words after an option in its clause allow it to be an answer: "a
// bad night" answers only a question about sleep, "plenty of visitors" no question here.
func (r choosing) fitsBefore(m match) bool {
	switch {
	case !r.follows(m.to), r.toks[m.to].aside, r.in(m.to, cue.Joiners), r.q.Strict && (r.in(m.to, cue.WithOption) || r.in(m.to, cue.Reasons)):
		return true // chosenAlone checks separately whether an instrument's option stands alone
	case r.in(m.to, cue.Of), r.starts(m.to-1, cue.HungryFor):
		return r.speaksOf(m.to + 1)
	case r.starts(m.to-1, cue.FairEnough):
		return false // it may just as well be consent to go on
	}
	return r.in(m.to, cue.AfterOption) || r.q.about(r.at(m.to)) || r.in(m.to, cue.Nights) && r.asksOf(cue.SleepTopic)
}

// speaksOf reports whether the word at i, or the one after the article there, names what q asks
// about.
func (r asked) speaksOf(i int) bool {
	if r.in(i, cue.Article) {
		i++
	}
	w := r.at(i)
	return r.q.about(w) || slices.ContainsFunc(r.q.themesOf(r.lx), func(t *theme) bool { return r.lx.is(subject(w), t.topics) || r.in(i, t.things) })
}

// otherwise reports whether an option is said of another time, or of how things could be: "it was
// worse last week", "I've had worse", "it could be better".
func (r choosing) otherwise(m match) bool {
	from, to := r.clause(m.from)
	if r.any(from, m.from, cue.CouldBe) {
		return true
	}
	if r.in(m.from, cue.Comparative) && m.to-m.from == 1 && r.in(m.from-1, cue.HadBeen) && r.tellsOfMe(from, m.from) {
		return true
	}
	for k := from; k < to; k++ {
		if r.starts(k, cue.OtherDay) && !r.in(k-1, cue.Than) {
			return true
		}
	}
	return false
}

// matches returns the options named, of those at one place the one with the most words. A denied
// option counts as its opposite, or not at all if it has none.
func (r choosing) matches() []match {
	member := r.members()
	var out []match
	for i := 0; i < len(r.toks); i++ {
		if m, _ := r.match(i, cue.Idioms); m > 0 {
			i += m - 1
			continue
		}
		around, sort := r.match(i, cue.Plain)
		best, tie := match{option: -1}, false
		take := func(option, n int, own bool) {
			switch was := best.to - best.from; {
			case n == 0 || n < was || n == was && best.own && !own:
			case n == was && best.option != option && best.own == own:
				tie = true
			default:
				best, tie = match{option, i, i + n, own}, false
			}
		}
		for o := range r.q.Options {
			take(o, r.optionAt(r.q.Options[o], i), true)
		}
		for g, o := range member {
			if o >= 0 {
				n, _ := r.match(i, r.lx.groups[g].words)
				take(o, n, false)
			}
		}
		if sort == aside && around > best.to-best.from {
			i += around - 1 // "good heavens"
			continue
		}
		if best.option < 0 || tie || r.in(i, cue.Well) && best.to == i+1 && r.onlyLeadsOn(i) {
			continue // "Well, it was hot"
		}
		i = best.to - 1
		if at := r.deniedAt(best.from); at >= 0 {
			not := slices.IndexFunc(r.q.Options, func(o Option) bool { return o.Value == r.q.Options[best.option].Not })
			if not < 0 || r.in(at, cue.Never) {
				continue
			}
			best.option, best.from = not, at
		}
		out = append(out, best)
	}
	return out
}

// onlyLeadsOn reports whether the "well" at i only introduces what follows, or stands among others
// of its kind: "well, well, well".
func (r choosing) onlyLeadsOn(i int) bool {
	if r.in(i+1, cue.Well) || r.in(i-1, cue.Well) || i == 0 && len(r.toks) > 1 && r.slice(1, len(r.toks)).onlyAside(len(r.toks)-1) && !r.in(1, cue.Thank) {
		return true // "Well, let me think, I would say,"
	}
	after := r.said[r.toks[i].end:] // the voice trails off: "well…"
	return !r.follows(i) && (!r.standsAlone(i, i+1) || strings.HasPrefix(after, "..") || strings.HasPrefix(after, "…"))
}

// deniedAt returns the token at which the words begin that deny the option at i, or -1: "not good",
// "I've not been eating well", "no worse", "anything but good". A "no" that opens the clause is an
// answer of its own, unless it stands right before what it denies.
func (r choosing) deniedAt(i int) int {
	if r.follows(i) && r.starts(i-2, cue.FarFrom) {
		return i - 2
	}
	for k := i - 1; k >= 0 && i-k <= 5 && r.follows(k+1); k-- {
		if r.in(k, cue.Negs) && (!r.in(k, cue.DeniesNext) || k == i-1 || !r.opens(k)) {
			return k
		}
		if !r.in(k, cue.SoftNegs) && !r.in(k, cue.AroundOption) && !r.q.about(r.at(k)) {
			return -1
		}
	}
	return -1
}

// optionAt returns the length of an option's own words at i, or 0.
func (r choosing) optionAt(o Option, i int) int {
	best := r.spelt(strings.ReplaceAll(o.Value, "_", " "), i)
	for _, w := range o.Words {
		best = max(best, r.spelt(w, i))
	}
	return best
}

// spelt returns the length in tokens of words at i, or 0 if they are not there.
func (r *text) spelt(words string, i int) int {
	n := 0
	for word := range strings.FieldsSeq(words) {
		if r.at(i+n) != word || n > 0 && r.before(i+n) == hard {
			return 0
		}
		n++
	}
	return n
}

// members returns, for each group of synonyms, the index of the option that it stands for, or a
// negative number. An option stands for a group if it has a key of it; none does if several options
// have one, or if the group applies to another subject.
func (r choosing) members() []int {
	const none, several = -1, -2
	out := slices.Repeat([]int{none}, len(r.lx.groups))
	claim := func(key string, o int) {
		for _, g := range r.lx.keyed[key] {
			switch topics := r.lx.groups[g].topics; {
			case out[g] == o || topics != 0 && !r.asksOf(topics):
			case out[g] == none:
				out[g] = o
			default:
				out[g] = several
			}
		}
	}
	for o := range r.q.Options {
		claim(r.q.Options[o].Value, o)
		for _, w := range r.q.Options[o].Words {
			claim(w, o)
		}
	}
	return out
}

// lastMatch drops the options that were taken back.
func (r choosing) lastMatch(ms []match) []match {
	for i := len(ms) - 1; i > 0; i-- {
		if ms[i].option != ms[i-1].option && r.fixedBetween(ms[i-1].to, ms[i].from) {
			return ms[i:]
		}
	}
	// "Not too good and not too bad, fair": the last one, when it stands alone.
	if last := ms[len(ms)-1]; last.own && last.from > 0 && r.alone(last.from, last.to) && r.onlyPlain(last.to, len(r.toks)) &&
		!r.any(ms[0].to, last.from, cue.Or) && (!r.q.Strict || !ms[0].own || !r.published(ms[0])) {
		return ms[len(ms)-1:]
	}
	return ms
}

// byAmount reads an amount in the question's unit that means an option.
func (r choosing) byAmount() (Reading, bool) {
	if r.q.Unit == "" {
		return Reading{}, false
	}
	got := r.ask(&Question{Kind: Number, Unit: r.q.Unit}).numeric().readNumber()
	n := int(math.Round(got.Value.Number))
	if i, _ := r.find(got.Quote); r.q.Strict && (n == 0 && !r.onlyPlain(0, i) || r.in(i-1, cue.OfThe) && r.in(i-2, cue.Of)) {
		return Reading{}, false // "there wasn't a day I could, not one", "the worst one of the four"
	}
	for _, o := range r.q.Options {
		if got.Confidence >= SettleAt && (o.From != 0 || o.To != 0) && n >= o.From && n <= o.To {
			got.Value = Value{Kind: Choice, Choice: o.Value}
			got.Confidence, got.Why = min(got.Confidence, fair), "amount"
			return got, true
		}
	}
	return Reading{}, false
}

// byPlace reads "the second one", "number two", "the last of those you read".
func (r choosing) byPlace() (Reading, bool) {
	for i := range r.toks {
		place, n := r.place(i, len(r.q.Options))
		for n > 0 && r.in(i+n, cue.OfList) && r.follows(i+n) {
			n++
		}
		if place >= 1 && place <= len(r.q.Options) && r.standsAlone(i, i+n) {
			return Reading{
				Status: Answered, Value: Value{Kind: Choice, Choice: r.q.Options[place-1].Value}, Confidence: stated,
				Quote: r.quote(i, i+n), Why: "place",
			}, true
		}
	}
	return Reading{}, false
}

// place returns the place named at token i, in a row of count, and the length of the name in
// tokens.
func (r choosing) place(i, count int) (place, n int) {
	if r.in(i, cue.NumberOf) {
		v, k := r.number(i+1, false)
		return int(v), 1 + k
	}
	place, _ = r.value(i, cue.Places)
	switch {
	case r.in(i, cue.Last):
		place = count
	case r.in(i, cue.Middle) && count%2 == 1:
		place = count/2 + 1
	}
	n = 1
	if r.in(i+1, cue.OneOfThem) {
		n = 2
	}
	return place, n
}

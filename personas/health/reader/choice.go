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

// readChoice reads one of the options: by its own words, a synonym, an amount
// that means it, or its place ("the second one").
func (r *reply) readChoice(q Question) Reading {
	ms := r.matches(q)
	if got, ok := r.same(q); ok && !r.choosesSame(q, ms) && (len(ms) == 0 || got.Status == Answered && r.onlyWithin(ms, got)) {
		return got
	}
	if len(ms) == 0 {
		if got, ok := r.byAmount(q); ok {
			return got
		}
		if got, ok := r.byPlace(q); ok {
			return got
		}
		return Reading{Status: Unclear, Why: "no option"}
	}
	ms = r.lastMatch(ms)
	best := ms[0]
	for _, m := range ms[1:] {
		if m.option != best.option {
			return Reading{Status: Unclear, Why: "several options", Quote: r.quote(ms[0].from, m.to)}
		}
		if m.own && !best.own {
			best = m
		}
	}
	conf := 0.85
	switch {
	case r.bare(best.from, best.to):
		conf = 0.95
	case best.own:
		conf = 0.9
	}
	if r.elsewhere(best.from) || !r.fits(q, best) || r.otherwise(best) {
		conf = 0.55
	}
	if q.Strict && !r.chosenAlone(ms) {
		conf = 0.55
	}
	if i, _, _ := r.anywhere(cue.Maybe); i >= 0 {
		conf = math.Min(conf, 0.72)
	}
	if r.lostAfter(best.to) {
		conf = math.Min(conf, 0.6)
	}
	why := "synonym"
	if best.own {
		why = "option"
	}
	return Reading{
		Status: Answered, Value: Value{Kind: Choice, Choice: q.Options[best.option].Value}, Confidence: conf,
		Quote: r.quote(best.from, best.to), Why: why,
	}
}

// chosenAlone reports whether nothing but small words, and the reason behind it, goes with
// the options in their sentences.
func (r *reply) chosenAlone(ms []match) bool {
	for i, m := range ms {
		from, to := m.from, m.to
		for r.before(from) != hard {
			from--
		}
		for r.before(to) != hard && !r.in(to, cue.Reasons) {
			to++
		}
		for k := from; k < to; k++ {
			w := r.at(k)
			among := k >= m.from && k < m.to || i > 0 && k < ms[i-1].to || i+1 < len(ms) && k >= ms[i+1].from
			if !among && !r.toks[k].plain && !r.lx.is(w, cue.SoftNegs) && !r.lx.is(w, cue.Joiners) && !r.lx.is(w, cue.WithOption) {
				return false
			}
		}
	}
	return true
}

// elsewhere reports whether the clause is about someone else.
func (r *reply) elsewhere(i int) bool {
	from, _ := r.clause(i)
	for k := from; k < i; k++ {
		if r.in(k, cue.Selves) && r.at(k) != "my" {
			return false
		}
		if w := r.at(k); w == "he" || w == "she" || w == "he's" || w == "she's" || w == "they're" || w == "his" || w == "her" || w == "husband" || w == "wife" {
			return true
		}
	}
	return false
}

// fits reports whether the words around an option leave it an answer: "I slept
// well" does, "sometimes I don't know where they went" and "lovely weather" do not.
func (r *reply) fits(q Question, m match) bool {
	if !r.fitsBefore(q, m) {
		return false
	}
	for k := m.from; k < m.to; k++ {
		if r.in(k, cue.Selves) {
			return true
		}
	}
	for k := m.from - 1; k >= 0 && r.before(k+1) == run && !r.in(k, cue.Joiners); k-- {
		w := r.at(k)
		if r.lx.is(w, cue.Selves) && w != "my" {
			doubted, ok := r.thought(k)
			return ok && !doubted
		}
		if !r.small(k) && !q.about(w) && !r.lx.is(w, cue.AroundOption) {
			return false
		}
	}
	return true
}

// fitsBefore reports whether what follows an option in its clause leaves it an answer:
// "a bad night" is one of sleep alone, "plenty of visitors" of nothing here.
func (r *reply) fitsBefore(q Question, m match) bool {
	next := r.at(m.to)
	switch {
	case r.before(m.to) != run || r.toks[m.to].aside || r.lx.is(next, cue.Joiners):
		return true
	case next == "of" || next == "for" && r.at(m.to-1) == "hungry":
		return r.speaksOf(q, m.to+1)
	case next == "enough" && r.at(m.to-1) == "fair":
		return false // it may as well agree to go on
	}
	return r.lx.is(next, cue.AfterOption) || q.about(next) || (next == "night" || next == "nights") && q.about("sleep")
}

// speaksOf reports whether the word at i, or the one behind its article, names what q
// asks about.
func (r *reply) speaksOf(q Question, i int) bool {
	if w := r.at(i); w == "a" || w == "the" || w == "my" {
		i++
	}
	if q.about(r.at(i)) {
		return true
	}
	for _, t := range q.themesOf(r.lx) {
		if r.lx.is(subject(r.at(i)), t.topics) || r.in(i, t.things) {
			return true
		}
	}
	return false
}

// otherwise reports whether an option is named for another time, or for how it could be:
// "it was worse last week", "I've had worse", "it could be better".
func (r *reply) otherwise(m match) bool {
	from, to := r.clause(m.from)
	for k := from; k < m.from; k++ {
		if r.in(k, cue.CouldBe) {
			return true
		}
		if w := r.at(k); r.lx.is(w, cue.Selves) && w != "my" && r.in(m.from, cue.Comparative) && m.to-m.from == 1 && (r.at(m.from-1) == "had" || r.at(m.from-1) == "been") {
			return true
		}
	}
	for k := from; k < to; k++ {
		if r.starts(k, cue.OtherDay) && r.at(k-1) != "than" {
			return true
		}
	}
	return false
}

// choosesSame reports whether "the same" is itself an option.
func (r *reply) choosesSame(q Question, ms []match) bool {
	for _, m := range ms {
		if strings.Contains(q.Options[m.option].Value, "same") {
			return true
		}
	}
	return false
}

// onlyWithin reports whether all matches lie within the words of "same as
// yesterday".
func (r *reply) onlyWithin(ms []match, got Reading) bool {
	for _, m := range ms {
		if !strings.Contains(got.Quote, r.quote(m.from, m.to)) {
			return false
		}
	}
	return true
}

// matches are the options named, longest words first, without those denied.
func (r *reply) matches(q Question) []match {
	member := r.members(q)
	var out []match
	for i := 0; i < len(r.toks); i++ {
		if m, _ := r.match(i, cue.Idioms); m > 0 {
			i += m - 1
			continue
		}
		around, sort := r.match(i, cue.Plain)
		best, tie := match{option: -1}, false
		take := func(option, n int, own bool) {
			switch {
			case n == 0 || n < best.to-best.from:
			case n == best.to-best.from && best.option != option:
				switch {
				case own && !best.own:
					best, tie = match{option, i, i + n, own}, false
				case own == best.own:
					tie = true
				}
			default:
				best, tie = match{option, i, i + n, own || best.own && best.option == option && n == best.to-best.from}, false
			}
		}
		for o := range q.Options {
			take(o, r.optionAt(q.Options[o], i), true)
		}
		for g := range r.lx.groups {
			if o := member[g]; o >= 0 {
				n, _ := r.match(i, r.lx.groups[g].words)
				take(o, n, false)
			}
		}
		if sort == aside && around > best.to-best.from {
			i += around - 1 // "good heavens"
			continue
		}
		if best.option < 0 || tie || r.at(i) == "well" && best.to == i+1 && r.onlyLeadsOn(i) {
			continue // "Well, it was hot"
		}
		i = best.to - 1
		if at := r.deniedAt(q, best.from); at >= 0 {
			not := slices.IndexFunc(q.Options, func(o Option) bool { return o.Value == q.Options[best.option].Not })
			if not < 0 || r.at(at) == "never" {
				continue
			}
			best.option, best.from = not, at
		}
		out = append(out, best)
	}
	return out
}

// onlyLeadsOn reports whether the "well" at i begins a thought, or stands among others
// of its kind: "well, well, well".
func (r *reply) onlyLeadsOn(i int) bool {
	if r.at(i+1) == "well" || r.at(i-1) == "well" {
		return true
	}
	if i == 0 && len(r.toks) > 1 && !slices.ContainsFunc(r.toks[1:], func(t token) bool { return !t.aside }) && !r.thanks(1) {
		return true // "Well, let me think, I would say,"
	}
	return r.before(i) != run && (!r.standsAlone(i, i+1) || r.trails(i+1))
}

// thanks reports whether the word at i begins to thank.
func (r *reply) thanks(i int) bool {
	return r.at(i) == "thank" || r.at(i) == "thanks" || r.at(i) == "ta"
}

// trails reports whether the voice trails off behind the words before i: "well…".
func (r *reply) trails(i int) bool {
	after := r.said[r.toks[i-1].end:]
	return strings.HasPrefix(after, "..") || strings.HasPrefix(after, "…")
}

// deniedAt is where the words begin that deny the option at i, or -1: "not good", "I've not
// been eating well", "no worse", "anything but good". A "no" that opens the clause is an
// answer of its own, unless it is run together with what it denies.
func (r *reply) deniedAt(q Question, i int) int {
	if r.before(i) == run && (r.at(i-2) == "anything" && r.at(i-1) == "but" || r.at(i-2) == "far" && r.at(i-1) == "from") {
		return i - 2
	}
	for k := i - 1; k >= 0 && i-k <= 5 && r.before(k+1) == run; k-- {
		if w := r.at(k); r.lx.is(w, cue.Negs) && (w != "no" || k == i-1 || !r.opens(k)) {
			return k
		}
		if !r.in(k, cue.SoftNegs) && !r.in(k, cue.AroundOption) && !q.about(r.at(k)) {
			return -1
		}
	}
	return -1
}

// optionAt is the length of an option's own words at i.
func (r *reply) optionAt(o Option, i int) int {
	best := r.spelt(strings.ReplaceAll(o.Value, "_", " "), i)
	for _, w := range o.Words {
		best = max(best, r.spelt(w, i))
	}
	return best
}

// spelt is the length in tokens of words at i, 0 when they are not there.
func (r *reply) spelt(words string, i int) int {
	n := 0
	for word := range strings.FieldsSeq(words) {
		if r.at(i+n) != word || n > 0 && r.before(i+n) == hard {
			return 0
		}
		n++
	}
	return n
}

// members says for each group of synonyms which option it stands for: the one
// that has a key of the group; none when several have, or where the group is said of
// another subject.
func (r *reply) members(q Question) []int {
	out := make([]int, len(r.lx.groups))
	for g := range r.lx.groups {
		out[g] = -1
		for o, opt := range q.Options {
			if !r.lx.groups[g].has(opt) || !r.lx.groups[g].of(r.lx, q) {
				continue
			}
			if out[g] >= 0 && out[g] != o {
				out[g] = -2
				break
			}
			out[g] = o
		}
	}
	return out
}

// of reports whether the group's words answer q.
func (g *group) of(lx *Lexicon, q Question) bool {
	return g.topics == 0 || slices.ContainsFunc(q.Topic, func(t string) bool { return lx.is(t, g.topics) })
}

func (g *group) has(o Option) bool {
	if g.keys[strings.ReplaceAll(o.Value, " ", "_")] {
		return true
	}
	for _, w := range o.Words {
		if g.keys[strings.ReplaceAll(w, " ", "_")] {
			return true
		}
	}
	return false
}

// inRange reports whether the reply lists options without choosing.
func (r *reply) inRange(ms []match, last match) bool {
	for k := ms[0].to; k < last.from; k++ {
		if r.at(k) == "or" {
			return true
		}
	}
	return false
}

// lastMatch drops the options that were taken back.
func (r *reply) lastMatch(ms []match) []match {
	for i := len(ms) - 1; i > 0; i-- {
		if ms[i].option != ms[i-1].option && r.fixedBetween(ms[i-1].to, ms[i].from) {
			return ms[i:]
		}
	}
	// "Not too good and not too bad, fair": the last one, when it stands alone.
	if last := ms[len(ms)-1]; last.own && last.from > 0 && r.before(last.from) != run && r.plainUntilPause(last.to) && r.onlyPlain(last.to, len(r.toks)) &&
		!r.inRange(ms, last) {
		return ms[len(ms)-1:]
	}
	return ms
}

// byAmount reads an amount in the question's unit that means an option.
func (r *reply) byAmount(q Question) (Reading, bool) {
	if q.Unit == "" {
		return Reading{}, false
	}
	got := r.readNumber(Question{Kind: Number, Unit: q.Unit})
	if got.Status != Answered || got.Confidence < SettleAt {
		return Reading{}, false
	}
	n := int(math.Round(got.Value.Number))
	for _, o := range q.Options {
		if (o.From != 0 || o.To != 0) && n >= o.From && n <= o.To {
			got.Value = Value{Kind: Choice, Choice: o.Value}
			got.Confidence, got.Why = math.Min(got.Confidence, 0.8), "amount"
			return got, true
		}
	}
	return Reading{}, false
}

// byPlace reads "the second one", "number two", "the last".
func (r *reply) byPlace(q Question) (Reading, bool) {
	for i := range r.toks {
		place, n := r.place(i, len(q.Options))
		if n == 0 || place < 1 || place > len(q.Options) || !r.bare(i, i+n) {
			continue
		}
		return Reading{
			Status: Answered, Value: Value{Kind: Choice, Choice: q.Options[place-1].Value}, Confidence: 0.82,
			Quote: r.quote(i, i+n), Why: "place",
		}, true
	}
	return Reading{}, false
}

func (r *reply) place(i, count int) (place, n int) {
	switch r.at(i) {
	case "first":
		place = 1
	case "second":
		place = 2
	case "third":
		place = 3
	case "fourth":
		place = 4
	case "fifth":
		place = 5
	case "last":
		place = count
	case "middle":
		if count%2 == 1 {
			place = count/2 + 1
		}
	case "number", "option":
		v, k := r.number(i+1, false)
		if k == 0 || v != math.Trunc(v) || v > 100 {
			return 0, 0
		}
		return int(v), 1 + k
	}
	if place == 0 {
		return 0, 0
	}
	if r.at(i+1) == "one" || r.at(i+1) == "option" || r.at(i+1) == "answer" {
		return place, 2
	}
	return place, 1
}

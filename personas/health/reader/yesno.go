package reader

import (
	"slices"
	"strings"
)

// signal is a part of the reply that means yes or no.
type signal struct {
	yes        bool
	from, to   int
	confidence float64
	why        string
	near       bool // "nearly": must be read back
}

// bare reports whether the signal is a yes or no without a statement.
func (s signal) bare() bool { return s.why == yesOrNo || s.why == lastYesOrNo }

// The rules for a bare yes or no.
const (
	yesOrNo     = "yes or no"
	lastYesOrNo = "last yes or no"
)

// readBoolean reads yes or no. A statement of what happened ("I took them") counts more than an
// echo ("I did"), and an echo more than a yes or no, since people say "no, no, I took them".
func (r telling) readBoolean() Reading {
	same, alike := r.same()
	if alike = alike && !r.saysYesOrNo(0); alike && same.Status == Answered {
		return same
	}
	whole := r.talking()
	r.text = whole.withoutTalk()
	s, ok := r.verdict()
	if i := r.echoed(); i > 0 {
		rest := r
		rest.text = r.slice(i, len(r.toks))
		if said, told := rest.verdict(); told {
			r, s, ok = rest, said, told
		}
	}
	switch {
	case alike && (!ok || s.bare()):
		return same
	case !ok:
		return Reading{Status: Unclear, Why: s.why, Quote: r.quote(s.from, s.to)}
	}
	if i, n, _ := r.anywhere(cue.OrWas); i >= s.to {
		return Reading{Status: Unclear, Why: "doubted", Quote: r.quote(s.from, i+n)}
	}
	if s.bare() {
		if whole.ofTheCall(whole.after(r.toks[s.to-1].end)) {
			s.confidence, s.why = min(s.confidence, guess), "of the call"
		}
		if s.bare() && r.answersOther(s) {
			return Reading{Status: Unclear, Why: "of something else", Quote: r.quote(s.from, s.to)}
		}
		if !s.yes && r.hurtsAfterAll(s.to) || r.has(cue.Dodges) {
			s.confidence = min(s.confidence, guess)
		}
	}
	return Reading{
		Status: Answered, Value: Value{Kind: Boolean, Bool: s.yes}, Confidence: s.confidence,
		Quote: r.quote(s.from, s.to), Why: s.why, Risky: s.near,
	}
}

// mostEchoed is the most words in which a question is asked back.
const mostEchoed = 4

// echoed returns the token after a question back that opens the reply, "dizzy? no, not today", or 0.
func (r telling) echoed() int {
	for i := range min(mostEchoed, len(r.toks)-1) {
		if r.toks[i].asked {
			return i + 1
		}
	}
	return 0
}

// answersOther reports whether a yes or no belongs to what follows it in the sentence, and that is
// about another subject: the "no" of "no, I haven't taken them" does not answer a question about a
// fall.
func (r telling) answersOther(s signal) bool {
	own := r.q.themesOf(r.lx)
	_, to := r.around(s.from, s.to, hard)
	for i := s.to; i < to; i++ {
		if r.q.about(r.at(i)) {
			return false
		}
	}
	for k := range r.lx.themes {
		t := &r.lx.themes[k]
		if len(own) == 0 || slices.Contains(own, t) || t.symptom || t.vague && !t.objects {
			continue
		}
		for i := s.to; i < to && !r.in(i, cue.Joiners); i++ {
			if n, happened := r.stated(t, i); n > 1 && !t.vague && happened == s.yes {
				return true
			}
			idiom, _ := r.match(i, t.idioms)
			n, _ := r.match(i, t.did)
			m, _ := r.match(i, t.didnt)
			if max(n, m) <= idiom {
				continue
			}
			if got, ok := r.ownObject(t, i, max(n, m), n >= m); ok && got.yes == s.yes && got.confidence >= SettleAt {
				return true
			}
		}
	}
	return false
}

// hurtsAfterAll reports whether a "no" that ends before i is followed by a complaint that
// contradicts it, in a reply to a question without a topic: "no, well, my hip is sore".
func (r telling) hurtsAfterAll(i int) bool {
	for after := false; i < len(r.toks) && len(r.q.Topic) == 0; i++ {
		after = after || r.in(i, cue.ButWell)
		if after && r.in(i, cue.Hurting) && !r.negatedBefore(i) {
			return true
		}
	}
	return false
}

// saysYesOrNo reports whether a yes or no opens a clause at or after token i.
func (r *text) saysYesOrNo(i int) bool {
	for ; i < len(r.toks); i++ {
		if r.starts(i, cue.Particles) && r.opens(i) {
			return true
		}
	}
	return false
}

// verdict combines the signals of the reply into one.
func (r telling) verdict() (signal, bool) {
	r.text = r.untagged()
	part, partOK := r.particles()
	state, stateOK := r.statement()
	echo, echoOK := r.echo()
	task := r.q.task(r.lx)
	if task != nil && echoOK && !r.in(echo.to-1, cue.OfTasks) && r.aux(echo.to-1) != 0 {
		echoOK = false // "I would, but I can't open the bottle" does not say that it was done
	}
	if i, n, _ := r.anywhere(cue.Amiss); i >= 0 && task != nil && task.objects {
		return signal{from: i, to: i + n, why: "amiss"}, false
	}
	i, n, why := r.anywhere(cue.Unclear)
	if i >= 0 && partOK && !part.yes && part.from < i && r.in(i, cue.No) && !r.follows(i) {
		i = -1 // "no, no trouble of that sort"
	}
	if i >= 0 && r.opens(i) && !stateOK && (!echoOK || echo.from <= i+n) && (!partOK || !r.fixedBetween(i+n, part.from+1)) {
		return signal{from: i, to: i + n, why: why}, false
	}
	var s signal
	switch {
	case stateOK && partOK && part.why == yesOrNo && !part.yes && state.yes && part.from < state.from && r.starts(state.from, cue.Habit):
		s = part // "not yet, I take them with my supper"
	case stateOK:
		s = state
		if partOK && part.yes == s.yes {
			s.confidence = max(s.confidence, certain)
		}
	case echoOK:
		s = echo
		if partOK && !r.fixedBetween(part.to, echo.from) && (part.yes && !echo.yes || !part.yes && echo.yes && part.from < echo.from && !r.ends(echo.to)) {
			return signal{why: "yes and no"}, false // "not yet, I have them with my supper"
		}
	case partOK:
		s = part
	default:
		if g, ok := r.gradedOrFuture(); ok {
			return g, true
		}
		return signal{why: "no yes or no"}, false
	}
	if i, n, _ := r.anywhere(cue.Maybe); i >= 0 && (i < s.from || i+n > s.to) {
		worth := doubtful
		if r.starts(i, cue.IThinkI) {
			worth = likely
		}
		s.confidence = min(s.confidence, worth)
	}
	if task != nil && s.yes != r.q.Negated {
		if r.ofAnotherDay(s.from) {
			s.confidence = min(s.confidence, guess)
		}
		if but, ok := r.allBut(s.to); ok {
			return but, true
		}
	}
	if task == nil && s.yes == r.q.Negated && r.onlySince(s) {
		s.yes, s.confidence, s.why = !s.yes, guess, "since"
	}
	return s, true
}

// The most words that may name what was left out behind "but". More are likely a sentence of their
// own.
const (
	exceptedWords      = 6
	exceptedAfterPause = 4 // "all, but the blue one made me sick"
)

// allBut returns the signal of words at or after token i that leave something out of a task: "all
// but the blue one". "I took them all, but I was late" leaves nothing out, and who "ate the lot but
// the crusts" has eaten. If it is not clear whether anything is left out, the signal is near.
func (r telling) allBut(i int) (signal, bool) {
	for ; i < len(r.toks); i++ {
		n, _ := r.match(i, cue.Exceptions)
		if n == 0 {
			continue
		}
		s := signal{yes: r.q.Negated, from: i, to: i + n, confidence: likely, why: "all but"}
		if r.in(s.to-1, cue.But) && s.to < len(r.toks) {
			_, to := r.around(s.to, s.to+1, soft)
			if !r.q.task(r.lx).objects || r.in(s.to, cue.Selves) && !r.in(s.to, cue.MyMine) || !r.follows(s.to-1) && to-s.to > exceptedAfterPause {
				continue
			}
			s.near = to-s.to > exceptedWords || slices.ContainsFunc(r.toks[s.to:to], func(t token) bool { return r.lx.aux(t.text) != 0 })
		}
		return s, true
	}
	return signal{}, false
}

// onlySince reports whether a no says since which day, and so that it happened on that day: "not
// since Tuesday", "I haven't fallen since Tuesday". "No, I've been in bed since Tuesday" does not.
func (r telling) onlySince(s signal) bool {
	for i := s.from; i < len(r.toks); i++ {
		if n, _ := r.match(i, cue.SinceDay); n > 0 && i+n > s.to {
			return true
		}
		if i >= s.to && !r.small(i) {
			return false
		}
	}
	return false
}

// untagged returns the reply without a tag question at its end: "I did, didn't I?".
func (r telling) untagged() *text {
	for i := max(1, len(r.toks)-3); i < len(r.toks)-1; i++ {
		if n, _ := r.match(i, cue.TagQuestions); i+n == len(r.toks) && !r.follows(i) {
			return r.slice(0, i)
		}
	}
	return r.text
}

// opens reports whether an answer can begin at token i: at the start of a clause, or after plain
// words or another yes or no.
func (r *text) opens(i int) bool {
	for i > 0 && r.follows(i) {
		i--
		if r.in(i, cue.Joiners) {
			return true
		}
		if !r.toks[i].plain && !r.starts(i, cue.Particles) && !r.starts(i, cue.Fix) {
			return false
		}
	}
	return true
}

// particles returns the last yes or no that opens a clause. If there are two different ones, its
// confidence is lower.
func (r telling) particles() (signal, bool) {
	var got []signal
	for i := 0; i < len(r.toks); i++ {
		n, value := r.match(i, cue.Particles)
		s := signal{yes: strings.HasSuffix(value, yes), confidence: certain, from: i, why: yesOrNo}
		if strings.HasPrefix(value, "likely") {
			s.confidence = likely
		}
		if k := r.notAnything(i); k > n {
			n, s.yes, s.confidence = k, false, fair
		}
		if u, _ := r.match(i, cue.Unclear); u > n {
			i += u - 1
			continue
		}
		if m, _ := r.match(i-1, cue.Plain); n == 0 || m > n && r.endsClause(i+n) || !r.opens(i) || !r.standsFor(i, i+n) || r.exclaims(i, i+n) {
			continue // "and that's it" is not a yes
		}
		if r.toks[i+n-1].asked {
			s.confidence = min(s.confidence, guess) // "yes?" asks what the caller wants
		}
		if s.confidence < sure && !r.plainUntilPause(i+n) && !r.in(i, cue.NotCant) && n < 3 {
			continue
		}
		s.to = i + n
		got = append(got, s)
		i += n - 1
	}
	if len(got) == 0 {
		return signal{}, false
	}
	last := got[len(got)-1]
	if got[0].yes != last.yes {
		last.confidence, last.why = likely, lastYesOrNo
		if !last.yes && r.before(last.from) == hard && !r.plainBefore(last.from) && len(got) > 2 {
			last.confidence = doubtful
		}
	}
	return last, true
}

// negatedBefore reports whether a negation stands before i in its clause, with only small words
// between.
func (r *text) negatedBefore(i int) bool {
	for k := i - 1; k >= 0 && r.follows(k+1); k-- {
		if r.in(k, cue.Negs) || !r.in(k, cue.SoftNegs) {
			return r.in(k, cue.Negs)
		}
	}
	return false
}

package reader

import (
	"math"
	"strings"
)

// themesOf are the themes that a question belongs to.
func (q Question) themesOf(lx *Lexicon) []*theme {
	var out []*theme
	for i := range lx.themes {
		for _, t := range q.Topic {
			if lx.is(t, lx.themes[i].topics) {
				out = append(out, &lx.themes[i])
				break
			}
		}
	}
	return out
}

func (q Question) task(lx *Lexicon) *theme {
	for _, t := range q.themesOf(lx) {
		if t.task {
			return t
		}
	}
	return nil
}

func (q Question) symptom(lx *Lexicon) bool {
	for _, t := range q.themesOf(lx) {
		if t.symptom {
			return true
		}
	}
	return false
}

// statement finds out what the reply tells about the question's event: "I took
// them at eight", "I've not fallen", "I nearly fell". What others did, and what
// happened long ago, is left out.
func (r *reply) statement(q Question) (signal, bool) {
	var got []signal
	add := func(s signal, ok bool) {
		if ok {
			got = append(got, s)
		}
	}
	for _, t := range q.themesOf(r.lx) {
		for i := range r.toks {
			idiom, _ := r.match(i, t.idioms)
			if n, happened := r.stated(t, i); n > 0 && idiom <= n && !r.longAgo(i) {
				if r.ofSomebody(t, i) {
					continue
				}
				if !happened && r.leftOver(i, got) {
					continue
				}
				s := signal{yes: happened, from: i, to: i + n, confidence: 0.82, why: "statement"}
				if r.negatedBefore(i) {
					s.yes = !s.yes
				}
				if r.futureBefore(i) && t.task {
					s.yes, s.confidence, s.why = false, 0.75, "not yet"
				}
				got = append(got, s)
				continue
			}
			if r.in(i, t.things) {
				add(r.hadThing(t, i))
			}
			if r.in(i, t.parts) {
				add(r.faring(i))
			}
			if n, _ := r.match(i, t.did); n > 0 && idiom < n {
				add(r.ownObject(q, t, i, n, true))
			}
			if n, _ := r.match(i, t.didnt); n > 0 && idiom < n {
				add(r.ownObject(q, t, i, n, false))
			}
		}
	}
	for i := range got {
		got[i].yes = got[i].yes != q.Negated
	}
	got = append(got, r.ownPhrases(q)...)
	return r.together(q, got)
}

// stated is the length of a statement of the theme at token i, and whether it says that
// the event happened.
func (r *reply) stated(t *theme, i int) (n int, happened bool) {
	n, value := r.match(i, t.states)
	return n, value == yes
}

// ofSomebody reports whether a statement at i is somebody else's: "they've had
// nothing". What is to be taken is "they" as well, and "she gave them to me" is mine.
func (r *reply) ofSomebody(t *theme, i int) bool {
	if r.before(i) != run || !r.ofOthers(i) {
		return false
	}
	if w := r.at(i - 1); t.objects && (w == "they" || w == "they're" || w == "they've") {
		return false
	}
	_, to := r.clause(i)
	for k := i; k < to; k++ {
		if r.at(k) == "me" {
			return false
		}
	}
	return true
}

// hadThing reads "I had fish cakes for lunch".
func (r *reply) hadThing(t *theme, i int) (signal, bool) {
	for k := i - 1; k >= max(0, i-6) && r.before(k+1) == run && !r.in(k, cue.Joiners); k-- {
		if r.at(k) == "had" {
			s, ok := r.told(t, k, i+1-k, !r.anyNegation(k, i))
			s.confidence = math.Min(s.confidence, 0.8)
			return s, ok
		}
	}
	return signal{}, false
}

func (r *reply) anyNegation(i, j int) bool {
	for ; i < j; i++ {
		if r.in(i, cue.Negs) {
			return true
		}
	}
	return false
}

// faring reads "my breathing's been fine" and "my chest is tight".
func (r *reply) faring(i int) (signal, bool) {
	for k := i + 1; k < len(r.toks) && k <= i+5 && r.before(k) == run; k++ {
		w := r.at(k)
		if r.lx.is(w, cue.FaresWell) || r.lx.is(w, cue.FaresBadly) {
			s := signal{yes: r.lx.is(w, cue.FaresBadly), from: i, to: k + 1, confidence: 0.8, why: "statement"}
			if r.negatedBefore(k) {
				s.yes, s.confidence = !s.yes, 0.74
			}
			return s, r.at(i-1) == "my" || r.at(i-1) == "the" || r.before(i) != run
		}
		if !r.lx.is(w, cue.Fares) && !r.lx.is(w, cue.Negs) {
			return signal{}, false
		}
	}
	return signal{}, false
}

// ownObject is told, less sure of itself when what follows the verb may be
// anything: "I took the bus", "I forgot my glasses".
func (r *reply) ownObject(q Question, t *theme, i, n int, happened bool) (signal, bool) {
	s, ok := r.told(t, i, n, happened)
	switch {
	case s.near && !happened:
		return s, false // "I nearly forgot" tells nothing of what was done
	case ok && t.objects && !r.objectFits(q, t, i+n):
		s.confidence = 0.55
	case ok && (r.at(i) == "take" || r.at(i) == "eat") && r.at(i-1) == "i":
		s.confidence = math.Min(s.confidence, 0.72) // a habit: "I take them every morning"
		if r.laterOn(i) {
			s.confidence = 0.55 // they may not be due yet: "I take them at night"
		}
	}
	return s, ok
}

// laterOn reports whether the clause around i names a later time of the day.
func (r *reply) laterOn(i int) bool {
	_, to := r.clause(i)
	for k := i; k < to; k++ {
		if r.in(k, cue.Later) {
			return true
		}
	}
	return false
}

func (r *reply) objectFits(q Question, t *theme, i int) bool {
	next := r.at(i)
	if r.before(i) != run || r.toks[i].aside || r.lx.is(next, cue.Joiners) || r.lx.is(next, cue.AnyObject) {
		return true
	}
	if strings.HasSuffix(next, "'s") && next != "it's" && next != "that's" {
		return true // "Tuesday's"
	}
	for k := i; k < len(r.toks) && k <= i+6 && (k == i || r.before(k) == run); k++ {
		w := r.at(k)
		if r.lx.is(subject(w), t.topics) || q.about(w) || w == "one" || w == "ones" || w == "lot" {
			return true
		}
	}
	return false
}

// ownPhrases matches the statements that the question brings along.
func (r *reply) ownPhrases(q Question) []signal {
	var got []signal
	for _, own := range []struct {
		phrases []string
		yes     bool
	}{{q.Yes, true}, {q.No, false}} {
		for _, p := range own.phrases {
			if i, n := r.find(p); i >= 0 && !r.longAgo(i) {
				s := signal{yes: own.yes, from: i, to: i + n, confidence: 0.85, why: "statement"}
				if r.negatedBefore(i) {
					s.yes = !s.yes
				}
				got = append(got, s)
			}
		}
	}
	return got
}

// find is where the words of a phrase stand, or -1.
func (r *reply) find(phrase string) (i, n int) {
	words := r.lx.join(split(phrase))
	for i = 0; i+len(words) <= len(r.toks) && len(words) > 0; i++ {
		same := true
		for k := range words {
			same = same && r.toks[i+k].text == words[k].text && (k == 0 || r.before(i+k) != hard)
		}
		if same {
			return i, len(words)
		}
	}
	return -1, 0
}

// together makes one of several statements. For a task, one thing left out means
// that not all was done.
func (r *reply) together(q Question, got []signal) (signal, bool) {
	if len(got) == 0 {
		return signal{}, false
	}
	got = r.ofToday(q, got)
	last := got[0]
	differ := false
	for _, s := range got[1:] {
		differ = differ || s.yes != last.yes
		if s.from >= last.from {
			last = s
		}
	}
	task := q.task(r.lx) != nil
	if !differ {
		if task && last.yes != q.Negated {
			if i, n, _ := r.anywhere(cue.Exceptions); i >= 0 {
				return signal{yes: q.Negated, from: i, to: i + n, confidence: 0.74, why: "all but"}, true
			}
			if i, n, _ := r.anywhere(cue.Unclear); i >= 0 && n > 1 && r.at(i) != "no" {
				return signal{yes: last.yes, from: i, to: i + n, confidence: 0.5, why: "some"}, true
			}
		}
		return last, true
	}
	if task {
		for _, s := range got {
			if s.yes == q.Negated {
				s.confidence = math.Min(s.confidence, 0.74)
				if from, _ := r.clause(last.from); s.from < from && r.at(from-1) == "but" && !q.task(r.lx).objects {
					s.confidence = 0.6 // "nothing cooked, but I had some bread"
				}
				return s, true
			}
		}
	}
	if from, _ := r.clause(last.from); !last.yes && from > 0 && r.at(from-1) == "but" {
		last.near, last.confidence, last.why = true, 0.72, "but not" // "I tripped but I didn't go down"
		return last, true
	}
	for k, s := range got {
		if s != last && s.yes != last.yes && !r.fixedBetween(min(s.to, last.from), last.from) {
			got[k].confidence = 0.5
			last.confidence = 0.6
		}
	}
	return last, true
}

// ofToday leaves out what was done or left undone on another day, where the reply tells of
// this one as well: "I forgot yesterday, but I've had them today".
func (r *reply) ofToday(q Question, got []signal) []signal {
	if q.task(r.lx) == nil || q.Negated {
		return got
	}
	var today []signal
	for _, s := range got {
		if !r.ofAnotherDay(s.from) {
			today = append(today, s)
		}
	}
	if len(today) == 0 {
		return got
	}
	return today
}

// ofAnotherDay reports whether the clause around i names another day.
func (r *reply) ofAnotherDay(i int) bool {
	from, to := r.clause(i)
	another := false
	for k := from; k < to; k++ {
		if r.starts(k, cue.Today) {
			return false
		}
		n, _ := r.match(k, cue.OtherDay)
		another = another || n > 0 || r.at(k) == "yesterday" || r.at(k) == "last" && r.at(k+1) == "night"
	}
	return another
}

// told judges a verb that says that the event happened, or did not, by the words
// before it: whose doing it was, negations, nearly, will.
func (r *reply) told(t *theme, i, n int, happened bool) (signal, bool) {
	s := signal{yes: happened, from: i, to: i + n, confidence: 0.85, why: "statement"}
	if r.longAgo(i) || r.at(i-1) == "of" && strings.HasSuffix(r.at(i), "ing") {
		return s, false // "I'm afraid of falling" tells of no fall
	}
	if r.noneOf(t, i+n) {
		s.yes, s.confidence = !s.yes, 0.83
	}
	switch r.infinitiveAt(t, i) {
	case stillTo:
		s.yes, s.confidence, s.why = false, 0.75, "not yet"
		return s, true
	case untoldTo:
		return s, false
	case nothing:
		s.yes, s.confidence = false, 0.75
		return s, true
	case toldTo:
	}
	for k := i - 1; k >= 0 && r.before(k+1) != hard; k-- {
		w := r.at(k)
		if r.starts(k, cue.NearMiss) && r.before(k+1) == run {
			s.near = true
		}
		switch {
		case (r.lx.is(w, cue.Negs) || r.lx.is(w, cue.Nones)) && r.before(k+1) == run && (w != "no" || k == i-1):
			s.yes = !s.yes
			s.confidence = math.Min(s.confidence, 0.83)
		case w == "will" || w == "i'll" || w == "we'll" || w == "shall" || w == "going" || w == "must" || w == "should" || w == "to" && r.at(k-1) == "need":
			if !t.task {
				return s, false
			}
			s.yes, s.confidence, s.why = false, 0.75, "not yet"
		case w == "would" || w == "could" || w == "might" || w == "i'd" && r.at(k+1) == "have":
			s.near = true // "I would have fallen but for the rail"
		case w == "if" || w == "did" && r.at(k+1) == "you":
			return s, false
		}
		s.from = k
		switch {
		case r.lx.is(w, cue.Selves) && w != "my" && w != "mine":
			doubted, ok := r.thought(k)
			if doubted {
				s.yes, s.confidence = !s.yes, 0.75
			}
			return s.done(), ok
		case r.before(k+1) == soft || r.lx.is(w, cue.Joiners):
			return r.carried(t, s, k)
		case !r.small(k):
			return s, false
		}
	}
	return s.done(), true
}

// done turns a near miss into what it is: it did not happen.
func (s signal) done() signal {
	if s.near {
		s.yes, s.confidence, s.why = false, 0.72, "nearly"
	}
	return s
}

// carried finds the subject of a clause that does not name one: "I sat down and
// took them" is mine, "my sister came and took hers" is not.
func (r *reply) carried(t *theme, s signal, k int) (signal, bool) {
	s.from = min(s.from+1, s.to-1)
	for ; k >= 0 && r.before(k+1) != hard; k-- {
		w := r.at(k)
		if r.lx.is(w, cue.Others) {
			return s, false
		}
		if r.starts(k, cue.Future) && t.task && r.lx.is(w, cue.Selves) {
			s.yes, s.confidence, s.why = false, 0.75, "not yet" // "I must go and take them"
			return s, true
		}
		if r.lx.is(w, cue.Selves) && w != "my" {
			break
		}
	}
	return s.done(), true
}

// small reports whether the word at k may stand between a subject and its verb.
func (r *reply) small(k int) bool {
	w := r.at(k)
	if r.toks[k].plain || r.lx.is(w, cue.Negs) || r.lx.is(w, cue.Nones) || r.lx.is(w, cue.SoftNegs) || r.lx.aux(w) != 0 {
		return true
	}
	if r.starts(k, cue.Particles) {
		return true
	}
	return r.lx.is(w, cue.SmallWords)
}

// longAgo reports whether the clause around i is about another time.
func (r *reply) longAgo(i int) bool {
	from, to := i, i+1
	for from > 0 && r.before(from) == run {
		from--
	}
	for to < len(r.toks) && r.before(to) == run {
		to++
	}
	at, _, _ := r.slice(from, to).anywhere(cue.LongPast)
	return at >= 0 || r.namesYear(from, to)
}

// namesYear reports whether a year is named in the clause: "in nineteen ninety-eight",
// "back in 1998". A fall of this year is not told by its number.
func (r *reply) namesYear(i, j int) bool {
	for k := i + 1; k < j; k++ {
		if r.at(k-1) != "in" && r.at(k-1) != "since" {
			continue
		}
		if v, n := r.number(k, true); n > 0 && (v >= 1900 && v < 2100 || v == 19 && k+1 < j && r.isNumberWord(k+1)) {
			return true
		}
	}
	return false
}

func (r *reply) futureBefore(i int) bool {
	for k := i - 1; k >= 0 && r.before(k+1) == run; k-- {
		if r.starts(k, cue.Future) {
			return true
		}
	}
	return false
}

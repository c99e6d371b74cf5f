package reader

import (
	"slices"
	"strings"
)

// themesOf returns the themes that a question belongs to.
func (q Question) themesOf(lx *Lexicon) []*theme {
	var out []*theme
	for i := range lx.themes {
		t := &lx.themes[i]
		if slices.ContainsFunc(q.Topic, func(w string) bool { return lx.is(w, t.topics) }) {
			out = append(out, t)
		}
	}
	return out
}

// task returns the first theme of the question that asks whether something was done, or nil.
func (q Question) task(lx *Lexicon) *theme {
	themes := q.themesOf(lx)
	if i := slices.IndexFunc(themes, func(t *theme) bool { return t.task }); i >= 0 {
		return themes[i]
	}
	return nil
}

func (q Question) symptom(lx *Lexicon) bool {
	return slices.ContainsFunc(q.themesOf(lx), func(t *theme) bool { return t.symptom })
}

// statement returns what the reply says of the question's event: "I took them at eight", "I've not
// fallen", "I nearly fell". It leaves out what others did, and what happened long ago.
func (r telling) statement() (signal, bool) {
	var got []signal
	add := func(s signal, ok bool) {
		if ok {
			got = append(got, s)
		}
	}
	for _, t := range r.q.themesOf(r.lx) {
		for i, told := 0, 0; i < len(r.toks); i++ {
			if i < told {
				continue // a part of the previous statement
			}
			idiom, _ := r.match(i, t.idioms)
			if n, happened := r.stated(t, i); n > 0 && idiom <= n && !r.longAgo(i) {
				if r.ofSomebody(t, i) || !happened && r.leftOver(i, got) {
					continue
				}
				s := signal{yes: happened, from: i, to: i + n, confidence: stated, why: "statement"}
				if r.deniedAt(i) {
					s.yes = !s.yes
				}
				if t.task && r.futureBefore(i) {
					s.yes, s.confidence, s.why = false, likely, "not yet"
				}
				got, told = append(got, s), i+n
				continue
			}
			if r.in(i, t.things) {
				add(r.hadThing(t, i))
			}
			if r.in(i, t.parts) {
				add(r.faring(i))
			}
			if n, _ := r.match(i, t.did); n > 0 && idiom < n {
				add(r.ownObject(t, i, n, true))
			}
			if n, _ := r.match(i, t.didnt); n > 0 && idiom < n {
				add(r.ownObject(t, i, n, false))
			}
		}
	}
	for i := range got {
		got[i].yes = got[i].yes != r.q.Negated
	}
	return r.together(append(got, r.ownPhrases()...))
}

// deniedAt reports whether the words before token i deny the statement there. One that is negative
// already is not denied by another negation: "I ain't had no falls".
func (r *text) deniedAt(i int) bool { return r.negatedBefore(i) && !r.in(i, cue.Concord) }

// stated returns the length of a statement of the theme at token i, and whether it says that the
// event happened.
func (r *text) stated(t *theme, i int) (n int, happened bool) {
	n, value := r.match(i, t.states)
	return n, value == yes
}

// ofSomebody reports whether the statement at i is about somebody else: "they've had nothing". In a
// theme with objects, "they" may be the objects, and "she gave them to me" is about the speaker.
func (r telling) ofSomebody(t *theme, i int) bool {
	_, to := r.clause(i)
	return r.follows(i) && r.ofOthers(i) && (!t.objects || !r.in(i-1, cue.They)) && !r.any(i, to, cue.Me)
}

// hadThing reads "I had fish cakes for lunch".
func (r telling) hadThing(t *theme, i int) (signal, bool) {
	for k := i - 1; k >= max(0, i-6) && r.follows(k+1) && !r.in(k, cue.Joiners); k-- {
		if r.in(k, cue.Had) {
			s, ok := r.told(t, k, i+1-k, !r.any(k, i, cue.Negs))
			s.confidence = min(s.confidence, fair)
			return s, ok
		}
	}
	return signal{}, false
}

// faring reads "my breathing's been fine" and "my chest is tight".
func (r telling) faring(i int) (signal, bool) {
	for k := i + 1; k <= i+5 && r.follows(k); k++ {
		if badly := r.in(k, cue.FaresBadly); badly || r.in(k, cue.FaresWell) {
			s := signal{yes: badly, from: i, to: k + 1, confidence: fair, why: "statement"}
			if r.negatedBefore(k) {
				s.yes, s.confidence = !s.yes, likely
			}
			return s, r.in(i-1, cue.Article) || !r.follows(i)
		}
		if !r.in(k, cue.Fares) && !r.in(k, cue.Negs) {
			break
		}
	}
	return signal{}, false
}

// ownObject calls told, and lowers the confidence if what follows the verb may be anything: "I took
// the bus", "I forgot my glasses".
func (r telling) ownObject(t *theme, i, n int, happened bool) (signal, bool) {
	s, ok := r.told(t, i, n, happened)
	switch _, to := r.clause(i); {
	case s.near && !happened:
		return s, false // "I nearly forgot" does not say what was done
	case ok && t.objects && !r.objectFits(t, i+n):
		s.confidence = guess
	case ok && r.starts(i-1, cue.Habit) && r.any(i, to, cue.Later):
		s.confidence = guess // they may not be due yet: "I take them at night"
	}
	return s, ok
}

func (r telling) objectFits(t *theme, i int) bool {
	if !r.follows(i) || r.toks[i].aside || r.in(i, cue.Joiners) || r.in(i, cue.AnyObject) {
		return true
	}
	if r.lx.ends(r.at(i), cue.Being) && !r.in(i, cue.ItsThats) {
		return true // "Tuesday's"
	}
	for k := i; k <= i+6 && (k == i || r.follows(k)); k++ {
		if w := r.at(k); r.lx.is(subject(w), t.topics) || r.q.about(w) || r.in(k, cue.OneOrLot) {
			return true
		}
	}
	return false
}

// ownPhrases finds the statements that the question itself lists in Yes and No.
func (r telling) ownPhrases() []signal {
	var got []signal
	for k, phrase := range slices.Concat(r.q.Yes, r.q.No) {
		if i, n := r.find(phrase); i >= 0 && !r.longAgo(i) {
			got = append(got, signal{yes: k < len(r.q.Yes) != r.deniedAt(i), from: i, to: i + n, confidence: stated, why: "statement"})
		}
	}
	return got
}

// find returns the first token at which the words of a phrase stand and their number, or -1.
func (r *text) find(phrase string) (i, n int) {
	var words []string
	for _, t := range r.lx.tokens(phrase) {
		words = append(words, t.text)
	}
	said := strings.Join(words, " ")
	for i = range r.toks {
		if n = r.spelt(said, i); n > 0 {
			return i, n
		}
	}
	return -1, 0
}

// together combines several statements into one. For a task, one thing left out means that not all
// was done.
func (r telling) together(got []signal) (signal, bool) {
	if len(got) == 0 {
		return signal{}, false
	}
	got = r.ofToday(got)
	last := got[0]
	differ := false
	for _, s := range got[1:] {
		differ = differ || s.yes != last.yes
		if s.from >= last.from {
			last = s
		}
	}
	task := r.q.task(r.lx)
	if !differ {
		if task != nil && last.yes != r.q.Negated {
			if but, ok := r.allBut(0); ok {
				return but, true
			}
			if i, n, _ := r.anywhere(cue.Unclear); i >= 0 && n > 1 && !r.in(i, cue.No) {
				return signal{yes: r.q.Negated, from: i, to: i + n, confidence: doubtful, why: "some"}, true
			}
		}
		return last, true
	}
	from, _ := r.clause(last.from)
	for _, s := range got {
		if task != nil && s.yes == r.q.Negated {
			s.confidence = min(s.confidence, likely)
			if s.from < from && r.in(from-1, cue.But) && !task.objects {
				s.confidence = guess // "nothing cooked, but I had some bread"
			}
			return s, true
		}
	}
	if !last.yes && r.in(from-1, cue.But) {
		last.near, last.confidence, last.why = true, likely, "but not" // "I tripped but I didn't go down"
		return last, true
	}
	for _, s := range got {
		if s != last && s.yes != last.yes && !r.fixedBetween(min(s.to, last.from), last.from) {
			last.confidence = guess
		}
	}
	return last, true
}

// ofToday leaves out what was done or not done on another day, if the reply mentions today as well:
// "I forgot yesterday, but I've had them today".
func (r telling) ofToday(got []signal) []signal {
	if r.q.task(r.lx) == nil || r.q.Negated {
		return got
	}
	return prefer(got, func(s signal) bool { return !r.ofAnotherDay(s.from) })
}

// ofAnotherDay reports whether the clause around i names another day.
func (r *text) ofAnotherDay(i int) bool {
	from, to := r.clause(i)
	return !r.any(from, to, cue.Today) && (r.any(from, to, cue.OtherDay) || r.any(from, to, cue.Yesterday))
}

// told interprets a verb that says that the event happened, or did not, by the words before it: the
// subject, negations, "nearly", "will".
func (r telling) told(t *theme, i, n int, happened bool) (signal, bool) {
	s := signal{yes: happened, from: i, to: i + n, confidence: stated, why: "statement"}
	if r.longAgo(i) || r.in(i-1, cue.Of) && r.lx.ends(r.at(i), cue.Doing) {
		return s, false // "I'm afraid of falling" does not mention a fall
	}
	concord := r.noneOf(t, i+n) // the negation behind adds nothing to one before it: "I've not took none", "no me he tomado ninguna"
	if concord {
		s.yes = !s.yes
	}
	switch r.infinitiveAt(t, i) {
	case stillTo:
		s.yes, s.confidence, s.why = false, likely, "not yet"
		return s, true
	case untoldTo:
		return s, false
	case nothing:
		s.yes, s.confidence = false, likely
		return s, true
	case toldTo:
	}
	for k := i - 1; k >= 0 && r.before(k+1) != hard; k-- {
		near := r.follows(k + 1)
		s.near = s.near || near && r.starts(k, cue.NearMiss) || r.starts(k, cue.WouldHave) // "I would have fallen but for the rail"
		switch {
		case near && (r.in(k, cue.Negs) || r.in(k, cue.Nones)) && (!r.in(k, cue.DeniesNext) || k == i-1 || t.objects && r.lx.is(r.at(k+1), t.topics)):
			if !concord {
				s.yes = !s.yes
			}
			concord = r.in(k, cue.Concord)
		case r.in(k, cue.Will), r.starts(k-1, cue.NeedTo):
			if !t.task {
				return s, false
			}
			s.yes, s.confidence, s.why = false, likely, "not yet"
		case r.starts(k, cue.IfAsked):
			return s, false
		}
		s.from = k
		switch {
		case r.in(k, cue.Selves) && !r.in(k, cue.MyMine):
			denied, ok := r.thought(k)
			if denied || r.noneThat(k) {
				s.yes, s.confidence = !s.yes, likely
			}
			return s.done(), ok
		case r.before(k+1) == soft || r.in(k, cue.Joiners):
			return r.carried(t, s, k)
		case !r.small(k) && (!t.objects || !r.lx.is(r.at(k), t.topics)): // "I have the tablets taken"
			return s.done(), r.lx.inflected && !r.ofOthers(i)
		}
	}
	return s.done(), true
}

// done returns s, changed to say that the event did not happen if it was a near miss.
func (s signal) done() signal {
	if s.near {
		s.yes, s.confidence, s.why = false, likely, "nearly"
	}
	return s
}

// carried finds the subject of a clause that does not name one: "I sat down and took them" is about
// the speaker, "my sister came and took hers" is not.
func (r telling) carried(t *theme, s signal, k int) (signal, bool) {
	s.from = min(s.from+1, s.to-1)
	for ; k >= 0 && r.before(k+1) != hard; k-- {
		switch {
		case r.in(k, cue.Others):
			return s, false
		case t.task && r.in(k, cue.Selves) && r.starts(k, cue.Future):
			s.yes, s.confidence, s.why = false, likely, "not yet" // "I must go and take them"
			return s, true
		case r.isMe(k):
			return s.done(), true
		}
	}
	return s.done(), true
}

// small reports whether the word at k may stand between a subject and its verb.
func (r *text) small(k int) bool {
	return r.toks[k].plain || r.in(k, cue.Negs) || r.in(k, cue.Nones) || r.in(k, cue.SoftNegs) || r.in(k, cue.SmallWords) ||
		r.aux(k) != 0 || r.starts(k, cue.Particles)
}

// longAgo reports whether the clause around i is about a time long ago, or about a year that it
// names ("in nineteen ninety-eight"): nobody names the year of a recent fall.
func (r *text) longAgo(i int) bool {
	from, to := r.around(i, i+1, soft)
	if r.slice(from, to).has(cue.LongPast) {
		return true
	}
	for k := from + 1; k < to; k++ {
		if !r.in(k-1, cue.InYear) {
			continue
		}
		if v, n := r.number(k, true); n > 0 && (v >= 1900 && v < 2100 || v == 19 && k+1 < to && r.isNumberWord(k+1)) {
			return true
		}
	}
	return false
}

func (r *text) futureBefore(i int) bool {
	from, _ := r.around(i, i+1, soft)
	return r.any(from, i, cue.Future)
}

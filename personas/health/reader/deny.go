package reader

import "slices"

// A word for "none of it" on either side of its verb reverses a statement, and an infinitive says
// that something was done only after some words.

// noneOf reports whether the words after a verb, from token i, say that none of it was done: "I've
// taken none", "I ate no breakfast", "I ate hardly anything". "Nothing but toast" and "nothing
// else" say that something was.
func (r telling) noneOf(t *theme, i int) bool {
	if !t.task || !r.follows(i) {
		return false
	}
	switch {
	case r.in(i, cue.Nothing):
		return !r.in(i+1, cue.LeavesSome)
	case r.in(i, cue.No):
		return r.lx.is(subject(r.at(i+1)), t.topics) || r.in(i+1, t.things)
	}
	return r.starts(i, cue.HardlyAny)
}

// noneThat reports whether the words before token i say that what follows applies to none: "not one
// I missed", "there isn't one that I didn't take".
func (r *text) noneThat(i int) bool {
	for r.in(i-1, cue.That) && r.follows(i) {
		i--
	}
	_, ok := r.qualifier(cue.NotOne, i)
	return ok && r.follows(i)
}

// leftOver reports whether the state at i only means that nothing is left: "none left" in "I took
// the lot, none left" only says that all were taken; by itself it means that they ran out.
func (r telling) leftOver(i int, got []signal) bool {
	return r.in(i, cue.None) && slices.ContainsFunc(got, func(s signal) bool { return s.yes })
}

// infinitive is what the words before an infinitive such as "to take" or "to eat" say about it.
type infinitive uint8

const (
	toldTo   infinitive = iota // "I remembered to take them": done
	stillTo                    // "I still have to take them": not done yet
	nothing                    // "nothing to eat": not done, as there was nothing
	untoldTo                   // "I'd like to take them": neither
)

// infinitiveAt interprets the verb at token i by the words before its "to".
func (r telling) infinitiveAt(t *theme, i int) infinitive {
	k := i - 2
	switch {
	case !r.in(i-1, cue.To), !r.follows(i), !r.follows(i - 1):
		return toldTo
	case t.task && (r.in(k, cue.Still) || r.in(k, cue.Obliged) && r.any(k-2, k, cue.StillOnly)):
		return stillTo
	case r.in(k, cue.Nones) && t.task && !t.objects && (!r.follows(k) || r.in(k-1, cue.Had) || r.in(k-1, cue.Joiners) || r.toks[k-1].plain):
		return nothing
	case r.in(k, cue.Nones), r.in(k, cue.Wished), r.in(k, cue.Still):
		return untoldTo // "I've nothing to take", "there's nothing to eat"
	}
	return toldTo
}

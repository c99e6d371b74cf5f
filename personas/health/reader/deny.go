package reader

// A statement may be turned round by a word for "none of it", on either side of its
// verb, and an infinitive tells what was done only behind some words.

// noneOf reports whether the words behind a verb, from token i, say that none of it was done:
// "I've taken none", "I ate no breakfast", "I ate hardly anything". "Nothing but toast"
// and "nothing else" say that something was.
func (r *reply) noneOf(t *theme, i int) bool {
	if !t.task || r.before(i) != run {
		return false
	}
	next := r.at(i + 1)
	switch r.at(i) {
	case "nothing", "none":
		return !r.lx.is(next, cue.LeavesSome)
	case "no":
		return r.lx.is(subject(next), t.topics) || r.lx.is(next, t.things)
	case "hardly", "barely", "scarcely":
		return next == "any" || next == "anything" || next == "a"
	}
	return false
}

// leftOver reports whether the state at i only says that the box is empty: "I took the lot,
// none left" tells of what was taken, "none left" by itself that they ran out.
func (r *reply) leftOver(i int, got []signal) bool {
	if r.at(i) != "none" {
		return false
	}
	for _, s := range got {
		if s.yes {
			return true
		}
	}
	return false
}

// infinitive says how the words before "to take" or "to eat", which ends at the verb at token i, judge it.
type infinitive uint8

const (
	toldTo   infinitive = iota // "I remembered to take them": done
	stillTo                    // "I still have to take them": not done yet
	nothing                    // "nothing to eat": not done, there was nothing
	untoldTo                   // "I'd like to take them": neither
)

// infinitiveAt judges the verb at token i by the words before its "to".
func (r *reply) infinitiveAt(t *theme, i int) infinitive {
	if r.at(i-1) != "to" || r.before(i) != run || r.before(i-1) != run {
		return toldTo
	}
	k := i - 2
	switch w := r.at(k); {
	case w == "still" || w == "yet" || r.lx.is(w, cue.Obliged) && r.stillBefore(k):
		if t.task {
			return stillTo
		}
		return untoldTo
	case r.lx.is(w, cue.Nones):
		if !t.task || t.objects || r.before(k) == run && r.at(k-1) != "had" && !r.in(k-1, cue.Joiners) && !r.toks[k-1].plain {
			return untoldTo // "I've nothing to take", "there's nothing to eat"
		}
		return nothing
	case r.lx.is(w, cue.Wished):
		return untoldTo
	}
	return toldTo
}

// stillBefore reports whether "still" stands within two words before token k.
func (r *reply) stillBefore(k int) bool {
	for j := k - 1; j >= max(0, k-2) && r.before(j+1) == run; j-- {
		if r.at(j) == "still" {
			return true
		}
	}
	return false
}

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
		return !leavesSome[next]
	case "no":
		return t.topics[subject(next)] || t.things[next]
	case "hardly", "barely", "scarcely":
		return next == "any" || next == "anything" || next == "a"
	}
	return false
}

// leavesSome, behind "nothing" or "none", takes back what they deny.
var leavesSome = setOf("but except else other left over much special fancy too")

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
	case w == "still" || w == "yet" || obliged[w] && r.stillBefore(k):
		if t.task {
			return stillTo
		}
		return untoldTo
	case r.lx.nones[w]:
		if !t.task || t.objects || r.before(k) == run && r.at(k-1) != "had" && !r.lx.joiners[r.at(k-1)] && !r.plain[k-1] {
			return untoldTo // "I've nothing to take", "there's nothing to eat"
		}
		return nothing
	case wished[w]:
		return untoldTo
	}
	return toldTo
}

// wished are the words before "to" for what one would do, has there to be done, or is told
// to do: "she reminded me to take them".
var wished = setOf("like love have got any some more me")

// obliged are the words before "to" for what is to be done.
var obliged = setOf("have got need")

// stillBefore reports whether "still" stands within two words before token k.
func (r *reply) stillBefore(k int) bool {
	for j := k - 1; j >= max(0, k-2) && r.before(j+1) == run; j-- {
		if r.at(j) == "still" {
			return true
		}
	}
	return false
}

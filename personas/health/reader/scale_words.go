package reader

import "math"

// scaleWords reads an answer given without a number.
func (r numeric) scaleWords() (Reading, bool) {
	low, high, _ := r.q.bounds()
	for i := range r.toks {
		if n, _ := r.match(i, cue.Halfway); n > 0 && (!r.in(i, cue.Half) || r.bare(i, i+n)) && r.standsAlone(i, i+n) {
			return r.wordReading(math.Floor(high/2), likely, i, i+n, "half"), true
		}
		if n, _ := r.match(i, cue.TopOfScale); n > 0 && r.bare(i, i+n) {
			return r.wordReading(high, likely, i, i+n, "top"), true
		}
		if n, _ := r.match(i, cue.BottomOfScale); n > 0 && r.bare(i, i+n) {
			return r.wordReading(low, likely, i, i+n, "bottom"), true
		}
		if place, ok := r.value(i, cue.Places); ok && r.starts(i+1, cue.FromThe) && r.alone(i, i+4) {
			switch end, _ := r.value(i+3, cue.Ends); {
			case end == 0:
			case r.turned(end, true):
				return r.wordReading(low+float64(place-1), likely, i, i+4, "place"), true // "second from the bottom"
			default:
				return r.wordReading(high-float64(place-1), likely, i, i+4, "place"), true
			}
		}
		if n := r.zeroAt(i); n > 0 && low <= 1 {
			worth := fair
			if low == 1 && !r.noneAtAll(i) {
				worth = guess
			}
			return r.wordReading(low, worth, i, i+n, "none"), true
		}
	}
	return r.graded()
}

// noneAtAll reports whether "no pain" stands at i, without a place or time behind it.
func (r numeric) noneAtAll(i int) bool {
	return r.in(i, cue.No) && r.q.about(r.at(i+1)) && (r.ends(i+2) || r.starts(i+2, cue.AtAll))
}

// graded reads words for good and bad, such as "not too bad" and "so so", as a place on the scale,
// depending on its direction. The result is only a guess: in a story they may describe anything.
func (r numeric) graded() (Reading, bool) {
	if r.q.Higher == "" || r.q.Strict || len(r.toks) > longWords || r.ofOtherTimes() || r.namesNumber() {
		return Reading{}, false
	}
	got := r.ask(&Question{Kind: Choice, Topic: r.q.Topic, Options: r.lx.grades.options}).choosing().readChoice()
	if got.Status != Answered || got.Confidence < SettleAt || got.Why != "option" && got.Why != "synonym" {
		return Reading{}, false
	}
	i, n := r.find(got.Quote)
	from, _ := r.clause(i)
	if r.any(i, i+n, cue.HowMuch) && (!r.ends(i+n) || r.in(i+n, cue.Than)) && !r.in(i+n, cue.Of) && !r.q.about(r.at(i+n)) {
		return Reading{}, false // "a lot on my mind", "tengo mucho que hacer"
	}
	if r.namesOthers(from, i) || r.inQuestion(i) || r.slice(0, i).supposed() || r.slice(i+n, len(r.toks)).supposed() ||
		r.in(i, cue.Well) && n == 1 && r.allOf(cue.Hollow) || r.has(cue.GoOn) {
		return Reading{}, false // "they look after me very well", "well", "very well, carry on"
	}
	low, high, _ := r.q.bounds()
	share := r.lx.grades.share[got.Value.Choice][r.q.Higher]
	got.Value = Value{Kind: r.q.Kind, Number: math.Round(low + share*(high-low))}
	got.Confidence, got.Why = guess, "grade"
	return got, true
}

// namesNumber reports whether a number other than one was said, even of something else.
func (r *text) namesNumber() bool {
	for i := range r.toks {
		if v, n := r.number(i, false); n > 0 && v != 1 {
			return true
		}
	}
	return false
}

// zeroAt returns the length of the words at i that mean zero and stand where an answer can, or 0.
func (r numeric) zeroAt(i int) int {
	n, _ := r.match(i, cue.Zero)
	if m, _ := r.match(i, cue.NoneTaken); r.q.Kind == Number {
		n = max(n, m)
	}
	if n = max(n, r.noneOfIt(i), r.notAnything(i)); n == 0 {
		return 0
	}
	from, _ := r.around(i, i+1, soft)
	for k := from; k < i; k++ {
		if !r.toks[k].plain && !r.in(k, cue.Selves) && !r.in(k, cue.Negs) && !r.in(k, cue.SoftNegs) && !r.starts(k, cue.ThereIs) && !r.starts(k-1, cue.ThereIs) {
			return 0
		}
	}
	if r.plainUntilPause(i+n) || n > 1 && !r.in(i, cue.Never) && !r.ofOtherThing(i+n) {
		return n
	}
	return 0
}

// ofOtherThing reports whether the words for zero that end before j are of a thing that was not
// asked about: "I haven't any pain", "no tengo nada de dolor".
func (r numeric) ofOtherThing(j int) bool {
	if !r.follows(j) || r.ends(j) || r.q.Kind == Number && r.in(j-1, cue.One) { // "not one puff"
		return false
	}
	if r.in(j, cue.Of) {
		j++
	}
	return !r.q.about(r.at(j)) && !r.q.about(r.at(j-1)) && !r.in(j, cue.AfterNumber) && !r.toks[j].plain
}

// noneOfIt returns the length of words at i that deny what the question asks about, by its name, or
// 0: "no pain", "sin dolor", "no me duele nada". They are no answer to a question about another
// subject.
func (r numeric) noneOfIt(i int) int {
	if !r.lx.inflected && (r.in(i, cue.No) || r.in(i, cue.Any) && r.negatedBefore(i)) && r.follows(i+1) && r.q.about(r.at(i+1)) {
		return 2
	}
	n, _ := r.match(i, cue.ZeroOf)
	if n == 0 || !r.follows(i+n) || !r.q.about(r.at(i+n)) {
		return 0
	}
	n++
	if m, _ := r.match(i+n, cue.ZeroAfter); m > 0 && r.follows(i+n) {
		return n + m
	}
	if !r.ends(i + n) {
		return 0 // "no me duele mucho", "no dormí bien"
	}
	return n
}

// notAnything returns the length of a phrase like "not a twinge" or "not a peep" at i, said by
// itself, or 0.
func (r *text) notAnything(i int) int {
	n, _ := r.match(i, cue.NotA)
	if n == 0 || !r.follows(i+n) || r.in(i+n, cue.NotNothing) || r.isNumberWord(i+n) || !r.opens(i) || !r.plainUntilPause(i+n+1) {
		return 0
	}
	return n + 1
}

func (r asked) wordReading(v, worth float64, i, j int, why string) Reading {
	return Reading{Status: Answered, Value: Value{Kind: r.q.Kind, Number: v}, Confidence: worth, Quote: r.quote(i, j), Why: why}
}

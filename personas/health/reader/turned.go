package reader

import (
	"slices"
	"strings"
)

// Turned removes from a reply a bare answer that follows a clause about another open question: in
// "oh, my sleep you mean. Six." the six does not answer q. It reports whether there was one. A
// clause with its own answer ("I had no falls. Six.") leaves the next one to q. [ReadMany] reads
// the answer to the other question.
func Turned(q Question, others []Question, said string, ctx Context) (rest string, ok bool) {
	if _, _, keyed := keypad(said); keyed {
		return said, false
	}
	lx := For(ctx.Locale)
	q, others = lx.asked(q), lx.allAsked(others)
	r := parse(lx, said)
	var keep []string
	parts := r.parts()
	for k := 0; k < len(parts); k++ {
		if k+1 < len(parts) && parts[k].ask(&q).passing().turnsTo(others, parts[k+1], ctx) {
			ok = true
			k++
			continue
		}
		keep = append(keep, parts[k].quote(0, len(parts[k].toks)))
	}
	if !ok {
		return said, false
	}
	return strings.Join(keep, ". "), true
}

// parts splits the reply at all pauses. Words that only lead on ("you mean") stay with the part
// before them.
func (r *text) parts() []*text {
	return r.cut(func(i int) bool {
		n, _ := r.match(i, cue.YouMean)
		return !r.follows(i) && (n == 0 || r.follows(i+n))
	})
}

// turnsTo reports whether the part is about another question than q, without answering it, and next
// is a bare answer that would fit that question.
func (r passing) turnsTo(others []Question, next *text, ctx Context) bool {
	if r.topic() >= 0 {
		return false
	}
	for _, o := range others {
		at := r.ask(&o).topic()
		if at < 0 || r.aboutOther(at) || o.Kind == Text {
			continue
		}
		if got, ok := r.ask(&o).passing().read(others, ctx); ok && got.Settled {
			continue
		}
		if next.ask(&o).passing().bareAnswer(ctx) && (r.ask(&o).passing().onlyNames() || o.Kind != Boolean && o.Kind != Choice) {
			return true
		}
	}
	return false
}

// bareAnswer reports whether the reply is only a value.
func (r passing) bareAnswer(ctx Context) bool {
	if len(r.toks) > longWords || r.topic() >= 0 {
		return false
	}
	got := finish(r.q, readKind(r.q, r.text, ctx))
	if got.Status != Answered || got.Why == "statement" {
		return false
	}
	i, n := r.find(got.Quote)
	return i >= 0 && r.bare(i, i+n)
}

// onlyNames reports whether the reply names the question without saying anything about it: "oh, my
// sleep you mean".
func (r passing) onlyNames() bool {
	named := false
	for i := range r.toks {
		about := slices.ContainsFunc(r.q.Topic, func(t string) bool { return r.names(t, i) })
		named = named || about
		if !about && !r.toks[i].plain && !r.in(i, cue.Naming) && !r.in(i, cue.Joiners) {
			return false
		}
	}
	return named
}

// with returns the clause joined with the one that follows it.
func (r *text) with(next *text) *text {
	return r.of(slices.Concat(r.toks, next.toks))
}

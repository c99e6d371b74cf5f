package reader

import "strings"

// revised finds answered questions to which a clause gives a new answer after words that take
// something back, anywhere in the reply: "Seven. And no, sorry, my energy is more like a four." The
// rest of the reply may answer the open question.
func (r revising) revised(answered []Question, ctx Context) (found []Correction) {
	var left strings.Builder
	start, kept := 0, 0
	for _, c := range r.clauses(answered) {
		from := start
		start += len(c.toks)
		mark, at, ok := r.takesBack(from, start)
		if !ok {
			continue
		}
		for _, q := range answered {
			begin, said := mark, c
			if at > from && c.ask(&q).topic() > at-from { // "seven and actually my energy was a four"
				begin, said = at, r.slice(at, start)
			}
			got, ok := said.ask(&q).passing().read(answered, ctx)
			if !ok || !got.Settled || got.Status != Answered {
				continue
			}
			found = append(found, Correction{ID: q.ID, Reading: got, Why: "named"})
			left.WriteString(r.saidBetween(kept, begin))
			kept = start
			break
		}
	}
	left.WriteString(r.saidBetween(kept, len(r.toks)))
	for i := range found {
		found[i].Rest = strings.TrimSpace(left.String())
	}
	return found
}

// takesBack reports whether words that take something back stand in the clause of tokens from up to
// to, or right before it. mark is where what belongs to them begins, at is where they stand. A "no"
// that opens the reply answers the question.
func (r revising) takesBack(from, to int) (mark, at int, ok bool) {
	mark = from
	for k := from - 1; k >= 0 && r.before(k+1) != hard && !r.isNumberWord(k); k-- {
		if !r.toks[k].plain && !r.in(k, cue.Joiners) && r.revises(k) == 0 {
			break
		}
		mark = k
	}
	for k := mark; k < to; k++ {
		n := r.revises(k)
		if n == 0 || n == 1 && r.in(k, cue.No) && (k == 0 || k >= from) || r.in(k, cue.Say) && k >= from {
			continue
		}
		return mark, k, true
	}
	return mark, 0, false
}

// revises returns the length of the words at i that take back what was said before, or 0.
func (r revising) revises(i int) int {
	n, _ := r.match(i, cue.Fix)
	m, _ := r.match(i, cue.Change)
	return max(n, m)
}

// saidBetween returns the original text from token i up to j, with the punctuation after it.
func (r *text) saidBetween(i, j int) string {
	if i >= j {
		return ""
	}
	end := len(r.said)
	if j < len(r.toks) {
		end = r.toks[j].start
	}
	return r.said[r.toks[i].start:end]
}

// sentence returns the end of the sentence around token i. ok reports whether it names q and
// nothing after it takes anything back: what follows may then be read for another question.
func (r revising) sentence(q Question, i int) (to int, ok bool) {
	to = i + 1
	for r.before(to) != hard {
		to++
	}
	if to >= len(r.toks) || q.Kind == Text {
		return to, false
	}
	if _, named := r.slice(0, to).revising().namedIn([]Question{q}); !named {
		return to, false
	}
	for k := to; k < len(r.toks); k++ {
		if r.revises(k) > 0 {
			return to, false
		}
	}
	return to, true
}

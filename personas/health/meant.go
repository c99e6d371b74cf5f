package health

import (
	"slices"

	"github.com/naiber/naiber/personas/health/likely"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

// How likely something has to be, by what was learned from replies of strangers, to count.
const (
	meantAt    = 0.65 // an answer, that it is read back where rules make out none
	shortAt    = 0.9  // the same where few words were said
	declinedAt = 0.8  // a refusal, a wish for the next question or for the end
	doubtedAt  = 0.6  // something else than what rules make of a reply, that it is read back
	deniedAt   = 0.9  // the same, that it does not count
	plainAt    = 0.85 // how sure rules are of what is said in so many words: that is read back at most
)

const (
	// fewWords are too few to tell much.
	fewWords = 5
	// fewestWords are the fewest that are read so.
	fewestWords = 3
)

// meaning is what the reply likely means; rd is what rules make of it.
func (r *reply) meaning(e *Entry, rd reader.Reading) likely.Meaning {
	q := e.question(r.rc.Now)
	return likely.Of(&q, r.in.words, rd, r.rc)
}

// doubted is a settled reading by rules, which is read back or does not count where the reply
// likely means something else. Who also wants to end the call may have answered.
func (r *reply) doubted(e *Entry, rd reader.Reading) reader.Reading {
	m := r.meaning(e, rd)
	if m == nil || rd.Status != reader.Answered || r.count() < fewWords {
		return rd
	}
	other := 1 - m[likely.Meant(rd)] - m[likely.End]
	if e.Question.Type == packs.TypeText {
		other = max(m[likely.Refused], m[likely.Skipped], m[likely.End])
		if other < deniedAt {
			return rd
		}
	}
	switch {
	case other >= deniedAt && (rd.Confidence < plainAt || e.Question.Type == packs.TypeText):
		return reader.Reading{Status: reader.Unclear, Why: "likely something else"}
	case other >= doubtedAt:
		rd.Risky = true
	}
	return rd
}

// declined takes a reply that rules left open for a refusal, a wish for the next question or for
// the end, and reports whether it likely is one.
func (r *reply) declined(e *Entry, rd reader.Reading) bool {
	if r.count() < fewestWords {
		return false
	}
	m := r.meaning(e, rd)
	for _, status := range []reader.Status{reader.Refused, reader.Skipped} {
		if m[string(status)] >= declinedAt {
			r.take(e.Question.ID, reader.Reading{Status: status, Confidence: m[string(status)], Quote: r.in.words, Settled: true}, sourceRules)
			r.acknowledge(e)
			r.goOn("")
			return true
		}
	}
	if m[likely.End] >= declinedAt {
		r.exit(e)
		return true
	}
	return false
}

// leftOpen are the reasons of rules to leave a reply open that say no more than that nothing was
// made out. What they saw and left, as two amounts, is not for weights to decide.
var leftOpen = []string{"", "no number", "no option", "no yes or no", "option", "several options", "synonym", "silence", "of the call"}

// meant has the answer read back that the reply likely is, once a question, and reports whether it
// is one. Weights know no numbers.
func (r *reply) meant(e *Entry, rd reader.Reading) bool {
	if e.Guessed || r.count() < fewestWords || !slices.Contains(leftOpen, rd.Why) {
		return false
	}
	answer, p := r.meaning(e, rd).Answer()
	if p < meantAt || p < shortAt && r.count() < fewWords {
		return false
	}
	v := packs.Value{Type: e.Question.Type, Text: answer}
	switch e.Question.Type {
	case packs.TypeBoolean:
		v = packs.Value{Type: packs.TypeBoolean, Bool: answer == likely.Yes}
	case packs.TypeChoice:
	default:
		return false
	}
	e.Guessed = true
	r.s.Pending = append(r.s.Pending, Pending{
		ID: e.Question.ID, Guess: true, Correction: e.Answer != nil,
		Answer: Answer{Status: string(reader.Answered), Value: v, Confidence: p, Quote: r.in.words, Source: sourceRules, At: r.in.at},
	})
	r.goOn("")
	return true
}

package health

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/likely"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

// The probabilities from which a meaning counts, as learned from replies of strangers.
const (
	meantAt     = 0.55 // an answer is read back if rules found none
	shortAt     = 0.8  // the same, for short replies
	againstAt   = 0.8  // the same, if a model has seen no answer either
	declinedAt  = 0.6  // a refusal, or a wish for the next question or the end of the call
	deniedAt    = 0.95 // a meaning other than the one that rules read; the answer is then dropped
	partingAt   = 0.35 // a refusal or parting in free text, which then is not kept
	noneAt      = 0.45 // no answer in free text, which then is asked for once more
	givenAt     = 0.2  // below it, free text holds no answer
	surelyGiven = 0.97 // below it, a model is asked whether it holds one
	plainAt     = 0.85 // the confidence from which an answer that rules read is not dropped
	hardlyAt    = 0.1  // below it, what rules read is all but excluded
)

// doubtedAt is the probability of a meaning other than the one that rules read from which the answer
// is read back. Numbers, dates and prices of something else are the easiest to mistake for one.
var doubtedAt = map[packs.Type]float64{
	packs.TypeNumber: 0.1, packs.TypeTime: 0.1, packs.TypeBoolean: 0.15, packs.TypeChoice: 0.25, packs.TypeScale: 0.25,
}

const (
	// fewWords is the number of words below which a reply is short.
	fewWords = 5
	// fewestWords is the least number of words in a reply that is read by weights.
	fewestWords = 3
)

// meaning returns what the reply likely means; rd is what rules read in it.
func (r *reply) meaning(e *Entry, rd reader.Reading) likely.Meaning {
	q := e.question(r.rc.Now)
	return likely.Of(&q, r.in.words, rd, r.rc)
}

// doubted returns a settled reading by rules, changed so that it is read back or does not count if
// the reply likely means something else. A wish to end the call does not contradict an answer
// beside it.
func (r *reply) doubted(e *Entry, rd reader.Reading) reader.Reading {
	rd.Risky = rd.Risky || rd.Status == reader.Answered && e.Question.Type != packs.TypeText && r.mishears(e)
	m := r.meaning(e, rd)
	free, least := e.Question.Type == packs.TypeText, fewWords
	if free {
		least = fewestWords
	}
	if m == nil || r.count() < least {
		return rd
	}
	meant, ends := m[likely.Meant(rd)], m[likely.End]
	declines := max(m[likely.Refused], m[likely.Skipped])
	var unclear bool
	switch {
	case rd.Status != reader.Answered: // declined by rules
		_, answer := m.Answer()
		unclear = meant < hardlyAt && max(ends, answer) >= declinedAt
	case free:
		short := r.count() < fewWords
		parting := max(declines, ends) >= shortAt || !short && max(declines, ends) >= partingAt
		unclear = parting || e.Asked <= 1 && (!short && meant < givenAt || m[likely.None] >= noneAt) // what is said again is the answer
	default:
		other := 1 - meant - ends
		unclear = meant < hardlyAt && max(declines, ends) >= declinedAt || other >= deniedAt && rd.Confidence < plainAt && !r.endsWith(e, rd)
		rd.Risky = rd.Risky || other >= doubtedAt[e.Question.Type]
	}
	if unclear {
		return reader.Reading{Status: reader.Unclear, Why: "likely something else"}
	}
	return rd
}

// unsure reports whether free text that rules read as an answer is likely but not surely one, and a
// model can be asked.
func (r *reply) unsure(e *Entry, rd reader.Reading) bool {
	if r.p.cfg.Model == nil || e.Question.Type != packs.TypeText || rd.Status != reader.Answered || e.Asked > 1 || r.count() < fewestWords {
		return false
	}
	if intent := r.intent(); intent == reader.IntentNo || intent == reader.IntentYes {
		return false // "no, that was all"
	}
	m := r.meaning(e, rd)
	return m != nil && m[likely.Given] < surelyGiven
}

// echoWords is the most words in a question back that a reply begins with, and echoRunes the least
// letters in one of them that tells what is asked.
const echoWords, echoRunes = 8, 4

// mishears reports whether the reply begins by asking back something that was not asked, and answers
// that: "Busy? No, I'm not busy."
func (r *reply) mishears(e *Entry) bool {
	echo, answer, ok := strings.Cut(r.in.words, "?")
	words := strings.Fields(english.Plain(echo))
	if !ok || strings.TrimSpace(answer) == "" || len(words) > echoWords || strings.ContainsAny(echo, ".!") || reader.IntentIn(echo+"?", r.rc) == reader.IntentRepeat {
		return false
	}
	asked := strings.Fields(english.Plain(strings.Join(append([]string{e.Question.Text}, e.Question.Topics...), " ")))
	words = slices.DeleteFunc(words, func(w string) bool { return utf8.RuneCountInString(w) < echoRunes })
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc(asked, func(a string) bool { return strings.HasPrefix(a, string([]rune(w)[:echoRunes])) })
	})
}

// endsWith reports whether the last sentence of a reply by itself likely means what rules read in the
// whole, after talk of something else: "My grandson is getting married. Well, no, not really."
func (r *reply) endsWith(e *Entry, rd reader.Reading) bool {
	all := english.Sentences(r.in.words)
	if len(all) < 2 {
		return false
	}
	q, last := e.question(r.rc.Now), all[len(all)-1]
	return likely.Of(&q, last, r.readingOf(e, last), r.rc)[likely.Meant(rd)] >= meantAt
}

// declined handles a reply that rules left open as a refusal, or a wish for the next question or
// the end of the call, if that is likely, and reports whether it did.
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

// leftOpen holds the reasons of unclear readings that only mean that rules found no answer. If they
// found and rejected one, such as two amounts, the weights do not decide.
var leftOpen = []string{"", "no number", "no option", "no yes or no", "option", "several options", "synonym", "silence", "of the call"}

// meant queues the answer that the reply means with at least a probability of least to be read back,
// once a question, and reports whether it did. It works only for yes/no questions and choices, as
// the weights do not cover numbers.
func (r *reply) meant(e *Entry, rd reader.Reading, least float64) bool {
	if e.Guessed || r.count() < fewestWords || !slices.Contains(leftOpen, rd.Why) {
		return false
	}
	answer, p := r.meaning(e, rd).Answer()
	if p < least || p < shortAt && r.count() < fewWords {
		return false
	}
	if e.Question.Type != packs.TypeBoolean && e.Question.Type != packs.TypeChoice {
		return false
	}
	v := e.meant(answer)
	e.Guessed = true
	r.s.Pending = append(r.s.Pending, Pending{
		ID: e.Question.ID, Guess: true, Correction: e.Answer != nil,
		Answer: Answer{Status: string(reader.Answered), Value: v, Confidence: p, Quote: r.in.words, Source: sourceRules, At: r.in.at},
	})
	r.goOn("")
	return true
}

// meant returns an answer by weights as a value of a yes/no question or a choice.
func (e *Entry) meant(answer string) packs.Value {
	if e.Question.Type == packs.TypeBoolean {
		return packs.Value{Type: packs.TypeBoolean, Bool: answer == likely.Yes}
	}
	return packs.Value{Type: e.Question.Type, Text: answer}
}

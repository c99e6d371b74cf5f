package health

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// join puts the earlier pieces of an answer in front of the words of this turn: those
// that were left unfinished, and those that the person went on from while they were
// answered. Who says "pardon?" or goodbye in between adds nothing to them.
func (t *turn) join(e *Entry, intent reader.Intent) {
	switch intent {
	case reader.IntentDistress, reader.IntentExit, reader.IntentRepeat, reader.IntentExplain, reader.IntentHold, reader.IntentSilence:
		return
	default:
	}
	if said := t.s.Said; said.ID == e.Question.ID && (said.Unfinished || t.in.wasCut) && !t.in.unheard {
		t.latest, t.in.words = t.in.words, join(said.Words, t.in.words)
	}
	t.s.Said = Said{ID: e.Question.ID, Words: t.in.words, Unfinished: intent == reader.IntentFiller}
}

// unfinished waits for the rest of an answer that was broken off, up to a bound.
func (t *turn) unfinished(e *Entry, intent reader.Intent) bool {
	switch intent {
	case reader.IntentNone, reader.IntentYes, reader.IntentNo, reader.IntentDigression:
	default:
		return false
	}
	if !unfinished(t.in.words) || t.reading(e).Status == reader.Refused || t.reading(e).Status == reader.Skipped || !t.waits(e, words.Filler) {
		return false
	}
	t.s.Said.Unfinished = true
	return true
}

// pieces are what there is of an answer in the person's own words that was never
// finished.
func (s *State) pieces(e *Entry, at time.Time) (Answer, bool) {
	if e.Question.Type != packs.TypeText || s.Said.ID != e.Question.ID || !s.Said.Unfinished {
		return Answer{}, false
	}
	rd := reader.Read(e.question(at), s.Said.Words, reader.Context{Now: at, Locale: s.Language})
	a, ok := e.asAnswer(rd, sourceRules, at)
	return a, ok && rd.Status == reader.Answered && rd.Settled
}

// keepPieces puts them on record, where the call has ended over them.
func (s *State) keepPieces() {
	if e := s.current(); e != nil && e.open() {
		if a, ok := s.pieces(e, e.AskedAt); ok {
			e.set(a)
		}
	}
}

// spokenOn takes words over a question that was not heard as the rest of the answer
// before it. They are added to one in the person's own words; where they make another
// answer of it, that is read back first.
func (t *turn) spokenOn() {
	said, intent := t.s.Said, t.intent()
	e := t.s.entry(said.ID)
	told := intent == reader.IntentNone || intent == reader.IntentDigression || (intent == reader.IntentYes || intent == reader.IntentNo) && t.count() > plainYes
	if e == nil || !told || !t.in.wasCut || t.in.unheard || len(t.others("", t.in.words)) > 0 {
		return
	}
	whole := join(said.Words, t.in.words)
	rd := t.readingOf(e, whole)
	a, ok := e.asAnswer(rd, sourceRules, t.in.at)
	if !ok || !rd.Settled || rd.Status != reader.Answered {
		return
	}
	switch {
	case t.s.awaits(e.Question.ID):
		if t.s.Pending[0].ID == e.Question.ID {
			t.s.Pending[0].Answer = a
		}
	case !e.Answer.given() || e.Answer.Carried || e.Question.Screen || alike(a.Value, e.Answer.Value):
		return
	case e.Question.Type == packs.TypeText:
		e.Answer = &a
	default:
		t.pend(Pending{ID: e.Question.ID, Answer: a, Correction: true})
	}
	t.s.Said.Words = whole
}

// brokenOff matches words that end where nobody ends: at a comma or a dash, or at a word
// that another has to follow.
var brokenOff = regexp.MustCompile(`(?i)([,;:—–…-]|\.\.\.|\b(and|or|because|cos|the|a|an|my|your|our|their|um+|uh+|erm?)[.]?|\b(but|if|than|i'm|i've|my \w+ (is|was)))\s*$`)

// unfinished reports whether more is to be expected of what was said.
func unfinished(heard string) bool {
	said := " " + english.Plain(heard)
	return brokenOff.MatchString(heard) || slices.ContainsFunc([]string{
		"let me think", "let me see", "let's see", "what was it", "what is it called", "what's it called", "what was i saying", "where was i",
		"what's the word", "what do you call it", "how shall i put it", "i was going to say", "the thing is", "it's on the tip of my tongue",
	}, func(end string) bool { return strings.HasSuffix(said, " "+end) })
}

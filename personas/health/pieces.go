package health

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// join puts the earlier pieces of an answer in front of the words of this turn: pieces that were
// left unfinished, or that the person went on from by interrupting the response. A "pardon?" or
// goodbye in between is not added.
func (r *reply) join(e *Entry, intent reader.Intent) {
	switch intent {
	case reader.IntentDistress, reader.IntentExit, reader.IntentRepeat, reader.IntentExplain, reader.IntentHold, reader.IntentSilence:
		return
	default:
	}
	if said := r.s.Said; said.ID == e.Question.ID && (said.Unfinished || r.in.wasCut) && !r.in.unheard {
		r.latest, r.in.words = r.in.words, words.Join(said.Words, r.in.words)
	}
	r.s.Said = Said{ID: e.Question.ID, Words: r.in.words, Unfinished: intent == reader.IntentFiller}
}

// unfinished waits for the rest of an answer that was broken off, and reports whether it does. The
// number of waits is limited.
func (r *reply) unfinished(e *Entry, intent reader.Intent) bool {
	switch intent {
	case reader.IntentNone, reader.IntentYes, reader.IntentNo, reader.IntentDigression:
	default:
		return false
	}
	if !unfinished(r.in.words) || r.reading(e).Status == reader.Refused || r.reading(e).Status == reader.Skipped || !r.waits(e, words.Filler) {
		return false
	}
	r.s.Said.Unfinished = true
	return true
}

// pieces returns an unfinished answer in the person's own words, and false if there is none.
func (s *State) pieces(e *Entry, at time.Time) (Answer, bool) {
	if e.Question.Type != packs.TypeText || s.Said.ID != e.Question.ID || !s.Said.Unfinished {
		return Answer{}, false
	}
	rd := reader.Read(e.question(at), s.Said.Words, reader.Context{Now: at, Locale: s.Language})
	a, ok := e.asAnswer(rd, sourceRules, at)
	return a, ok && rd.Status == reader.Answered && rd.Settled
}

// keepPieces records the pieces of the open question's answer, for a call that has ended before the
// rest.
func (s *State) keepPieces() {
	if e := s.current(); e != nil && e.open() {
		if a, ok := s.pieces(e, e.AskedAt); ok {
			e.set(a)
		}
	}
}

// spokenOn takes words spoken over a question that was not heard as the rest of the previous
// answer. A text is extended by them; if they change another answer, it is read back first.
func (r *reply) spokenOn() {
	said, intent := r.s.Said, r.intent()
	e := r.s.entry(said.ID)
	told := intent == reader.IntentNone || intent == reader.IntentDigression || (intent == reader.IntentYes || intent == reader.IntentNo) && r.count() > plainYes
	if e == nil || !told || !r.in.wasCut || r.in.unheard || len(r.others("", r.in.words)) > 0 {
		return
	}
	whole := words.Join(said.Words, r.in.words)
	rd := r.readingOf(e, whole)
	a, ok := e.asAnswer(rd, sourceRules, r.in.at)
	if !ok || !rd.Settled || rd.Status != reader.Answered {
		return
	}
	switch {
	case r.s.awaits(e.Question.ID):
		if r.s.Pending[0].ID == e.Question.ID {
			r.s.Pending[0].Answer = a
		}
	case !e.Answer.given() || e.Answer.Carried || e.Question.Screen || alike(a.Value, e.Answer.Value):
		return
	case e.Question.Type == packs.TypeText:
		e.Answer = &a
	default:
		r.pend(Pending{ID: e.Question.ID, Answer: a, Correction: true})
	}
	r.s.Said.Words = whole
}

// brokenOff matches words that do not end a sentence: a comma or a dash, or a word that must be
// followed by another.
var brokenOff = regexp.MustCompile(`(?i)([,;:—–…-]|\.\.\.|\b(and|or|because|cos|the|a|an|my|your|our|their|um+|uh+|erm?)[.]?|\b(but|if|than|i'm|i've|my \w+ (is|was)))\s*$`)

// unfinished reports whether more words are likely to follow.
func unfinished(text string) bool {
	said := " " + asPhrase(text)
	ends := func(end string) bool { return strings.HasSuffix(said, " "+end) }
	return brokenOff.MatchString(text) || slices.ContainsFunc(phrases["thinking"], ends) || slices.ContainsFunc(phrases["hanging"], ends)
}

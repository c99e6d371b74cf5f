package health

import (
	"strings"
	"time"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// pieceWords is the greatest length of a reply that is a piece of an answer by how it is built: a
// longer one without an answer tells something else.
const pieceWords = 8

// join puts the earlier pieces of an answer in front of the words of this turn: pieces that were
// left unfinished, or that the person went on from by interrupting the response. A "pardon?" or
// goodbye in between is not added. A mark after a negation is left out, as it would part the
// negation from what it negates; and "no, wait" takes back the piece that it ends.
func (r *reply) join(e *Entry, intent reader.Intent) {
	switch intent {
	case reader.IntentDistress, reader.IntentExit, reader.IntentRepeat, reader.IntentExplain, reader.IntentHold, reader.IntentSilence:
		return
	default:
	}
	if said := r.s.Said; said.ID == e.Question.ID && (said.Unfinished || r.in.wasCut) && !r.in.unheard {
		earlier := said.Words
		switch {
		case negates(earlier):
			earlier = strings.TrimRight(earlier, " ,.;:—–…-")
		case e.Question.Type != packs.TypeText && retracts(earlier):
			earlier = ""
		default:
			r.latest = r.in.words
		}
		r.in.words = words.Join(earlier, r.in.words)
	}
	r.s.Said = Said{ID: e.Question.ID, Words: r.in.words, Unfinished: intent == reader.IntentFiller}
}

// unfinished waits for the rest of an answer that was broken off, and reports whether it does. The
// number of waits is limited.
func (r *reply) unfinished(e *Entry, intent reader.Intent) bool {
	switch intent {
	case reader.IntentNone, reader.IntentYes, reader.IntentNo, reader.IntentDigression:
	case reader.IntentHold:
		if !retracts(r.in.words) {
			return false
		}
	default:
		return false
	}
	free := e.Question.Type == packs.TypeText
	open := unfinished(r.in.words) || (free || r.count() <= pieceWords) && breaksOff(r.in.words) || !free && r.count() <= pieceWords && negates(r.in.words) && !r.isMeant(e)
	if !open || r.reading(e).Status == reader.Refused || r.reading(e).Status == reader.Skipped || !r.waits(e, words.Filler) {
		return false
	}
	r.s.Said.Unfinished = true
	return true
}

// isMeant reports whether the reply likely is a whole answer: "they are not".
func (r *reply) isMeant(e *Entry) bool {
	_, p := r.meaning(e, r.reading(e)).Answer()
	return p >= meantAt && r.count() >= fewestWords
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

// moreToCome reports whether a reply to a question that any words could answer, which rules take as
// a goodbye or a request to wait, ends by saying that there is more: "that's all. Oh, wait". Its
// words are then a piece of the answer.
func (r *reply) moreToCome(intent reader.Intent) bool {
	before, _ := clauses(r.in.words)
	return announces(r.in.words) && (intent == reader.IntentExit || intent == reader.IntentHold && before != "")
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

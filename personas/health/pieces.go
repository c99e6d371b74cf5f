package health

import (
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/likely"
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
// answer, and reports whether they change it. A text is extended by them; if they change another
// answer, the new one is read back first.
func (r *reply) spokenOn() bool {
	said, intent := r.s.Said, r.intent()
	e := r.s.entry(said.ID)
	if e == nil || !r.in.wasCut || r.in.unheard || !r.tells(e, intent) || r.count() <= plainYes && !r.adds(intent) || len(r.others("", r.in.words)) > 0 {
		return false
	}
	whole := words.Join(said.Words, r.in.words)
	if !r.changes(e, whole) {
		return false
	}
	if r.s.Said.ID == said.ID {
		r.s.Said.Words = whole
	}
	return true
}

// tells reports whether a reply over a question that was not heard may say something about the
// answer to e. "Hang on, I did slip" does, though it asks to wait.
func (r *reply) tells(e *Entry, intent reader.Intent) bool {
	switch intent {
	case reader.IntentNone, reader.IntentDigression, reader.IntentYes, reader.IntentNo:
		return true
	case reader.IntentHold:
		return e.Question.Type != packs.TypeText
	default:
		return false
	}
}

// adds reports whether a short reply over a question that was not heard belongs to the answer before
// it. A bare yes or no may answer what the person expects to be asked.
func (r *reply) adds(intent reader.Intent) bool {
	bare := intent == reader.IntentYes || intent == reader.IntentNo
	return !bare || r.count() > 2 || r.count() > 1 && hesitates(r.in.words)
}

// alternative takes a reply that names another value for the answer just given as the rest of that
// answer, and reports whether it did: "a two", "or three". previous is what was said before.
func (r *reply) alternative(open *Entry, previous Said) bool {
	e := r.s.entry(previous.ID)
	if e == nil || e == open || open.Asked > 1 || open.Waits > 0 || r.count() > plainYes || e.Question.Type == packs.TypeBoolean || e.Question.Type == packs.TypeText {
		return false
	}
	if !begins("or", r.in.words) && (open.Question.Type != packs.TypeText || !begins("perhaps", r.in.words)) {
		return false
	}
	if rd := r.readingOf(e, r.in.words); !rd.Settled || rd.Status != reader.Answered {
		return false
	}
	whole := words.Join(previous.Words, r.in.words)
	r.changes(e, whole)
	r.s.Said = Said{ID: previous.ID, Words: whole}
	r.goOn("")
	return true
}

// reconsidered takes a reply that does not answer the open question, and begins by taking something
// back, as a change of the answer just given: "no", "oh wait, I did slip". It reports whether it did.
func (r *reply) reconsidered(open *Entry, previous Said, intent reader.Intent) bool {
	e := r.s.entry(previous.ID)
	told := intent == reader.IntentNone || intent == reader.IntentYes || intent == reader.IntentNo
	if e == nil || e == open || !told || open.Asked > 1 || e.Question.Type == packs.TypeText || !begins("reconsidering", r.in.words) || !r.changes(e, words.Join(previous.Words, r.in.words)) {
		return false
	}
	r.goOn(r.lead)
	return true
}

// changes takes words as the rest of an earlier answer, which whole includes, and reports whether
// they change it. A text is extended, another answer is read back first, and one that is taken back
// without another is asked for again.
func (r *reply) changes(e *Entry, whole string) bool {
	waiting := r.s.awaits(e.Question.ID)
	if !waiting && (e.Answer == nil || e.Answer.Carried || e.open()) {
		return false
	}
	was := e.Answer
	if waiting {
		was = &r.s.Pending[slices.IndexFunc(r.s.Pending, func(pd Pending) bool { return pd.ID == e.Question.ID })].Answer
	}
	a, guess, ok := r.amended(e, was, whole)
	switch {
	case ok && waiting:
		if r.s.Pending[0].ID == e.Question.ID {
			r.s.Pending[0].Answer, r.s.Pending[0].Guess, r.s.Pending[0].Verbal = a, guess, false
		}
	case ok && e.Question.Type == packs.TypeText:
		e.Answer = &a
	case ok && !e.Question.Screen:
		r.pend(Pending{ID: e.Question.ID, Answer: a, Guess: guess, Correction: true})
	case waiting || !ok && !r.takesBack(e):
		return false
	case !e.Answer.given() || e.tries() >= r.p.cfg.MaxRetry:
		return false
	default: // an item of an instrument is put again, word for word
		e.Reopened, r.s.Said, r.lead = true, Said{}, words.CorrectedOpen
	}
	return true
}

// takesBack reports whether the reply takes the answer to e back without another one.
func (r *reply) takesBack(e *Entry) bool {
	if e.Question.Type == packs.TypeText || r.intent() == reader.IntentHold {
		return false
	}
	said := asPhrase(r.in.words)
	return begins("reconsidering", said) || hesitates(said) && slices.ContainsFunc(e.Question.Topics, func(topic string) bool { return english.Holds(said, asPhrase(topic)) })
}

// amended returns the answer to a question with words that were added to it, if it is another than
// it was. It reads them together with what was said before, and also alone, since a yes or no before
// them hides what they say. guess is set if they only likely mean it.
func (r *reply) amended(e *Entry, was *Answer, whole string) (a Answer, guess, ok bool) {
	if e.Question.Type == packs.TypeText {
		a, ok = e.asAnswer(r.readingOf(e, whole), sourceRules, r.in.at)
		return a, false, ok && a.given() && !alike(a.Value, was.Value)
	}
	together, alone := r.readingOf(e, whole), r.readingOf(e, r.in.words)
	hides := e.Question.Type == packs.TypeBoolean || e.Question.Type == packs.TypeChoice
	for i, rd := range []reader.Reading{together, alone} {
		if i > 0 && (together.Settled && !hides || r.count() <= 2 && !hesitates(r.in.words) && !begins("or", r.in.words)) {
			break // a bare number may answer what the person expects to be asked
		}
		guess = !rd.Settled
		if guess && (!hides || rd.Verbal || rd.Value.IsZero() || rd.Confidence < guessAt) || !guess && rd.Status != reader.Answered {
			continue
		}
		rd.Status = reader.Answered
		if a, ok = e.asAnswer(rd, sourceRules, r.in.at); ok && (!was.given() || !alike(a.Value, was.Value)) {
			return a, guess, true
		}
	}
	if hides && !alone.Settled && hesitates(r.in.words) {
		return r.likely(e, was)
	}
	return Answer{}, false, false
}

// likely returns the answer that the reply likely means after its second thoughts, if it is another
// than it was.
func (r *reply) likely(e *Entry, was *Answer) (a Answer, guess, ok bool) {
	q, said := e.question(r.rc.Now), strings.Join(strings.Fields(r.in.words)[beginning("reconsidering", r.in.words):], " ")
	meant, p := likely.Of(&q, said, r.readingOf(e, said), r.rc).Answer()
	if p < meantAt {
		return Answer{}, false, false
	}
	a = Answer{Status: string(reader.Answered), Value: e.meant(meant), Confidence: p, Quote: r.in.words, Source: sourceRules, At: r.in.at}
	return a, true, !was.given() || !alike(a.Value, was.Value)
}

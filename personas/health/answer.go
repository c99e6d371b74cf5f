package health

import (
	"context"
	"log/slog"
	"strings"

	"github.com/naiber/naiber/personas/health/extract"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// guessAt is the confidence from which a value that is not sure enough to be
// recorded is read back instead of asking again.
const guessAt = 0.4

// answer reads a reply to the open question: keys, then corrections, then the
// question itself, then others; then what else the reply may be; then a model.
func (t *turn) answer(ctx context.Context) {
	e := t.s.current()
	if t.in.keys != "" && t.keyed(e) {
		return
	}
	if t.in.words == "" {
		t.aside(e, words.Silence)
		return
	}
	intent := t.intent()
	t.join(e, intent)
	if intent == reader.IntentWrongPerson && t.plausiblyOther() {
		t.wrongPerson()
		return
	}
	if t.corrections(e) {
		t.passing(e.Question.ID)
		t.parting(intent)
		return
	}
	if e.Question.Type == packs.TypeText && (t.shortAside(e, intent) || t.unfinished(e, intent)) {
		return
	}
	if t.read(e) {
		t.passing(e.Question.ID)
		t.acknowledge(e)
		t.parting(intent)
		return
	}
	if t.restated(e) {
		t.goOn("")
		return
	}
	rd := t.reading(e) // before what the reply tells of others is no longer open
	t.passing(e.Question.ID)
	if !t.unfinished(e, intent) {
		t.unsettled(ctx, e, rd, intent)
	}
}

// keyed reads pressed keys. Words that came with them may answer other questions.
func (t *turn) keyed(e *Entry) bool {
	rd := reader.Read(e.question(t.rc.Now), "[keypad: "+t.in.keys+"]", t.rc)
	if rd.Settled && t.take(e.Question.ID, rd, sourceKeypad) {
		t.passing(e.Question.ID)
		t.acknowledge(e)
		t.goOn("")
		return true
	}
	if t.in.words != "" {
		return false
	}
	t.aside(e, words.KeypadBad)
	return true
}

// read records what rules settle about the open question.
func (t *turn) read(e *Entry) bool {
	if t.s.Held && t.intent() == reader.IntentYes && t.count() <= 2 {
		return false // "yes" after a pause says that they are back
	}
	rd := t.reading(e)
	if !rd.Settled && t.latest != "" {
		rd = t.readingOf(e, t.latest) // the pieces confuse each other
	}
	return rd.Settled && t.take(e.Question.ID, rd, sourceRules)
}

// reading is what rules make of the reply for the open question. What clearly
// speaks of another question is left out: "the pain was a four" is no answer to
// how the night was.
func (t *turn) reading(e *Entry) reader.Reading { return t.readingOf(e, t.in.words) }

// readingOf is what rules make of some of the words for the open question.
func (t *turn) readingOf(e *Entry, said string) reader.Reading {
	q := e.question(t.rc.Now)
	if e.Question.Type == packs.TypeText {
		return reader.Read(q, said, t.rc)
	}
	rd := reader.Read(q, said, t.rc)
	if !rd.Settled || rd.Status == reader.Answered {
		if own, cut := t.own(e, said); cut {
			rd = reader.Read(q, own, t.rc)
		}
	}
	if !rd.Settled {
		if anchored, ok := extract.Anchor(e.Question, said, t.rc); ok {
			return anchored
		}
	}
	return rd
}

// parting goes on after a reply that was understood, unless it also asks to stop or
// tells of distress.
func (t *turn) parting(intent reader.Intent) {
	switch {
	case intent == reader.IntentDistress:
		t.distress()
	case intent == reader.IntentExit && t.s.next() >= 0:
		t.put(PhaseConfirmExit, words.ConfirmExit)
	default:
		t.goOn("")
	}
}

// unsettled deals with a reply that rules could not read as an answer; rd is what they
// made of it.
func (t *turn) unsettled(ctx context.Context, e *Entry, rd reader.Reading, intent reader.Intent) {
	if intent != reader.IntentDistress && intent != reader.IntentExit && asksWho(t.in.words) {
		t.aside(e, words.Who)
		return
	}
	switch intent {
	case reader.IntentDistress:
		t.distress()
		return
	case reader.IntentExit:
		t.exit(e)
		return
	case reader.IntentRepeat:
		t.aside(e, words.Repeat)
		return
	case reader.IntentExplain:
		t.aside(e, words.Explain)
		return
	case reader.IntentHold:
		t.aside(e, words.Hold)
		return
	case reader.IntentFiller, reader.IntentSilence:
		if rd.Verbal && t.guessed(e, rd) { // "okay", "so so"
			t.goOn("")
			return
		}
		t.aside(e, words.Filler)
		return
	case reader.IntentNone, reader.IntentDigression, reader.IntentYes, reader.IntentNo, reader.IntentWrongPerson:
	}
	switch {
	case t.s.Held && t.count() <= backWords:
		t.aside(e, words.HoldOn)
	case rd.Verbal && t.guessed(e, rd): // a model would guess as well
		t.goOn("")
	case t.extracted(ctx, e):
		t.acknowledge(e)
		t.goOn("")
	case t.took > 0: // it was about another question
		t.aside(e, t.lead)
	case t.guessed(e, rd):
		t.goOn("")
	case grieves(t.in.words):
		t.distress()
	case intent == reader.IntentDigression, asksHowLong(t.in.words), asksAfter(t.in.words):
		t.digression(e)
	case t.count() >= remarkWords:
		t.fail(e, words.Digression) // it was heard, and is no answer
	default:
		t.fail(e, words.Unclear)
	}
}

// extracted lets a model read what rules could not.
func (t *turn) extracted(ctx context.Context, e *Entry) bool {
	if t.p.cfg.Model == nil || e.Question.Type == packs.TypeText {
		return false
	}
	said, _ := t.own(e, t.in.words)
	if strings.TrimSpace(said) == "" {
		return false
	}
	ctx, cancel := t.in.untilAbandoned(ctx)
	defer cancel()
	rd, ok, err := t.p.extract.Read(ctx, e.question(t.rc.Now), e.Question.Wording(0), said, t.rc)
	if err != nil {
		t.in.report.degrade("no_reading")
		t.p.log.LogAttrs(ctx, slog.LevelWarn, "reply not read by a model", slog.String("call_id", t.s.Call.String()), slog.Any("err", err))
	}
	return ok && rd.Settled && t.take(e.Question.ID, rd, sourceModel)
}

// guessed has a value read back that is not sure enough to be recorded, once a
// question. An instrument's items are put again instead, for a guess leads the answer.
func (t *turn) guessed(e *Entry, rd reader.Reading) bool {
	if e.Guessed || e.Question.Screen || rd.Settled || rd.Value.IsZero() || rd.Confidence < guessAt || rd.Value.Kind == reader.Text {
		return false
	}
	v := e.value(rd.Value)
	if !e.Question.Accepts(v) {
		return false
	}
	e.Guessed = true
	t.s.Pending = append(t.s.Pending, Pending{ID: e.Question.ID, Guess: true, Verbal: rd.Verbal, Correction: e.Answer != nil, Answer: Answer{
		Status: string(reader.Answered), Value: v, Confidence: rd.Confidence, Quote: rd.Quote, Source: sourceRules, At: t.in.at,
	}})
	return true
}

package health

import (
	"context"
	"log/slog"
	"maps"
	"regexp"
	"strings"

	"github.com/naiber/naiber/personas/health/extract"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// restateWords is how long a reply is at most that restates one answer.
const restateWords = 12

// clauseEnd is where one thought ends and another may begin.
var clauseEnd = regexp.MustCompile(`(?i)[,.;!?]+\s*|\s+(?:and|but|because)\s+`)

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
	rd := reader.Read(q, said, t.rc)
	if e.Question.Type == packs.TypeText {
		return rd
	}
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
	switch filler := intent == reader.IntentFiller || intent == reader.IntentSilence; {
	case intent == reader.IntentDistress:
		t.distress()
	case intent != reader.IntentExit && asksWho(t.in.words):
		t.aside(e, words.Who)
	case t.requested(e, intent):
	case filler && rd.Verbal && t.guessed(e, rd): // "okay", "so so"
		t.goOn("")
	case filler:
		t.aside(e, words.Filler)
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
	rd.Status = reader.Answered
	a, ok := e.asAnswer(rd, sourceRules, t.in.at)
	if !ok {
		return false
	}
	e.Guessed = true
	t.s.Pending = append(t.s.Pending, Pending{ID: e.Question.ID, Guess: true, Verbal: rd.Verbal, Correction: e.Answer != nil, Answer: a})
	return true
}

// own is what is left of a reply without the clauses that clearly speak of other
// questions, answered ones included, and whether there were such.
func (t *turn) own(e *Entry, said string) (rest string, cut bool) {
	said, cut = reader.Turned(e.question(t.rc.Now), t.openBut(e.Question.ID), said, t.rc)
	if len(t.elsewhere(e.Question.ID, said)) == 0 {
		return said, cut
	}
	var keep []string
	for _, clause := range clauseEnd.Split(said, -1) {
		if len(t.elsewhere(e.Question.ID, clause)) > 0 {
			cut = true
			continue
		}
		keep = append(keep, clause)
	}
	return join(keep...), cut
}

// openBut are the open questions other than one that may be answered in passing.
func (t *turn) openBut(except string) []reader.Question {
	var open []reader.Question
	for e := range t.s.all() {
		if e.open() && e.Question.ID != except && !t.s.awaits(e.Question.ID) && !e.Question.Screen {
			open = append(open, e.question(t.rc.Now))
		}
	}
	return open
}

// elsewhere reads words as answers to all other questions, answered or not. Words for
// good and bad count only where they could be taken for an answer to the one that was asked.
func (t *turn) elsewhere(except, said string) map[string]reader.Reading {
	got := maps.Clone(t.many(except, said, func(*Entry) bool { return true }))
	if e := t.s.entry(except); e != nil && e.Question.Type != packs.TypeScale && e.Question.Type != packs.TypeChoice {
		maps.DeleteFunc(got, func(_ string, rd reader.Reading) bool { return rd.Verbal && !rd.Settled })
	}
	return got
}

// many reads words as answers to the wanted questions other than the one that was
// asked. That one is shown to the reader too, so that what could answer it is given to no
// other. An instrument's items are answered only where they were put, word for word.
// The same words are read for the same questions once a turn.
func (t *turn) many(asked, said string, wanted func(*Entry) bool) map[string]reader.Reading {
	var all []reader.Question
	key, of := said+"\n"+asked, ""
	if e := t.s.entry(asked); e != nil && e.Question.Type == packs.TypeText {
		of = e.FollowUpOf
	}
	for e := range t.s.all() {
		if own := e.Question.ID == asked; own || wanted(e) && !e.Question.Screen {
			q := e.question(t.rc.Now)
			q.Asked, q.Implied = own, e.Question.ID == of
			all = append(all, q)
			key += "\n" + q.ID
		}
	}
	if got, ok := t.made[key]; ok {
		return got
	}
	got := reader.ReadMany(all, said, t.rc)
	delete(got, asked)
	t.made[key] = got
	return got
}

// restated takes a new answer to a question that was answered before, where the reply
// holds nothing else: "the pain is a two, by the way", "I did have a fall". The same
// answer again changes nothing.
func (t *turn) restated(e *Entry) bool {
	got := t.elsewhere(e.Question.ID, t.in.words)
	if len(got) != 1 || t.count() > restateWords {
		return false
	}
	for id, rd := range got {
		o := t.s.entry(id)
		if !o.Answer.given() || o.Question.Type == packs.TypeText || !rd.Settled || rd.Status != reader.Answered {
			return false
		}
		if alike(o.value(rd.Value), o.Answer.Value) {
			t.lead = words.Thanks
			return true
		}
		if t.take(id, rd, sourceRules) {
			t.lead = words.Corrected
			if t.s.awaits(id) {
				t.lead = words.Thanks // it is read back first
			}
			return true
		}
	}
	return false
}

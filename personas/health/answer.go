package health

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"regexp"
	"strings"

	"github.com/naiber/naiber/personas/health/extract"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// restateWords is the greatest number of words in a reply that restates an answer.
const restateWords = 12

// clauseEnd matches the end of a thought, after which another may begin.
var clauseEnd = regexp.MustCompile(`(?i)[,.;!?]+\s*|\s+(?:and|but|because)\s+`)

// guessAt is the confidence from which a value that is not certain enough to be recorded is read
// back, instead of putting the question again.
const guessAt = 0.4

// answer reads a reply to the open question. It tries keys, corrections, the question itself, other
// questions, and other kinds of reply, and then asks a model.
func (r *reply) answer(ctx context.Context) {
	e := r.s.current()
	if r.in.keys != "" && r.keyed(e) {
		return
	}
	if r.in.words == "" {
		r.aside(e, words.Silence)
		return
	}
	intent := r.intent()
	if e.Question.Type == packs.TypeText && r.moreToCome(intent) {
		intent = reader.IntentNone
	}
	previous := r.s.Said
	r.join(e, intent)
	if intent == reader.IntentWrongPerson && r.plausiblyOther() {
		r.wrongPerson()
		return
	}
	if r.alternative(e, previous) {
		return
	}
	if r.corrections(e) {
		r.passing(e.Question.ID)
		r.parting(intent)
		return
	}
	free := e.Question.Type == packs.TypeText
	if free && r.shortAside(e, intent) || (free || retracts(r.in.words)) && r.unfinished(e, intent) {
		return
	}
	if r.read(ctx, e) {
		r.passing(e.Question.ID)
		r.acknowledge(e)
		r.parting(intent)
		return
	}
	if r.restated(e) {
		r.goOn("")
		return
	}
	if r.reconsidered(e, previous, intent) {
		return
	}
	rd := r.reading(e) // before passing closes the questions that the reply also answers
	r.passing(e.Question.ID)
	if !r.unfinished(e, intent) {
		r.unsettled(ctx, e, rd, intent)
	}
}

// keyed reads pressed keys and reports whether they settle the reply. Words that came with them may
// answer other questions.
func (r *reply) keyed(e *Entry) bool {
	rd := reader.Read(e.question(r.rc.Now), "[keypad: "+r.in.keys+"]", r.rc)
	if rd.Settled && r.take(e.Question.ID, rd, sourceKeypad) {
		r.passing(e.Question.ID)
		r.acknowledge(e)
		r.goOn("")
		return true
	}
	if r.in.words != "" {
		return false
	}
	r.aside(e, words.KeypadBad)
	return true
}

// read records the answer to the open question, if rules settle it, and reports whether they did.
// If free text is not plainly an answer, a model is asked, and may overrule them.
func (r *reply) read(ctx context.Context, e *Entry) bool {
	if r.s.Held && r.intent() == reader.IntentYes && r.count() <= 2 {
		return false // "yes" after a pause means that the person is back
	}
	rd := r.reading(e)
	if !rd.Settled && r.latest != "" {
		rd = r.readingOf(e, r.latest) // the pieces confuse each other
	}
	if rd.Status == reader.Skipped && r.intent() == reader.IntentExit {
		return false // "could we do this another day" postpones the call, not the question
	}
	if rd.Settled {
		rd = r.doubted(e, rd)
	}
	if rd.Settled && r.unsure(e, rd) {
		if got, err := r.ask(ctx, e, rd); err == nil && (got.None || got.Ends && !r.last(e) || got.Settled && got.Status != reader.Answered) {
			return false
		}
	}
	return rd.Settled && r.take(e.Question.ID, rd, sourceRules)
}

// reading returns what rules read in the reply for the open question. What clearly concerns another
// question is left out: "the pain was a four" does not answer how the night was.
func (r *reply) reading(e *Entry) reader.Reading { return r.readingOf(e, r.in.words) }

// readingOf returns what rules read in some of the words for the open question.
func (r *reply) readingOf(e *Entry, said string) reader.Reading {
	q := e.question(r.rc.Now)
	rd := reader.Read(q, said, r.rc)
	if e.Question.Type == packs.TypeText {
		return rd
	}
	if !rd.Settled || rd.Status == reader.Answered {
		if own, cut := r.own(e, said); cut {
			rd = reader.Read(q, own, r.rc)
		}
	}
	if !rd.Settled {
		if anchored, ok := extract.Anchor(e.Question, said, r.rc); ok {
			return anchored
		}
	}
	return rd
}

// parting goes on after a reply that was understood, unless it also asks to stop or shows distress.
func (r *reply) parting(intent reader.Intent) {
	switch {
	case intent == reader.IntentDistress:
		r.distress()
	case intent == reader.IntentExit && r.s.next() >= 0:
		r.put(PhaseConfirmExit, words.ConfirmExit)
	default:
		r.goOn("")
	}
}

// unsettled handles a reply that rules could not read as an answer; rd is what they read.
func (r *reply) unsettled(ctx context.Context, e *Entry, rd reader.Reading, intent reader.Intent) {
	switch filler := intent == reader.IntentFiller || intent == reader.IntentSilence; {
	case intent == reader.IntentDistress:
		r.distress()
	case intent != reader.IntentExit && asksWho(r.in.words):
		r.aside(e, words.Who)
	case r.requested(e, intent):
	case filler && rd.Verbal && r.guessed(e, rd): // "okay", "so so"
		r.goOn("")
	case filler:
		r.aside(e, words.Filler)
	case r.s.Held && r.count() <= backWords:
		r.aside(e, words.HoldOn)
	case rd.Verbal && r.guessed(e, rd): // a model could only guess, too
		r.goOn("")
	case r.declined(e, rd):
	case r.extracted(ctx, e, rd):
	case r.took > 0: // it was about another question
		r.aside(e, r.lead)
	case r.guessed(e, rd):
		r.goOn("")
	case grieves(r.in.words):
		r.distress()
	case intent == reader.IntentDigression, asksHowLong(r.in.words), asksAfter(r.in.words):
		r.digression(e)
	case r.count() >= remarkWords:
		r.fail(e, words.Digression) // it was understood, but is no answer
	default:
		r.fail(e, words.Unclear)
	}
}

// extracted asks a model to read a reply that rules could not, and reports whether the reply is
// dealt with. If there is no model, or it fails, what the reply likely means is read back.
func (r *reply) extracted(ctx context.Context, e *Entry, rd reader.Reading) bool {
	if r.p.cfg.Model == nil {
		return r.meant(e, rd, meantAt)
	}
	got, err := r.ask(ctx, e, rd)
	switch {
	case errors.Is(err, errNothingSaid):
		return false
	case err != nil:
		return r.meant(e, rd, meantAt)
	case got.Ends:
		r.put(PhaseConfirmExit, words.ConfirmExit)
		return true
	case !got.Settled:
		least := againstAt
		if got.Seen {
			least = meantAt
		}
		return r.meant(e, rd, least)
	case !r.take(e.Question.ID, got.Reading, sourceModel):
		return false
	}
	r.acknowledge(e)
	r.goOn("")
	return true
}

// errNothingSaid means that nothing in a reply is about the open question.
var errNothingSaid = errors.New("nothing said")

// ask returns what a model hears in the reply; rd is what rules read. It asks once a turn.
func (r *reply) ask(ctx context.Context, e *Entry, rd reader.Reading) (extract.Heard, error) {
	if r.heard != nil {
		return *r.heard, nil
	}
	said, _ := r.own(e, r.in.words)
	if strings.TrimSpace(said) == "" {
		return extract.Heard{}, errNothingSaid
	}
	ctx, cancel := r.in.untilAbandoned(ctx)
	defer cancel()
	ask := extract.Ask{Context: r.rc, Question: e.question(r.rc.Now), Wording: cmp.Or(r.s.Spoken, e.Question.Wording(0)), Said: said, Doubted: rd.Settled}
	if !e.Question.Screen { // an item of an instrument is answered without its context
		ask.Before = r.in.before()
	}
	got, err := r.p.extract.Read(ctx, ask)
	if err != nil {
		r.in.report.degrade("no_reading")
		r.p.log.LogAttrs(ctx, slog.LevelWarn, "reply not read by a model", slog.String("call_id", r.s.Call.String()), slog.Any("err", err))
		return got, err
	}
	r.heard = &got
	return got, nil
}

// guessed queues a value that is not certain enough to be recorded to be read back, once a
// question, and reports whether it did. It leaves out instruments: reading back a guess would
// suggest an answer, so their items are put again.
func (r *reply) guessed(e *Entry, rd reader.Reading) bool {
	if e.Guessed || e.Question.Screen || rd.Settled || rd.Value.IsZero() || rd.Confidence < guessAt || rd.Value.Kind == reader.Text {
		return false
	}
	rd.Status = reader.Answered
	a, ok := e.asAnswer(rd, sourceRules, r.in.at)
	if !ok {
		return false
	}
	e.Guessed = true
	r.s.Pending = append(r.s.Pending, Pending{ID: e.Question.ID, Guess: true, Verbal: rd.Verbal, Correction: e.Answer != nil, Answer: a})
	return true
}

// own returns a reply without the clauses that clearly concern other questions, answered ones
// included, and reports whether there were any.
func (r *reply) own(e *Entry, said string) (rest string, cut bool) {
	said, cut = reader.Turned(e.question(r.rc.Now), r.openBut(e.Question.ID), said, r.rc)
	others := r.elsewhere(e.Question.ID, said)
	if len(others) == 0 {
		return said, cut
	}
	var keep []string
	for _, clause := range clauseEnd.Split(said, -1) {
		if len(r.elsewhere(e.Question.ID, clause)) > 0 {
			cut = true
			continue
		}
		keep = append(keep, clause)
	}
	if len(keep) == 0 && r.apart(reader.Read(e.question(r.rc.Now), said, r.rc), others) {
		return said, cut // speech recognition left out the pauses between them
	}
	return words.Join(keep...), cut
}

// apart reports whether rd is a settled answer whose words do not overlap with those that answer
// other questions.
func (r *reply) apart(rd reader.Reading, others map[string]reader.Reading) bool {
	for _, o := range others {
		if strings.Contains(o.Quote, rd.Quote) || strings.Contains(rd.Quote, o.Quote) {
			return false
		}
	}
	return rd.Settled && rd.Status == reader.Answered
}

// openBut returns the open questions, other than one, that may be answered in passing.
func (r *reply) openBut(except string) []reader.Question {
	var open []reader.Question
	for e := range r.s.all() {
		if e.open() && e.Question.ID != except && !r.s.awaits(e.Question.ID) && !e.Question.Screen {
			open = append(open, e.question(r.rc.Now))
		}
	}
	return open
}

// elsewhere reads words as answers to all other questions, answered or not. Words for good and bad
// count only if they could also answer the question that was asked.
func (r *reply) elsewhere(except, said string) map[string]reader.Reading {
	got := maps.Clone(r.many(except, said, func(*Entry) bool { return true }))
	if e := r.s.entry(except); e != nil && e.Question.Type != packs.TypeScale && e.Question.Type != packs.TypeChoice {
		maps.DeleteFunc(got, func(_ string, rd reader.Reading) bool { return rd.Verbal && !rd.Settled })
	}
	return got
}

// many reads words as answers to the wanted questions other than the one that was asked. The reader
// gets that one too, so that it does not give words that could answer it to another question. An
// instrument's items are left out, as they can only be answered when they are put, word for word.
// Results are cached for the turn.
func (r *reply) many(asked, said string, wanted func(*Entry) bool) map[string]reader.Reading {
	all := make([]reader.Question, 0, len(r.s.Entries))
	var key strings.Builder
	key.WriteString(said + "\n" + asked)
	of := ""
	if e := r.s.entry(asked); e != nil && e.Question.Type == packs.TypeText {
		of = e.FollowUpOf
	}
	for e := range r.s.all() {
		if own := e.Question.ID == asked; own || wanted(e) && !e.Question.Screen {
			q := e.question(r.rc.Now)
			q.Asked, q.Implied = own, e.Question.ID == of
			all = append(all, q)
			key.WriteString("\n" + q.ID)
		}
	}
	if got, ok := r.made[key.String()]; ok {
		return got
	}
	got := reader.ReadMany(all, said, r.rc)
	delete(got, asked)
	if r.made == nil {
		r.made = map[string]map[string]reader.Reading{}
	}
	r.made[key.String()] = got
	return got
}

// restated records a new answer to a question that was answered before, if the reply contains
// nothing else: "the pain is a two, by the way", "I did have a fall". It reports whether there was
// one; the same answer again changes nothing.
func (r *reply) restated(e *Entry) bool {
	got := r.elsewhere(e.Question.ID, r.in.words)
	if len(got) != 1 || r.count() > restateWords {
		return false
	}
	for id, rd := range got {
		o := r.s.entry(id)
		if !o.Answer.given() || o.Question.Type == packs.TypeText || !rd.Settled || rd.Status != reader.Answered {
			return false
		}
		if alike(o.value(rd.Value), o.Answer.Value) {
			r.lead = words.Thanks
			return true
		}
		if r.take(id, rd, sourceRules) {
			r.lead = words.Corrected
			if r.s.awaits(id) {
				r.lead = words.Thanks // it is read back before it counts
			}
			return true
		}
	}
	return false
}

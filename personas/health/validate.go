package health

import (
	"context"
	"log/slog"
	"strings"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
	"github.com/naiber/naiber/store/survive"
)

// turn is one reply of the person while it is made sense of.
type turn struct {
	p  *Persona
	s  *State
	in *heard
	rc reader.Context
	// lead is what the reply led to: it opens what is said next.
	lead words.Situation
	took int // how many answers were recorded or await being read back
	// latest are the words of this turn alone, where in holds earlier ones as well.
	latest string
	// made are the readings of [turn.many], by what was read for which questions.
	made map[string]map[string]reader.Reading
}

// newTurn begins to make sense of a reply.
func (p *Persona) newTurn(s *State, in *heard) *turn {
	s.Turns++
	s.Noted, s.Prompt, s.Next = nil, Prompt{}, ""
	e := s.current()
	s.Private = e != nil && e.Question.Screen
	return &turn{p: p, s: s, in: in, rc: s.context(in), made: map[string]map[string]reader.Reading{}}
}

// orchestrate begins a check with what the person said to the opening.
func (p *Persona) orchestrate(_ context.Context, s *State, r *graph.Run[heard]) error {
	in := r.Input()
	s.Conversation = in.conversation // the opening was said in it
	t := p.newTurn(s, &in)
	defer t.unread()
	if in.ahead != nil && t.count() > greetingWords { // who says more than yes will talk
		in.ahead()
	}
	t.opening()
	t.keep(s.Phase)
	return nil
}

// validate makes sense of a reply to what was asked, and says where to go on.
func (p *Persona) validate(ctx context.Context, s *State, r *graph.Run[heard]) error {
	in := r.Input()
	p.newTurn(s, &in).hear(ctx)
	return nil
}

// hear makes sense of the reply by what it is to.
func (t *turn) hear(ctx context.Context) {
	s, in, phase := t.s, t.in, t.s.Phase
	defer t.unread()
	switch {
	case s.Phase == PhaseOpening:
		t.opening()
	case s.Conversation != in.conversation:
		t.unheard(words.Reconnected)
	case s.Phase == PhaseConfirmExit:
		t.confirmExit()
	case s.Phase == PhaseConfirmPerson:
		t.confirmPerson()
	case s.Phase == PhaseDistress:
		t.distressed()
	case !s.reach().reached(in.missed(s.Spoken)):
		t.unheard("")
	case s.Phase == PhaseReadingBack:
		t.confirmReading()
	default:
		t.answer(ctx)
	}
	t.keep(phase)
}

// keep records what the reply told besides, whatever else it came to, where nobody else
// may have said it. phase is what the reply was to.
func (t *turn) keep(phase Phase) {
	if phase == PhaseConfirmPerson || t.s.Phase == PhaseConfirmPerson {
		return
	}
	id := ""
	if e := t.s.current(); e != nil {
		id = e.Question.ID
	}
	t.passing(id)
}

// unread takes a reply that made its reading panic as one that was not understood: what
// was recorded before stands.
func (t *turn) unread() {
	v := recover()
	if v == nil {
		return
	}
	_ = survive.Report(t.p.log.With(slog.String("call_id", t.s.Call.String())), "health_reading", v) // logged and counted
	if e := t.s.current(); e != nil && e.open() && (t.s.Phase == PhaseAsking || t.s.Phase == PhaseKeypad) {
		t.fail(e, words.Unclear)
		return
	}
	t.quietly(words.Unclear)
}

// reach is that of the question, or of the answer that is read back.
func (s *State) reach() *Reach {
	if s.Phase == PhaseReadingBack && len(s.Pending) > 0 {
		return &s.Pending[0].Reach
	}
	if e := s.current(); e != nil {
		return &e.Reach
	}
	return &Reach{}
}

// goOn goes on with whatever comes next, be it the same question again.
func (t *turn) goOn(lead words.Situation) {
	if lead != "" {
		t.lead = lead
	}
	t.s.Held = false
	t.s.Prompt.Lead, t.s.Next = t.lead, nodeFollowUp
}

// put says something and waits, in a phase of its own.
func (t *turn) put(phase Phase, what words.Situation) {
	if t.s.Phase != phase {
		t.s.Again = 0
	}
	t.s.Phase, t.s.Next = phase, nodeAsk
	t.s.Prompt = Prompt{Lead: what}
}

// quietly says something and leaves what is asked as it was.
func (t *turn) quietly(what words.Situation) {
	t.s.Next = nodeAsk
	t.s.Prompt = Prompt{Lead: what, Quiet: true}
}

// waitAgain does so, a bounded number of times in a phase.
func (t *turn) waitAgain(what words.Situation) {
	t.s.Again++
	t.quietly(what)
}

func (t *turn) end(how Ending) { t.s.Ended, t.s.Next = how, nodeFinalize }

// intent is what the words are for.
func (t *turn) intent() reader.Intent {
	got := reader.IntentIn(t.in.words, t.rc)
	if (got == reader.IntentFiller || got == reader.IntentNone) && t.s.Phase != PhaseAsking && t.s.Phase != PhaseKeypad && assents(t.in.words) {
		return reader.IntentYes // what is asked then is ours to be agreed to
	}
	return got
}

// count is how many words were said.
func (t *turn) count() int { return len(strings.Fields(t.in.words)) }

// unheard takes a reply that came before the open question was heard: in another
// conversation, or across a barge-in. A bare yes or number is no answer then;
// words that clearly speak of a question are. In another conversation "shall we
// go on?" was asked.
func (t *turn) unheard(lead words.Situation) {
	intent := t.intent()
	switch intent {
	case reader.IntentDistress:
		t.passing("")
		t.distress()
		return
	case reader.IntentWrongPerson:
		if t.plausiblyOther() {
			t.wrongPerson()
			return
		}
	case reader.IntentExit:
		t.passing("")
		t.put(PhaseConfirmExit, words.ConfirmExit)
		return
	case reader.IntentHold:
		t.quietly(words.Hold)
		return
	default:
	}
	t.s.Prompt.Unheard = true
	if t.s.Phase == PhaseConfirmPerson {
		t.put(PhaseConfirmPerson, words.WrongPerson)
		t.s.Conversation = t.in.conversation
		return
	}
	if !t.corrections(nil) {
		t.spokenOn()
	}
	t.passing("")
	if lead == words.Reconnected && t.took == 0 && (intent == reader.IntentNo || notNow(t.in.words)) && !goesOn(t.in.words) {
		t.put(PhaseConfirmExit, words.ConfirmExit) // no to "shall we go on?"
		return
	}
	if t.lead != "" && t.s.Phase != PhaseReadingBack {
		lead = "" // what follows is another question
	}
	t.goOn(lead)
}

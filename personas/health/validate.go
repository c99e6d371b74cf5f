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

// reply is what the person said while it is made sense of.
type reply struct {
	p  *Persona
	s  *State
	in *input
	rc reader.Context
	// lead is what the reply led to: it opens what is said next.
	lead words.Situation
	took int // how many answers were recorded or await being read back
	// latest are the words of this turn alone, where in holds earlier ones as well.
	latest string
	// made are the readings of [turn.many], by what was read for which questions.
	made map[string]map[string]reader.Reading
}

// newReply begins to make sense of a reply.
func (p *Persona) newReply(s *State, in *input) *reply {
	s.Turns++
	s.Noted, s.Prompt, s.Next = nil, Prompt{}, ""
	e := s.current()
	s.Private = e != nil && e.Question.Screen
	return &reply{p: p, s: s, in: in, rc: s.context(in)}
}

// orchestrate begins a check with what the person said to the opening.
func (p *Persona) orchestrate(_ context.Context, s *State, r *graph.Run[input]) error {
	in := r.Input()
	s.Conversation = in.conversation // the opening was said in it
	t := p.newReply(s, &in)
	defer t.unread()
	if in.ahead != nil && t.count() > greetingWords { // who says more than yes will talk
		in.ahead()
	}
	t.opening()
	t.keep(s.Phase)
	return nil
}

// validate makes sense of a reply to what was asked, and says where to go on.
func (p *Persona) validate(ctx context.Context, s *State, r *graph.Run[input]) error {
	in := r.Input()
	p.newReply(s, &in).respond(ctx)
	return nil
}

// respond makes sense of the reply by what it is to.
func (r *reply) respond(ctx context.Context) {
	s, in, phase := r.s, r.in, r.s.Phase
	defer r.unread()
	switch {
	case s.Phase == PhaseOpening:
		r.opening()
	case s.Conversation != in.conversation:
		r.unheard(words.Reconnected)
	case s.Phase == PhaseConfirmExit:
		r.confirmExit()
	case s.Phase == PhaseConfirmPerson:
		r.confirmPerson()
	case s.Phase == PhaseDistress:
		r.distressed()
	case !s.reach().reached(in.missed(s.Spoken)):
		r.unheard("")
	case s.Phase == PhaseReadingBack:
		r.confirmReading()
	default:
		r.answer(ctx)
	}
	r.keep(phase)
}

// keep records what the reply told besides, whatever else it came to, where nobody else
// may have said it. phase is what the reply was to.
func (r *reply) keep(phase Phase) {
	if phase == PhaseConfirmPerson || r.s.Phase == PhaseConfirmPerson {
		return
	}
	id := ""
	if e := r.s.current(); e != nil {
		id = e.Question.ID
	}
	r.passing(id)
	r.besides(id)
}

// unread takes a reply that made its reading panic as one that was not understood: what
// was recorded before stands.
func (r *reply) unread() {
	v := recover()
	if v == nil {
		return
	}
	_ = survive.Report(r.p.log.With(slog.String("call_id", r.s.Call.String())), "health_reading", v) // logged and counted
	if e := r.s.current(); e != nil && e.open() && (r.s.Phase == PhaseAsking || r.s.Phase == PhaseKeypad) {
		r.fail(e, words.Unclear)
		return
	}
	r.quietly(words.Unclear)
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
func (r *reply) goOn(lead words.Situation) {
	if lead != "" {
		r.lead = lead
	}
	r.s.Held = false
	r.s.Prompt.Lead, r.s.Next = r.lead, nodeFollowUp
}

// put says something and waits, in a phase of its own.
func (r *reply) put(phase Phase, what words.Situation) {
	if r.s.Phase != phase {
		r.s.Again = 0
	}
	r.s.Phase, r.s.Next = phase, nodeAsk
	r.s.Prompt = Prompt{Lead: what}
}

// quietly says something and leaves what is asked as it was.
func (r *reply) quietly(what words.Situation) {
	r.s.Next = nodeAsk
	r.s.Prompt = Prompt{Lead: what, Quiet: true}
}

// waitAgain does so, a bounded number of times in a phase.
func (r *reply) waitAgain(what words.Situation) {
	r.s.Again++
	r.quietly(what)
}

func (r *reply) end(how Ending) { r.s.Ended, r.s.Next = how, nodeFinalize }

// intent is what the words are for.
func (r *reply) intent() reader.Intent {
	got := reader.IntentIn(r.in.words, r.rc)
	if (got == reader.IntentFiller || got == reader.IntentNone) && r.s.Phase != PhaseAsking && r.s.Phase != PhaseKeypad && assents(r.in.words) {
		return reader.IntentYes // what is asked then is ours to be agreed to
	}
	return got
}

// count is how many words were said.
func (r *reply) count() int { return len(strings.Fields(r.in.words)) }

// unheard takes a reply that came before the open question was heard: in another
// conversation, or across a barge-in. A bare yes or number is no answer then;
// words that clearly speak of a question are. In another conversation "shall we
// go on?" was asked.
func (r *reply) unheard(lead words.Situation) {
	intent := r.intent()
	switch intent {
	case reader.IntentDistress:
		r.passing("")
		r.distress()
		return
	case reader.IntentWrongPerson:
		if r.plausiblyOther() {
			r.wrongPerson()
			return
		}
	case reader.IntentExit:
		r.passing("")
		r.put(PhaseConfirmExit, words.ConfirmExit)
		return
	case reader.IntentHold:
		r.quietly(words.Hold)
		return
	default:
	}
	r.s.Prompt.Unheard = true
	if r.s.Phase == PhaseConfirmPerson {
		r.put(PhaseConfirmPerson, words.WrongPerson)
		r.s.Conversation = r.in.conversation
		return
	}
	if !r.corrections(nil) {
		r.spokenOn()
	}
	r.passing("")
	if lead == words.Reconnected && r.took == 0 && (intent == reader.IntentNo || notNow(r.in.words)) && !goesOn(r.in.words) {
		r.put(PhaseConfirmExit, words.ConfirmExit) // no to "shall we go on?"
		return
	}
	if r.lead != "" && r.s.Phase != PhaseReadingBack {
		lead = "" // what follows is another question
	}
	r.goOn(lead)
}

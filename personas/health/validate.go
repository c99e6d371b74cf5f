package health

import (
	"context"
	"log/slog"
	"strings"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/health/extract"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
	"github.com/naiber/naiber/store/survive"
)

// reply is what the person said, while it is being interpreted.
type reply struct {
	p  *Persona
	s  *State
	in *input
	rc reader.Context
	// lead is the response to the reply, which precedes what is said next.
	lead words.Situation
	took int // number of answers that were recorded or are queued to be read back
	// latest holds the words of this turn alone, if in holds earlier ones too that do not change what
	// they mean.
	latest string
	// made caches the readings of [reply.many], by the words and questions read.
	made map[string]map[string]reader.Reading
	// heard is what a model heard in the reply, if it was asked.
	heard *extract.Heard
}

// newReply prepares the state for a new turn and returns its reply.
func (p *Persona) newReply(s *State, in *input) *reply {
	s.Turns++
	s.Noted, s.Prompt, s.Next = nil, Prompt{}, ""
	e := s.current()
	s.Private = e != nil && e.Question.Screen
	return &reply{p: p, s: s, in: in, rc: s.context(in)}
}

// orchestrate begins a check with the reply to the opening.
func (p *Persona) orchestrate(_ context.Context, s *State, r *graph.Run[input]) error {
	in := r.Input()
	s.Conversation = in.conversation // the opening was spoken in it
	t := p.newReply(s, &in)
	defer t.unread()
	if in.ahead != nil && t.count() > greetingWords { // a reply that is longer than a greeting is likely to begin the check
		in.ahead()
	}
	t.opening()
	t.keep(s.Phase)
	return nil
}

// validate interprets a reply to what was asked, and sets the next node.
func (p *Persona) validate(ctx context.Context, s *State, r *graph.Run[input]) error {
	in := r.Input()
	p.newReply(s, &in).respond(ctx)
	return nil
}

// respond interprets the reply, depending on the phase that it replies to.
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

// keep records what else the reply says, however it was handled, unless somebody else may have said
// it. phase is the phase that it replied to.
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

// unread recovers from a panic while a reply was read. It handles the reply as one that was not
// understood; what was recorded before the panic is kept.
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

// reach returns the Reach of the question, or of the answer that is being read back.
func (s *State) reach() *Reach {
	if s.Phase == PhaseReadingBack && len(s.Pending) > 0 {
		return &s.Pending[0].Reach
	}
	if e := s.current(); e != nil {
		return &e.Reach
	}
	return &Reach{}
}

// goOn continues with whatever is next, which may be the same question.
func (r *reply) goOn(lead words.Situation) {
	if lead != "" {
		r.lead = lead
	}
	r.s.Held = false
	r.s.Prompt.Lead, r.s.Next = r.lead, nodeFollowUp
}

// put says something and waits for the reply in the given phase.
func (r *reply) put(phase Phase, what words.Situation) {
	if r.s.Phase != phase {
		r.s.Again = 0
	}
	r.s.Phase, r.s.Next = phase, nodeAsk
	r.s.Prompt = Prompt{Lead: what}
}

// quietly says something without changing the open question.
func (r *reply) quietly(what words.Situation) {
	r.s.Next = nodeAsk
	r.s.Prompt = Prompt{Lead: what, Quiet: true}
}

// waitAgain calls quietly and counts it, for the callers that limit how often a phase is repeated.
func (r *reply) waitAgain(what words.Situation) {
	r.s.Again++
	r.quietly(what)
}

func (r *reply) end(how Ending) { r.s.Ended, r.s.Next = how, nodeFinalize }

// intent returns the intent of the words.
func (r *reply) intent() reader.Intent {
	got := reader.IntentIn(r.in.words, r.rc)
	if (got == reader.IntentFiller || got == reader.IntentNone) && r.s.Phase != PhaseAsking && r.s.Phase != PhaseKeypad && assents(r.in.words) {
		return reader.IntentYes // outside of questions, the check asks for agreement
	}
	return got
}

// count returns the number of words said.
func (r *reply) count() int { return len(strings.Fields(r.in.words)) }

// unheard handles a reply that came before the open question was heard, in another conversation or
// because of a barge-in. A bare yes or number then is no answer; words that clearly concern a
// question are. In another conversation, the person was asked "shall we go on?".
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
		if r.spokenOn() {
			r.goOn(r.lead)
			return
		}
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
		r.put(PhaseConfirmExit, words.ConfirmExit) // the answer no to "shall we go on?"
		return
	}
	if r.lead != "" && r.s.Phase != PhaseReadingBack {
		lead = "" // another question follows
	}
	r.goOn(lead)
}

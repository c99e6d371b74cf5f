package cognitive

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/health/reader"
)

const (
	// maxAgain is how often a question before the tasks is put again.
	maxAgain = 2
	// asideWords is the most words in a remark that is about the call and no answer.
	asideWords = 12
	// wordsPerMinute and pauseFor estimate how fast a text is spoken, for the times of answers:
	// pauseFor is the pause at each ellipsis. They are our estimate of the voice; it is the same
	// from session to session, so times compare.
	wordsPerMinute = 150
	pauseFor       = 600 * time.Millisecond
)

// reply is what the person said, while it is being answered.
type reply struct {
	p     *Persona
	s     *State
	in    *input
	said  []string // by us
	put   bool     // said holds an item
	about reader.Intent
}

// hear interprets what was said, and says what follows, if anything.
func (p *Persona) hear(_ context.Context, s *State, run *graph.Run[input]) error {
	in := run.Input()
	whole := in.words
	s.fresh(&in)
	s.Turns++
	r := &reply{p: p, s: s, in: &in, about: reader.IntentIn(in.words, reader.Context{Now: in.at.In(s.location()), Locale: s.Language})}
	r.respond()
	s.Conversation = in.conversation
	text := strings.Join(r.said, " ")
	if text == "" {
		if in.since != 0 {
			s.Quiet = Quiet{in.since, whole}
		}
		return nil
	}
	s.Spoken, s.Put, s.Quiet = text, r.put, Quiet{}
	if r.put {
		_, a := s.item()
		a.AskedAt = in.at.Add(time.Duration(float64(speaking(text)) / p.pace()))
	}
	return run.Say(text)
}

func (p *Persona) pace() float64 { return cmp.Or(p.cfg.Pace, 1) }

// speaking returns the estimated time that it takes to say a text.
func speaking(text string) time.Duration {
	pauses := strings.Count(text, "...") + strings.Count(text, "…")
	return time.Duration(len(strings.Fields(text)))*time.Minute/wordsPerMinute + time.Duration(pauses)*pauseFor
}

// respond answers according to the phase.
func (r *reply) respond() {
	s, in := r.s, r.in
	switch {
	case len(s.Tasks) == 0: // none in this person's language
		r.end(EndedNoTasks, "no_tasks")
		return
	case s.Conversation != in.conversation:
		r.reconnected()
		return
	case in.words == "":
		r.silence()
		return
	case s.Phase == PhaseTask:
		s.Silences = 0
		r.answer()
		return
	}
	s.Silences = 0
	switch {
	case r.about == reader.IntentDistress && slices.Contains([]Phase{PhaseOpening, PhaseQuiet, PhaseHearing, PhaseWellbeing, PhaseAlone}, s.Phase):
		s.confound("mood", in.words, in.at)
		r.offer("distress_offer")
		return
	case s.Again < maxAgain && in.missed(s.Spoken, len(strings.Fields(s.Spoken))/sparePart) && s.Phase != PhaseOpening && s.Phase != PhaseEasy && !r.exits():
		s.Again++ // speech over ours each time may be a television
		r.ask(s.Phase, "")
		return
	case s.Again < maxAgain && s.Phase != PhaseEasy && r.wonders() != "":
		s.Again++
		r.say(answers[r.wonders()])
		r.ask(s.Phase, "")
		return
	}
	switch s.Phase {
	case PhaseOpening:
		r.opening()
	case PhaseQuiet:
		r.quiet()
	case PhaseHearing:
		r.hearing()
	case PhaseWellbeing:
		r.wellbeing()
	case PhaseAlone:
		r.alone()
	case PhaseOffer:
		r.offered()
	case PhaseWhen:
		r.when()
	case PhaseConfirm:
		r.confirm()
	case PhaseEasy:
		r.end(EndedEasy, "closing_easy")
	case PhaseTask, PhaseClosing: // handled above; the check is over
	}
}

// wonders returns the question about the call that the person asks before or between tasks, or ""
// if there is none or the person wants to end the call. The opening already says who calls.
func (r *reply) wonders() string {
	if r.exits() || r.means("another_time") || r.means("never") {
		return ""
	}
	name := r.asked()
	if name == "who" && r.s.Phase == PhaseOpening {
		return ""
	}
	return name
}

// say adds one of the sentences of a name.
func (r *reply) say(name string, fill ...string) {
	r.said = append(r.said, say(r.s.Language, name, r.s.Turns, fill...))
}

// ask says a sentence of a name and waits for the reply in a phase. If name is empty, it asks the
// phase's own question.
func (r *reply) ask(phase Phase, name string) {
	if name == "" {
		name = questions[phase]
	}
	if r.s.Phase != phase {
		r.s.Again = 0
	}
	r.s.Phase = phase
	back := "hearing_words"
	if r.s.Loud {
		back = "hearing_words_again"
	}
	r.say(name, "words", strings.Join(wordsOf(r.s.Language, back), " ... "))
}

// questions holds what each phase asks when it is put once more.
var questions = map[Phase]string{
	PhaseOpening: "opening_again", PhaseQuiet: "quiet_later", PhaseHearing: "hearing_say", PhaseWellbeing: "wellbeing_again", PhaseAlone: "alone",
	PhaseOffer: "offer_again", PhaseWhen: "when", PhaseConfirm: "confirm_exit_again",
}

func (r *reply) end(how Ending, name string) {
	r.s.Ended, r.s.Phase = how, PhaseClosing
	r.say(name)
}

// reconnected goes on after a line had dropped: its first words answer "where were we?".
func (r *reply) reconnected() {
	if r.exits() {
		r.leave()
		return
	}
	if r.s.Phase == PhaseTask {
		r.s.confound("interrupted", "", r.in.at)
		r.disturbed("line_dropped")
		return
	}
	if r.s.Phase == PhaseEasy {
		r.end(EndedEasy, "closing_done")
		return
	}
	r.ask(r.s.Phase, "")
}

// silence answers a turn in which nobody spoke; it leaves a person who is thinking time to think.
func (r *reply) silence() {
	if r.s.Phase == PhaseTask {
		r.thinking()
		return
	}
	r.s.Silences++
	switch {
	case r.s.Phase == PhaseQuiet && r.s.Silences == 1: // they are making it quiet
	case r.s.Silences == 1:
		r.say("no_hurry")
	case r.s.Silences == 2:
		r.say("still_there")
	case r.s.Phase == PhaseEasy:
		r.end(EndedEasy, "closing_done")
	case !r.s.begun() && (r.s.Phase == PhaseOffer || r.s.Phase == PhaseWhen):
		r.end(EndedPostponed, "closing_silence")
	default:
		r.end(EndedSilence, "closing_silence")
	}
}

// exits reports whether the person wants to stop. If any words may be an answer, only a plain wish
// counts.
func (r *reply) exits() bool {
	if means("stop", r.in.words) && !means("not_stop", r.in.words) {
		return true
	}
	return r.about == reader.IntentExit && !r.free()
}

// leave asks whether to stop or, before anything was put, when would suit better.
func (r *reply) leave() {
	if !r.s.begun() {
		r.ask(PhaseWhen, "")
		return
	}
	if r.s.Phase != PhaseConfirm {
		r.s.Back = r.s.Phase
	}
	r.ask(PhaseConfirm, "confirm_exit")
}

// offer asks whether to go on or to do it another time.
func (r *reply) offer(name string) {
	r.s.Back = r.s.Phase
	r.ask(PhaseOffer, name)
}

func (r *reply) count() int { return len(strings.Fields(r.in.words)) }

func (r *reply) means(name string) bool { return means(name, r.in.words) }

// aside reports whether the reply is a short remark that holds a phrase of name.
func (r *reply) aside(name string) bool { return r.count() <= asideWords && r.means(name) }

// company reports whether somebody prompts: "my daughter says", "mum, it's Thursday". What somebody
// said earlier may be part of an answer in free words.
func (r *reply) company() bool {
	if r.means("company") {
		return true
	}
	said := english.Plain(strings.NewReplacer("daughter's", "daughter is", "son's", "son is", "husband's", "husband is", "wife's", "wife is").Replace(english.Lower(r.in.words)))
	either := func(before string, names, after []string) bool {
		for _, name := range names {
			for _, what := range after {
				if english.Holds(said, before+name+" "+what) {
					return true
				}
			}
		}
		return false
	}
	return either("my ", phrases["relation"], phrases["says"]) || !r.free() && either("my ", phrases["relation"], phrases["said"]) ||
		either("", append(r.names(), phrases["address"]...), phrases["prompts"])
}

// names returns the words of the person's name, except those that may be an answer: "May, it's
// May".
func (r *reply) names() []string {
	return slices.DeleteFunc(strings.Fields(english.Plain(r.s.Name)), func(name string) bool { return slices.Contains(phrases["no_name"], name) })
}

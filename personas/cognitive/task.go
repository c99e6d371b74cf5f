package cognitive

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/cognitive/score"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/store/cognition"
)

const (
	// trials is the most times that words to remember are read out.
	trials = 3
	// maxPut is the most times that an item is put because the person asks for it.
	maxPut = 3
	// maxWaits is how many silent turns an item is left open for, and nudgeAt the one at which the
	// person is told that there is no hurry.
	maxWaits, nudgeAt = 3, 2
	// silencesAsk and silencesEnd are the silent turns in a row, across items, at which the person
	// is asked whether they are there and at which the check ends.
	silencesAsk, silencesEnd = 5, 6
	// tooHard is how many tasks in a row without a point lead to an easier end.
	tooHard = 2
	// endWords is how many of the last words are searched for a sign that there is no more.
	endWords = 6
	// spareExact is how many words of an item that must be heard exactly may be missed: the answer
	// may cut off the last one. Of other items one word in sparePart may be missed.
	spareExact, sparePart = 1, 3
)

// Reasons for which a task is void.
const (
	whyInterrupted = "interrupted"
	whyPrompted    = "prompted"
	whyNoise       = "noise"
	whyNotHeard    = "not_heard"
)

// exact reports whether the item's words must be heard exactly and to their end.
func exact(it *tasks.Item) bool {
	return it.Kind == tasks.Register || it.Kind == tasks.Digits || it.Kind == tasks.Story && !it.Later
}

// timed reports whether an interruption spoils the item.
func timed(it *tasks.Item) bool { return exact(it) || it.Kind == tasks.Fluency }

// free reports whether any words may answer what is asked now.
func (r *reply) free() bool {
	if r.s.Phase != PhaseTask {
		return false
	}
	it, _ := r.s.item()
	return it.Kind != tasks.Question && it.Kind != tasks.Digits
}

// next puts the next open task, or ends the check.
func (r *reply) next() {
	for r.s.Open++; r.s.Open < len(r.s.Tasks); r.s.Open++ {
		if r.s.task().Status != "" {
			continue
		}
		r.s.Phase, r.s.Item = PhaseTask, 0
		r.putItem()
		return
	}
	r.end(EndedDone, "closing_done")
}

// putItem says the open item, with the task's lead before the first item.
func (r *reply) putItem() {
	t := r.s.task()
	it, a := r.s.item()
	text := it.Say
	switch {
	case a.Put > 0:
		text = cmp.Or(it.Repeat, it.Say)
	case r.s.Item == 0 && t.Task.Lead != "":
		r.said = append(r.said, t.Task.Lead)
	}
	r.said = append(r.said, text)
	if t.At.IsZero() {
		t.At = r.in.at
	}
	a.Put++
	r.put = true
}

// score scores, by rules, what was said to the open item.
func (r *reply) score(said []score.Said) score.Score {
	t := r.s.task()
	it, _ := r.s.item()
	return score.Item(t.Task, t.Form, *it, said, score.Facts{Now: r.in.at.In(r.s.location()), Born: r.s.Born, Address: r.s.Address})
}

// after returns the time from the item's end to the turn.
func (r *reply) after() time.Duration {
	_, a := r.s.item()
	return max(0, time.Duration(float64(r.in.at.Sub(a.AskedAt))*r.p.pace()))
}

// timeUp reports whether the time of a fluency item is over.
func (r *reply) timeUp() bool {
	it, _ := r.s.item()
	return r.after() >= time.Duration(it.Seconds)*time.Second
}

// answer handles a reply to an item: first what it says about the call, then the answer.
func (r *reply) answer() {
	it, a := r.s.item()
	if r.in.at.Before(a.AskedAt) { // we spoke faster than estimated, or were cut short: the person's time has begun
		a.AskedAt = r.in.at
	}
	fresh := r.pieces(it, a)
	said := append(slices.Clone(a.Said), fresh...)
	got := r.score(fresh)
	kept := a.Said // what is kept if the check may end here
	if got.Points > 0 {
		kept = said
	}
	none := got.Points == 0 && (it.Kind != tasks.Fluency || !r.timeUp()) // once a fluency item's time is up, any words end it
	spared := spareExact
	if !exact(it) {
		spared = len(strings.Fields(r.s.Spoken)) / sparePart
	}
	missed := r.s.Put && r.in.missed(r.s.Spoken, spared)
	switch {
	case r.exits():
		a.Said = kept
		r.leave()
	case r.means("distress"), r.about == reader.IntentDistress && !r.free():
		a.Said = kept
		r.s.confound("mood", r.in.words, r.in.at)
		r.offer("distress_offer")
	case r.company(), r.about == reader.IntentWrongPerson && !r.free():
		r.prompted()
		r.s.settle(cognition.TaskVoid, whyPrompted)
	case missed && timed(it):
		r.s.confound("interrupted", "", r.in.at)
		r.disturbed(whyInterrupted)
	case missed && none && a.Put < maxPut:
		r.putItem()
	case none && r.aside("noise"):
		r.unheard("noise", whyNoise)
	case none && r.aside("not_heard"):
		r.unheard("hearing", whyNotHeard)
	case none && (r.aside("again") || r.about == reader.IntentRepeat && (!r.free() || r.count() <= greetingWords)):
		r.again()
	case none && r.aside("refuse") && !r.attempted("refuse"):
		r.s.settle(cognition.TaskRefused, "")
		r.say("next_refused")
		r.next()
	case none && a.Waits < maxWaits && r.asked() != "":
		a.Waits++
		r.say(answers[r.asked()])
		switch {
		case it.Kind == tasks.Fluency: // the clock runs on
		case !it.NoRepeat:
			r.putItem()
		case r.asked() != "how_did_i_do": // what the person had to keep in mind is lost by now
			r.disturbed(whyInterrupted)
		}
	case none && it.Kind != tasks.Fluency && (r.about == reader.IntentHold || r.about == reader.IntentFiller || r.aside("wait")) && a.Waits < maxWaits:
		if a.Waits++; r.about == reader.IntentHold {
			r.say("waiting")
		}
	default:
		if r.means("how_did_i_do") {
			r.say("not_told")
		}
		if a.Said = said; it.Kind == tasks.Digits && len(said) > 1 { // one list, said in parts
			a.Said = []score.Said{{Text: said[0].Text + " " + r.in.words, After: r.after()}}
		}
		r.taken(it, a)
	}
}

// answers holds the names of the sentences that answer questions about the call, by question.
var answers = map[string]string{"how_did_i_do": "not_told", "who": "who", "what_for": "what_for"}

// asked returns the question about the call that the reply is, or "" if it is anything else.
func (r *reply) asked() string {
	for _, name := range []string{"how_did_i_do", "who", "what_for"} {
		if r.aside(name) && (r.s.Phase != PhaseTask || !r.attempted(name)) {
			return name
		}
	}
	return ""
}

// attempted reports whether the reply holds an answer, right or wrong, besides the phrases of a
// name. If a wrong answer were put again after "is that right?", and a right one were not, that
// would tell which was which.
func (r *reply) attempted(name string) bool {
	rest := " " + english.Unmarked(english.Plain(r.in.words)) + " "
	for _, phrase := range phrases[name] {
		rest = strings.ReplaceAll(rest, " "+phrase+" ", " ")
	}
	if rest = strings.TrimSpace(rest); rest == "" {
		return false
	}
	return slices.ContainsFunc(r.score([]score.Said{{Text: rest, After: r.after()}}).Evidence, func(e score.Evidence) bool { return e.Why != score.WhyTalk })
}

// pieces returns the reply as it is scored. A reply that runs over the end of a fluency item's time
// is split in proportion to the time, because a person who never pauses is heard in one turn only.
func (r *reply) pieces(it *tasks.Item, a *Answer) []score.Said {
	after, limit := r.after(), time.Duration(it.Seconds)*time.Second
	whole := []score.Said{{Text: r.in.words, After: after}}
	if it.Kind != tasks.Fluency || after <= limit || a.Until >= limit {
		return whole
	}
	list := strings.Fields(r.in.words)
	n := int(float64(len(list)) * float64(limit-a.Until) / float64(after-a.Until))
	if n == 0 {
		return whole
	}
	return []score.Said{{Text: strings.Join(list[:n], " "), After: limit}, {Text: strings.Join(list[n:], " "), After: after}}
}

// unheard handles noise, or that the person did not hear us: it puts the item again if that is
// allowed.
func (r *reply) unheard(kind, why string) {
	r.s.confound(kind, r.in.words, r.in.at)
	it, a := r.s.item()
	if it.NoRepeat || it.Kind == tasks.Fluency || a.Put >= maxPut {
		r.disturbed(why)
		return
	}
	r.say("say_again")
	r.putItem()
}

// again handles the wish to hear an item once more.
func (r *reply) again() {
	it, a := r.s.item()
	switch {
	case !it.NoRepeat && it.Kind != tasks.Fluency && a.Put < maxPut:
		r.say("say_again")
		r.putItem()
	case it.Kind == tasks.Fluency: // the clock runs on
		r.said = append(r.said, cmp.Or(it.Repeat, it.Say))
	case !it.NoRepeat: // it was not heard, however often it was put
		r.unheard("hearing", whyNotHeard)
	case !a.Told:
		a.Told = true
		r.say("heard_once")
	default:
		r.say("heard_once_nothing")
		r.settle()
	}
}

// taken goes on after an answer, by the kind of item.
func (r *reply) taken(it *tasks.Item, a *Answer) {
	got := r.score(a.Said)
	lost := got.Points == 0 && r.means("no_idea")
	switch it.Kind {
	case tasks.Register:
		if !knows(it, got) && a.Put < trials {
			a.Said = nil
			r.say("once_more")
			r.putItem()
			return
		}
	case tasks.Fluency:
		a.Until = r.after()
		list := strings.Fields(r.in.words)
		last := strings.Join(list[max(0, len(list)-endWords):], " ") // a person who goes on after "that's it" has not ended
		switch done := means("no_more", last) || r.aside("no_idea"); {
		case r.timeUp():
			r.say("time_up")
		case done && !a.Told:
			a.Told = true
			r.say("keep_going")
			return
		case !done:
			return
		}
	case tasks.Story, tasks.Recall, tasks.Reason:
		if !a.Urged && (it.Max == 0 || got.Points < it.Max) {
			a.Urged = true
			switch {
			case lost:
				r.say("encourage")
			case it.Kind == tasks.Reason:
				r.say("more_reason")
			default:
				r.say("more")
			}
			return
		}
	case tasks.Question, tasks.Digits:
		switch {
		case lost && !a.Urged:
			a.Urged = true
			r.say("encourage")
			return
		case !lost && got.Points == 0 && !a.Urged && halfSaid(it, a.Said):
			a.Urged = true // the rest may follow: anything said now would help
			return
		case lost:
			r.say("let_go")
		case got.Unclear && !a.Unclear && !it.NoRepeat && a.Put < maxPut:
			a.Unclear = true
			r.say("unclear")
			r.putItem()
			return
		}
	}
	r.settle()
}

// knows reports whether all words to remember were said back.
func knows(it *tasks.Item, got score.Score) bool {
	n := 0
	for _, e := range got.Evidence {
		if e.Counts {
			n++
		}
	}
	return n >= len(it.Words)
}

// halfSaid reports whether at least half of the digits were said back, but not all: a slow
// speaker's turn may have been taken to end too soon.
func halfSaid(it *tasks.Item, said []score.Said) bool {
	n := 0
	for _, piece := range said {
		for w := range strings.FieldsSeq(english.Plain(piece.Text)) {
			if v, ok := english.Number(w); ok && v < 10 {
				n++
			} else if strings.Trim(w, "0123456789") == "" {
				n += len(w)
			}
		}
	}
	return it.Kind == tasks.Digits && n < it.Level && 2*n >= it.Level
}

// thinking handles a silent turn within a task.
func (r *reply) thinking() {
	it, a := r.s.item()
	if it.Kind == tasks.Fluency {
		a.Until = r.after()
		switch {
		case r.timeUp():
			r.say("time_up")
			r.settle()
		case !a.Urged:
			a.Urged = true
			r.say("keep_going")
		}
		return
	}
	r.s.Silences++
	switch a.Waits++; {
	case r.s.Silences >= silencesEnd:
		r.end(EndedSilence, "closing_silence")
	case r.s.Silences == silencesAsk:
		r.say("still_there")
	case a.Waits >= maxWaits, len(a.Said) > 0 && (a.Waits >= nudgeAt || it.Kind == tasks.Digits):
		if len(a.Said) == 0 {
			r.say("let_go")
		}
		r.settle()
	case a.Waits == nudgeAt:
		r.say("nudge")
	}
}

// settle scores the open item and puts the next one.
func (r *reply) settle() {
	t := r.s.task()
	it, a := r.s.item()
	got := r.score(a.Said)
	a.Points = &got
	if n := len(a.Said); n > 0 {
		a.Seconds = a.Said[n-1].After.Seconds()
		if it.Kind == tasks.Fluency {
			a.Seconds = min(a.Seconds, float64(it.Seconds))
		}
	}
	if next := t.after(r.s.Item); next >= 0 {
		r.s.Item = next
		r.putItem()
		return
	}
	status, why := cognition.TaskComplete, ""
	if unheard(t) {
		status, why = cognition.TaskVoid, whyNotHeard
	}
	r.s.settle(status, why)
	r.s.Failed++
	if raw := t.raw(); raw == nil || *raw > 0 {
		r.s.Failed = 0
	}
	if r.s.Failed >= tooHard && slices.ContainsFunc(r.s.Tasks[r.s.Open+1:], func(t Task) bool { return t.Status == "" }) {
		r.s.Phase, r.s.Silences = PhaseEasy, 0
		r.say("easy")
		return
	}
	if len(r.said) == 0 && r.s.Open < len(r.s.Tasks)-1 {
		r.say("next")
	}
	r.next()
}

// unheard reports whether the person only ever asked to hear the task again: that is no low score.
func unheard(t *Task) bool {
	return !slices.ContainsFunc(t.Items, func(a Answer) bool { return len(a.Said) > 0 }) && slices.ContainsFunc(t.Items, func(a Answer) bool { return a.Told })
}

// after returns the index of the item that follows a settled item i, or -1. If no digits item of a
// level brought a point, the rest is left out.
func (t *Task) after(i int) int {
	if i+1 >= len(t.Form.Items) {
		return -1
	}
	level := t.Form.Items[i].Level
	if t.Task.Rule != tasks.Longest || t.Form.Items[i+1].Level == level {
		return i + 1
	}
	for k, it := range t.Form.Items[:i+1] {
		if p := t.Items[k].Points; it.Level == level && p != nil && p.Points > 0 {
			return i + 1
		}
	}
	return -1
}

// disturbed starts the task over in another form, once; if it cannot, it leaves the task void.
func (r *reply) disturbed(why string) {
	t := r.s.task()
	if t.Voids > 0 || !r.p.another(r.s, t) {
		r.s.settle(cognition.TaskVoid, why)
		r.say("disturbed_on")
		r.next()
		return
	}
	t.Voids++
	r.s.Item = 0
	r.say("disturbed")
	r.putItem()
}

// settle ends the open task. Unless it is complete, tasks that are put later with it end the same
// way, because they tell nothing either.
func (s *State) settle(status cognition.TaskStatus, why string) {
	t := s.task()
	t.Status, t.Why = status, why
	for i := range s.Tasks {
		if later := &s.Tasks[i]; status != cognition.TaskComplete && later.Task.With == t.Task.ID && later.Status == "" {
			later.Status, later.Why = status, why
		}
	}
}

// raw returns the score by rules, or nil if no item was scored.
func (t *Task) raw() *int {
	var sum *int
	for i, a := range t.Items {
		if a.Points == nil || t.Form.Items[i].Kind == tasks.Register {
			continue
		}
		n := a.Points.Points
		if t.Task.Rule == tasks.Longest {
			n = a.Points.Level
		}
		switch {
		case sum == nil:
			sum = &n
		case t.Task.Rule == tasks.Longest:
			*sum = max(*sum, n)
		default:
			*sum += n
		}
	}
	return sum
}

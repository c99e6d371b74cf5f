package schedule

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/schedules"
)

// Rung is when and how often a try is repeated after one kind of result.
type Rung struct {
	After time.Duration
	Times int
}

// Ladder is how tries are repeated, by their results. Tries is the maximum number of tries
// of an occurrence. Those after SecondAfter use the person's second number.
type Ladder struct {
	Rungs       map[schedules.Result]Rung
	Tries       int
	SecondAfter int
}

// rungForm matches a rung in the configuration: busy=5m*3.
var rungForm = regexp.MustCompile(`^(busy|no_answer|machine|dropped|failed)=([0-9hms]+)\*([0-9]{1,2})$`)

// ReadLadder parses rungs such as busy=5m*3. Results without a rung are not tried again.
func ReadLadder(rungs []string, tries int) (Ladder, error) {
	l := Ladder{Rungs: map[schedules.Result]Rung{}, Tries: tries}
	for _, text := range rungs {
		m := rungForm.FindStringSubmatch(text)
		if m == nil {
			return l, fmt.Errorf("%q is not a rung such as busy=5m*3; the kinds are busy, no_answer, machine, dropped, failed", text)
		}
		after, err := time.ParseDuration(m[2])
		if err != nil || after < time.Second {
			return l, fmt.Errorf("%q has no time of a second or more", text)
		}
		times, _ := strconv.Atoi(m[3]) // the form has digits there
		if _, twice := l.Rungs[schedules.Result(m[1])]; twice {
			return l, fmt.Errorf("%s is there twice", m[1])
		}
		l.Rungs[schedules.Result(m[1])] = Rung{after, times}
	}
	return l, nil
}

// ResultOf returns the result of a try, from the ending of its call. It is reached only if
// nAIber spoke with the person, in a call that ended properly: not with an answering
// machine, nor with someone who fell silent.
func ResultOf(c calls.Call) schedules.Result {
	switch c.Ending.Outcome {
	case calls.OutcomeReached:
		if slices.Contains(schedules.Proper, c.Ending.Cause) {
			return schedules.Reached
		}
		return schedules.Dropped
	case calls.OutcomeBusy:
		return schedules.Busy
	case calls.OutcomeVoicemail:
		return schedules.Machine
	case calls.OutcomeSomeoneElse:
		return schedules.SomeoneElse
	case calls.OutcomeWrongNumber:
		return schedules.WrongNumber
	case calls.OutcomeNoAnswer, calls.OutcomeSilent:
		return schedules.NoAnswer
	case calls.OutcomeCanceled:
		if c.Ending.By == "operator" {
			return schedules.Canceled
		}
		return schedules.Failed
	default:
		if c.AnsweredAt != nil {
			return schedules.Dropped
		}
		return schedules.Failed
	}
}

// after returns the verdict on an occurrence after a try has ended. tries are all its
// tries, with that one last.
func (l Ladder) after(o schedules.Occurrence, tries []schedules.Attempt, now time.Time) schedules.Verdict {
	last := tries[len(tries)-1].Result
	switch last { //nolint:exhaustive // the others are tried again
	case schedules.Reached:
		return schedules.Verdict{Status: schedules.Done}
	case schedules.Canceled:
		return schedules.Verdict{Status: schedules.Skipped, Why: "somebody ended the call"}
	}
	n := 0
	for _, t := range tries {
		if t.Result == last {
			n++
		}
	}
	rung := l.Rungs[last]
	if last == schedules.SomeoneElse {
		rung = l.Rungs[schedules.NoAnswer]
	}
	next := now.Add(rung.After)
	if n > rung.Times || len(tries) >= l.Tries || next.After(o.Deadline) {
		return schedules.Verdict{Status: schedules.Missed, Why: missed(last, len(tries))}
	}
	return schedules.Verdict{Status: schedules.Due, At: next, Why: string(last)}
}

// words describe the results.
var words = map[schedules.Result]string{
	schedules.Busy: "the line was busy", schedules.NoAnswer: "nobody answered", schedules.Machine: "an answering machine answered",
	schedules.SomeoneElse: "somebody else answered", schedules.WrongNumber: "nobody there knew them",
	schedules.Dropped: "the call broke off", schedules.Failed: "the call did not come about",
}

func missed(last schedules.Result, tries int) string {
	return fmt.Sprintf("not reached in %d calls; the last time %s", tries, words[last])
}

// expired returns the verdict on an occurrence whose time is over.
func expired(e schedules.Expired) schedules.Verdict {
	var why string
	switch {
	case e.Stopped:
		why = "the schedule was paused or removed"
	case e.OptedOut:
		why = "they do not want to be called"
	case !e.Consented:
		why = "they have not agreed to be called"
	case e.Paused:
		why = "calls are paused"
	case e.Attempts > 0:
		return schedules.Verdict{Status: schedules.Missed, Why: fmt.Sprintf("not reached in %d calls, and then not called in time", e.Attempts)}
	default:
		return schedules.Verdict{Status: schedules.Missed, Why: "not called in time"}
	}
	return schedules.Verdict{Status: schedules.Skipped, Why: why}
}

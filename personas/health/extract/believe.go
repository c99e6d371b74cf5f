package extract

import (
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/naiber/naiber/personas/health/reader"
)

// maxSpread is how far apart the ends of a range on a scale may be, if its middle is to be read
// back.
const maxSpread = 3

// believe returns the reading that a model's answer leads to, or the reason why there is none.
func (a *Ask) believe(got answer) (reader.Reading, string) {
	if got.Verdict == verdictNone {
		return reader.Reading{}, "not an answer"
	}
	if !(got.Confidence >= reader.SettleAt && got.Confidence <= 1) { // also rejects NaN
		return reader.Reading{}, "not sure"
	}
	// Words that were said twice may have been taken back once.
	why := "the quote was not said"
	for _, p := range reader.Passages(a.Question, a.Said, got.Quote, a.Context) {
		var out reader.Reading
		if out, why = a.believeOf(got, p); why == "" {
			return out, ""
		}
	}
	return reader.Reading{}, why
}

// believeOf returns what believe does, judging by one occurrence of the quote.
func (a *Ask) believeOf(got answer, p reader.Passage) (reader.Reading, string) {
	out := reader.Reading{
		Status: reader.Answered, Confidence: min(got.Confidence, mostConfidence), Settled: true, Why: "model", Quote: p.Quote,
	}
	switch got.Verdict {
	case verdictAnswer:
	case verdictRefusal, verdictSkip:
		out.Status = reader.Refused
		if got.Verdict == verdictSkip {
			out.Status = reader.Skipped
		}
		return out, a.declined(p)
	case verdictEnd:
		out.Status, out.Why = reader.Unclear, ended
		out.Settled = false
		return out, a.declined(p)
	default:
		return reader.Reading{}, "no such verdict"
	}
	own := reader.Read(a.Question, p.Quote, a.Context)
	switch intent := reader.IntentIn(p.Quote, a.Context); {
	case own.Status == reader.Refused, own.Status == reader.Skipped, intent == reader.IntentExit, intent == reader.IntentDistress,
		intent == reader.IntentWrongPerson:
		return reader.Reading{}, "the quote is no answer"
	}
	why := a.value(got, &own, p, &out)
	if why == "" && own.Settled && own.Value != out.Value {
		why = "rules read the quote otherwise"
	}
	// What only the model read counts only once the person has confirmed it.
	out.Risky = a.Doubted || out.Verbal || a.Question.Strict || a.rules.Value != out.Value
	if out.Risky {
		out.Confidence = reader.SettleAt
	}
	return out, why
}

// declined returns a reason why the words cannot be a refusal that rules missed, or "": taking them
// for one would discard an answer.
func (a *Ask) declined(p reader.Passage) string {
	switch {
	case !a.Doubted && !a.rules.Value.IsZero() && a.Question.Kind != reader.Text:
		return "a refusal where rules see a value"
	case p.Named && !p.Denies && !p.Denied:
		return "a refusal that speaks of what was asked"
	}
	return ""
}

var clock = regexp.MustCompile(`^(?:[01]\d|2[0-3]):[0-5]\d$`)

// value converts the model's value to one of the question, or returns the reason why the words of
// the passage do not support it. own is what rules read in them.
func (a *Ask) value(got answer, own *reader.Reading, p reader.Passage, out *reader.Reading) string {
	out.Value.Kind = a.Question.Kind
	switch x := got.Value.(type) {
	case float64:
		if a.Question.Kind == reader.Scale || a.Question.Kind == reader.Number {
			return a.number(got, x, own, p, out)
		}
	case string:
		switch {
		case a.Question.Kind == reader.Boolean && (x == "yes" || x == "no"):
			out.Value.Bool = x == "yes"
			return a.statement(p, out.Value)
		case a.Question.Kind == reader.Choice && slices.ContainsFunc(a.Question.Options, func(o reader.Option) bool { return o.Value == x }):
			out.Value.Choice = x
			return a.statement(p, out.Value)
		case a.Question.Kind == reader.Time && clock.MatchString(x):
			out.Value.Time = x
			return timeSaid(x, own, p)
		}
	case nil:
		if a.Question.Kind == reader.Text {
			out.Value.Text = p.Quote // the person's words, never the model's
			return ""
		}
	}
	return "no value of this kind"
}

// number accepts a number that occurs in the passage, the middle of a range if both of its ends
// occur, the sum of amounts, or a scale value that a set phrase without a number stands for.
// Otherwise it returns a reason.
func (a *Ask) number(got answer, x float64, own *reader.Reading, p reader.Passage, out *reader.Reading) string {
	low, high, bounded := bounds(a.Question)
	said := func(n float64) bool {
		return slices.ContainsFunc(p.Numbers, func(m float64) bool { return math.Abs(m-n) < 1e-9 })
	}
	scale := a.Question.Kind == reader.Scale
	switch {
	case scale && x != math.Trunc(x):
		return "no whole number"
	case got.How == howIdiom && scale && !p.Counted && got.To == nil:
		out.Verbal = true
	case got.How == howSum && !scale && got.To == nil && len(p.Numbers) > 1 && x == sum(p.Numbers):
	case !said(x) && a.counts(got, x, len(p.Numbers)):
		out.Verbal = true // "the tension, the sugar and the kidneys"; the person decides
	case !said(x):
		return "the number was not said"
	case got.To != nil && (!said(*got.To) || *got.To <= x):
		return "the range was not said"
	case got.To != nil && *got.To-x > maxSpread && scale:
		return "a range that is too wide"
	case got.To != nil:
		x = (x + *got.To) / 2
		if out.Verbal = scale; scale {
			x = math.Round(x)
		}
	}
	if bounded && (x < float64(low) || x > float64(high)) {
		return "out of bounds"
	}
	out.Value.Number = x
	if own.Value.Number == x {
		out.Value.Unit = own.Value.Unit
	}
	return ""
}

// mostCounted is the highest number that a model may count from what the person named.
const mostCounted = 12

// counts reports whether x may be what the model counted of the things or times that the person
// named, besides so many numbers, if the question asks how many and not for a measure. "That
// Tuesday's and no other" is one, "a few" is no number.
func (a *Ask) counts(got answer, x float64, numbers int) bool {
	_, high, bounded := bounds(a.Question)
	switch {
	case a.Question.Kind != reader.Number || len(a.Question.Units) > 0 || !bounded || high > 60, got.To != nil, x != math.Trunc(x), x < 0:
		return false
	case got.How == howSum:
		return x <= mostCounted && numbers < 2
	default:
		return got.How == howIdiom && x <= 1
	}
}

func sum(list []float64) (all float64) {
	for _, n := range list {
		all += n
	}
	return all
}

// timeSaid checks that the passage contains the hour, in either half of the day, and returns the
// reason if not.
func timeSaid(want string, own *reader.Reading, p reader.Passage) string {
	h := hour(want)
	if t := own.Value.Time; t != "" {
		if t[2:] == want[2:] && (hour(t)-h)%12 == 0 {
			return ""
		}
		return "rules read another time"
	}
	if slices.ContainsFunc(p.Numbers, func(n float64) bool { return int(n)%12 == h%12 }) {
		return ""
	}
	return "the time was not said"
}

// hour returns the hour of a time written as "15:04".
func hour(clock string) int {
	h, _ := strconv.Atoi(clock[:2]) // digits
	return h
}

// statement accepts a yes, a no or an option. Whether an idiom or a fact means it is for the model
// to judge and for the person to confirm. It rejects words about somebody else or another time, and
// those in a story about neither the question nor the person.
func (a *Ask) statement(p reader.Passage, v reader.Value) string {
	story := reader.IntentIn(a.Said, a.Context) == reader.IntentDigression
	switch {
	case p.Denied && (v.Kind != reader.Boolean || v.Bool != a.Question.Negated):
		return "the words before the quote negate it"
	case p.Past:
		return "the words are about another time"
	case p.Others && p.Named:
		return "the words are about somebody else"
	case story && !p.Named && !p.Option && !p.Mine && a.rules.Value != v:
		return "a story"
	}
	return ""
}

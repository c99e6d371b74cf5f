package extract

import (
	"regexp"
	"slices"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/reader"
)

// reply is what was said, and what is known of it before the model speaks.
type reply struct {
	q     reader.Question
	rc    reader.Context
	asked string
	said  string
	words []word
	rules reader.Reading // unsettled
}

// believe is the reading that a model's answer comes to, or why it comes to none.
func (r *reply) believe(a answer) (reader.Reading, string) {
	if a.Verdict == verdictNone {
		return reader.Reading{}, "not an answer"
	}
	if !(a.Confidence >= reader.SettleAt && a.Confidence <= 1) { // so that NaN fails too
		return reader.Reading{}, "not sure"
	}
	// Words that were said twice may have been taken back the first time.
	quote, why := wordsOf(a.Quote), "the quote was not said"
	for at := find(r.words, quote, 0); at >= 0; at = find(r.words, quote, at+1) {
		var out reader.Reading
		if out, why = r.believeAt(a, at, len(quote)); why == "" {
			return out, ""
		}
	}
	return reader.Reading{}, why
}

// believeAt is believe for one place of the quote.
func (r *reply) believeAt(a answer, at, n int) (reader.Reading, string) {
	out := reader.Reading{
		Status: reader.Answered, Confidence: min(a.Confidence, mostConfidence), Settled: true, Why: "model",
		Quote: r.said[r.words[at].Start:r.words[at+n-1].End],
	}
	if a.Verdict == verdictRefusal {
		return r.refused(out, r.words[at:at+n])
	}
	value, why := r.value(a, out.Quote)
	if why != "" {
		return reader.Reading{}, why
	}
	out.Value = value
	plainly, why := r.supported(value, at, n)
	if why != "" {
		return reader.Reading{}, why
	}
	if !plainly {
		out.Risky, out.Confidence = true, reader.SettleAt
	}
	return out, ""
}

// refusing are words without which nobody refuses.
var refusing = english.Set(`no not don't won't can't shan't wouldn't shouldn't never none rather private personal business between secret skip pass stop
	leave alone enough else mind myself prefer nobody's nosy ask asking`)

// refused is a refusal that the rules did not see. One that rules see a value in,
// or that has no word of refusing, would throw an answer away.
func (r *reply) refused(out reader.Reading, quote []word) (reader.Reading, string) {
	if !r.rules.Value.IsZero() && r.q.Kind != reader.Text {
		return reader.Reading{}, "a refusal where rules see a value"
	}
	if !anyIn(refusing, quote) {
		return reader.Reading{}, "a refusal without a word of refusing"
	}
	out.Status = reader.Refused
	return out, ""
}

var clock = regexp.MustCompile(`^(?:[01]\d|2[0-3]):[0-5]\d$`)

// value is the model's value as one that the question can have.
func (r *reply) value(a answer, quote string) (reader.Value, string) {
	v := reader.Value{Kind: r.q.Kind}
	switch x := a.Value.(type) {
	case float64:
		low, high, bounded := bounds(r.q)
		switch {
		case r.q.Kind != reader.Scale && r.q.Kind != reader.Number, r.q.Kind == reader.Scale && x != float64(int(x)):
			return v, "another kind of value"
		case bounded && (x < float64(low) || x > float64(high)):
			return v, "out of bounds"
		}
		v.Number = x
		return v, ""
	case string:
		switch {
		case r.q.Kind == reader.Boolean && (x == "yes" || x == "no"):
			v.Bool = x == "yes"
			return v, ""
		case r.q.Kind == reader.Choice && slices.ContainsFunc(r.q.Options, func(o reader.Option) bool { return o.Value == x }):
			v.Choice = x
			return v, ""
		case r.q.Kind == reader.Time && clock.MatchString(x):
			v.Time = x
			return v, ""
		}
	case nil:
		if r.q.Kind == reader.Text {
			v.Text = quote // the person's words, never the model's
			return v, ""
		}
	}
	return v, "no value of this kind"
}

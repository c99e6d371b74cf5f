package reader

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is the kind of answer that a question takes.
type Kind string

// The kinds of answers.
const (
	Scale   Kind = "scale"   // a whole number from Min to Max
	Boolean Kind = "boolean" // yes or no
	Choice  Kind = "choice"  // one of Options
	Number  Kind = "number"  // an amount from Min to Max, in Unit
	Text    Kind = "text"    // the person's own words
	Time    Kind = "time"    // a time of day
)

// Status is the relation of a reply to its question.
type Status string

// The statuses. The caller has to record itself that a question was never reached.
const (
	Answered Status = "answered"
	Refused  Status = "refused" // the person does not want to say
	Skipped  Status = "skipped" // the person wants the next question
	Unclear  Status = "unclear" // no answer that a rule can settle
	Keypad   Status = "keypad"  // answered by pressing keys
)

// SettleAt is the confidence from which an answer is settled. It was set on the labelled replies:
// the wrong readings were below it.
const SettleAt = 0.7

// Direction says which end of a scale is good.
type Direction string

// The directions. On a scale without one, words for good and bad are no answer.
const (
	HigherBetter Direction = "better"
	HigherWorse  Direction = "worse"
)

// Option is one answer to a [Choice] question.
type Option struct {
	Value string   // what is recorded
	Words []string // how people say it, in addition to the synonyms in the lexicon
	// From and To are the amounts, in the question's Unit, that mean this option ("three days"). If
	// both are zero, none do.
	From, To int
	// Not is the Value of the option that denying this one means, if any: "not bad".
	Not string
}

// Risk holds the answers that are read back before they count.
type Risk struct {
	Yes, No bool
	AtLeast *float64 // of a scale or a number
	AtMost  *float64
	Options []string // values of a choice
}

// Question is what the reader needs to know about a question.
type Question struct {
	ID   string
	Kind Kind
	// Min and Max limit a scale or a number. If both are zero, a number is unlimited and a scale
	// goes from 1 to 10.
	Min, Max int
	Higher   Direction // of a scale
	Options  []Option
	// Unit is the unit of a number, or of the amounts of a choice, in the plural: "hours",
	// "glasses", "days".
	Unit string
	// Units are the units that a number may be given in if Unit is empty: "pounds", "kilograms". If
	// there are none, it may be any weight or share. The reading says which unit was named, and
	// numbers in different units are never combined.
	Units []string
	// Yesterday is the last answer, for "same as yesterday", or nil if it is not known.
	Yesterday *Value
	// Negated is set if a yes means that the usual thing did not happen ("Did you miss any
	// doses?"), so that "I took them all" is a no.
	Negated bool
	// Topic holds words that show that a clause is about this question. They also select the
	// themes: what people say instead of yes and no.
	Topic []string
	// Yes and No are additional statements that mean yes and no here.
	Yes, No []string
	// Near is the time of day ("22:30") near which a [Time] answer is expected. It decides between
	// morning and evening if neither the words ("in bed") nor the Topic do. It may be empty.
	Near string
	Risk *Risk
	// Strict is set for an item of an instrument. An option must then be chosen on its own, not out
	// of a story: "I do something I like every day".
	Strict bool
	// Answer is the answer on record, for [Corrections]: "six was wrong".
	Answer *Value
	// Asked is set for the question that was put. [ReadMany] does not read words about it as
	// answers to other questions.
	Asked bool
	// Implied is set for a question that was just spoken of. For [ReadMany], "I took them" then
	// need not name the tablets.
	Implied bool
}

// Context is what a reading depends on besides the words.
type Context struct {
	Now    time.Time // in the person's zone; for "an hour ago"
	Locale string    // language tag; empty means English
}

// Value is an answer; Kind says which field holds it.
type Value struct {
	Kind   Kind    `json:"kind"`
	Number float64 `json:"number,omitempty"` // scale and number
	Bool   bool    `json:"bool,omitempty"`
	Choice string  `json:"choice,omitempty"` // the option's Value
	Text   string  `json:"text,omitempty"`
	Time   string  `json:"time,omitempty"` // "15:04", the person's zone
	// Unit is the unit that a number was given in ("lb", "kg", "mmol/L"), if the question has no
	// unit of its own and the reply named one. Stones are converted to pounds.
	Unit string `json:"unit,omitempty"`
}

// IsZero reports whether there is no value.
func (v Value) IsZero() bool { return v.Kind == "" }

// String returns the value as it is written down: "7", "yes", "22:30".
func (v Value) String() string {
	switch v.Kind {
	case Scale, Number:
		n := strconv.FormatFloat(v.Number, 'f', -1, 64)
		if v.Unit != "" {
			n += " " + v.Unit
		}
		return n
	case Boolean:
		if v.Bool {
			return "yes"
		}
		return "no"
	default:
		return v.Choice + v.Text + v.Time // a kind sets only one of them
	}
}

// Reading is the result of reading a reply.
type Reading struct {
	Status Status
	// Value may be set on an unclear reading. It is then the best guess, to be read back or left to
	// a model, and must not be recorded.
	Value      Value
	Confidence float64 // 0 to 1
	Quote      string  // the words it relies on, as they were said
	// Settled reports that the reading can be recorded, or acted on, as it is. An unclear reading
	// is never settled; a refused or skipped one always is.
	Settled bool
	// Risky reports that the question wants this answer read back, or that the words were a near
	// miss ("I nearly fell").
	Risky bool
	// Verbal reports that an answer on a scale was given without a number. Until it is settled,
	// Value is only the usual place of such words, and is read back together with them.
	Verbal bool
	Why    string // the rule that applied, for tests and the console
}

// Read reads one reply to q. Its cost is proportional to the length of said, up to a limit of some
// thousand words; the rest is not read.
func Read(q Question, said string, ctx Context) Reading {
	lx := For(ctx.Locale)
	if keys, quote, ok := keypad(said); ok {
		return finish(&q, readKeys(q, keys, quote))
	}
	q = lx.asked(q)
	r := parse(lx, said)
	return finish(&q, read(&q, r, ctx))
}

// read reads a parsed reply without the keypad.
func read(q *Question, r *text, ctx Context) Reading {
	if len(r.toks) == 0 || r.silence() {
		return unclear("silence")
	}
	found := readKind(q, r, ctx)
	declining := r.ask(q).declining()
	no, from, to := declining.refusal()
	if no.Status == "" {
		return found
	}
	// What follows a refusal counts only if the refusal was taken back.
	rest := r.conceded(to)
	if rest == nil && no.Status == Skipped && declining.hurries(from, to) {
		rest = r.slice(0, from)
	}
	if rest != nil {
		if given := readKind(q, rest, ctx); given.Status == Answered && given.Confidence >= SettleAt {
			return given
		}
	}
	return no
}

func readKind(q *Question, r *text, ctx Context) Reading {
	if q.Kind != Text && q.Kind != Boolean { // these handle other talk about the call themselves
		r = r.talking().without(r.talking().exitAt)
	}
	switch asked := r.ask(q); q.Kind {
	case Scale:
		return asked.numeric().readScale()
	case Boolean:
		return asked.telling().readBoolean()
	case Choice:
		return asked.choosing().readChoice()
	case Number:
		return asked.numeric().readNumber()
	case Time:
		return asked.timing().readTime(ctx.Now)
	case Text:
		return asked.readText()
	}
	return unclear("unknown kind")
}

// finish applies the rules common to all readings.
func finish(q *Question, r Reading) Reading {
	if r.Status == Answered && r.Confidence < SettleAt {
		r.Status = Unclear
	}
	r.Settled = r.Status != Unclear
	r.Risky = r.Risky || q.risky(r.Value) || r.Why == "range" && (q.Kind == Scale || q.Kind == Number) // we chose the number
	return r
}

// risky reports whether v is an answer that q wants read back.
func (q Question) risky(v Value) bool {
	if q.Risk == nil || v.IsZero() {
		return false
	}
	switch v.Kind {
	case Boolean:
		return v.Bool && q.Risk.Yes || !v.Bool && q.Risk.No
	case Scale, Number:
		return q.Risk.AtLeast != nil && v.Number >= *q.Risk.AtLeast || q.Risk.AtMost != nil && v.Number <= *q.Risk.AtMost
	case Choice:
		return slices.Contains(q.Risk.Options, v.Choice)
	case Text, Time:
	}
	return false
}

// bounds returns the lowest and highest answers, and reports whether there are any.
func (q Question) bounds() (low, high float64, ok bool) {
	switch {
	case q.Min != 0 || q.Max != 0:
		return float64(q.Min), float64(q.Max), true
	case q.Kind == Scale:
		return 1, 10, true
	}
	return 0, 0, false
}

// within reports whether n is a possible answer.
func (q Question) within(n float64) bool {
	low, high, ok := q.bounds()
	return !ok || n >= low && n <= high
}

// same reads "same as yesterday" as yesterday's value, if it is known and still possible.
func (r asked) same() (Reading, bool) {
	for i := 0; i < len(r.toks); i++ {
		n, change := r.match(i, cue.Same)
		if n == 0 {
			continue
		}
		if r.negatedBefore(i) || r.in(i-1, cue.Than) || !r.ends(i+n) && !r.in(i+n, cue.AfterSame) && !r.in(i+n, cue.Selves) {
			i += n - 1 // "not the same as yesterday" holds no "as yesterday", and "the same ones" is not "the same"
			continue
		}
		got := Reading{Status: Unclear, Quote: r.quote(i, i+n), Why: "same as unknown"}
		y := r.q.Yesterday
		if y == nil || y.Kind != r.q.Kind || (r.q.Kind == Scale || r.q.Kind == Number) && !r.q.within(y.Number) {
			return got, true
		}
		got.Status, got.Value, got.Confidence, got.Why = Answered, *y, likely, "same as yesterday"
		if change == habit {
			got.Confidence = guess
		}
		return got, true
	}
	return Reading{}, false
}

// readText returns the words as they are, unless they contain no answer.
func (r asked) readText() Reading {
	if why := r.nothingSaid(); why != "" {
		return unclear(why)
	}
	if r.talking().allTalk() {
		return unclear("of the call")
	}
	said := strings.TrimSpace(r.said)
	if rest := r.talking().without(r.talking().exitAt); rest != r.text {
		if said = rest.besidesParting(); said == "" {
			return unclear("of the call")
		}
	}
	return Reading{Status: Answered, Value: Value{Kind: Text, Text: said}, Confidence: sure, Quote: said, Why: "text"}
}

// unclear returns an unclear reading with no value.
func unclear(why string) Reading { return Reading{Status: Unclear, Why: why} }

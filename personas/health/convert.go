package health

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

// question returns the entry as a question for the reader. It sets no Risk, since the pack decides
// which answers are read back.
func (e *Entry) question(now time.Time) reader.Question {
	q := &e.Question
	out := reader.Question{
		ID: q.ID, Kind: reader.Kind(q.Type), Min: q.Min, Max: q.Max, Higher: reader.Direction(q.Higher), Unit: q.Unit, Units: q.Units, Negated: q.Negated, Strict: q.Screen,
		Topic: q.Topics, Yes: q.Yes, No: q.No,
	}
	for _, c := range q.Choices {
		out.Options = append(out.Options, reader.Option{Value: c.Value, Words: append([]string{c.Label}, c.Words...), From: c.From, To: c.To})
	}
	if e.Yesterday != nil {
		v := toReader(*e.Yesterday)
		out.Yesterday = &v
	}
	if out.Kind == reader.Time {
		// Without an earlier answer, or words that say which half of the day, the time is taken to
		// be the most recent one: such questions ask when something was last done. This is the
		// middle of the twelve hours that end a little after now.
		out.Near = now.Add(-5*time.Hour - 30*time.Minute).Format("15:04")
		if e.Yesterday != nil {
			out.Near = e.Yesterday.Text
		}
	}
	return out
}

// toPacks and toReader convert a value between the types of the two packages.
func toPacks(v reader.Value) packs.Value {
	out := packs.Value{Type: packs.Type(v.Kind), Number: v.Number, Bool: v.Bool, Text: v.Text, Unit: v.Unit}
	switch v.Kind {
	case reader.Choice:
		out.Text = v.Choice
	case reader.Time:
		out.Text = v.Time
	default:
	}
	return out
}

func toReader(v packs.Value) reader.Value {
	out := reader.Value{Kind: reader.Kind(v.Type), Number: v.Number, Bool: v.Bool, Unit: v.Unit}
	switch v.Type {
	case packs.TypeChoice:
		out.Choice = v.Text
	case packs.TypeTime:
		out.Time = v.Text
	default:
		out.Text = v.Text
	}
	return out
}

// plain returns a pointer to the field of v that holds the answer, as it is stored: a number, a
// boolean or a string. It returns nil for an unknown type.
func plain(v *packs.Value) any {
	switch v.Type {
	case packs.TypeScale, packs.TypeNumber:
		return &v.Number
	case packs.TypeBoolean:
		return &v.Bool
	case packs.TypeChoice, packs.TypeText, packs.TypeTime:
		return &v.Text
	default:
		return nil
	}
}

// encode returns a value in its stored form, or nil if there is none.
func encode(v packs.Value) json.RawMessage {
	p := plain(&v)
	if p == nil {
		return nil
	}
	b, _ := json.Marshal(p) // numbers here are finite, and the rest always marshals
	return b
}

// decode returns the value that encode stored.
func decode(kind string, raw json.RawMessage, unit string) (packs.Value, error) {
	if len(raw) == 0 {
		return packs.Value{}, nil
	}
	v := packs.Value{Type: packs.Type(kind), Unit: unit}
	if err := json.Unmarshal(raw, plain(&v)); err != nil {
		return packs.Value{}, fmt.Errorf("stored answer of type %q: %w", kind, err)
	}
	return v, nil
}

// said returns an answer as it is spoken: for a choice, its label.
func (e *Entry) said(v packs.Value) string {
	if c, ok := e.Question.Choice(v.Text); ok && v.Type == packs.TypeChoice {
		return c.Label
	}
	return v.String()
}

// value converts a value that was read as an answer to the question. It sets the unit to the
// pack's, if that has one.
func (e *Entry) value(v reader.Value) packs.Value {
	got := toPacks(v)
	if e.Question.Type == packs.TypeNumber && e.Question.Unit != "" {
		got.Unit = e.Question.Unit
	}
	return got
}

package health

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

// question is the entry as the reader wants it. Which answers are read back is
// the pack's to say, so the reader is told of no risk.
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
		// Without an earlier answer, and words that tell the half of the day, it is taken to
		// be the last such time: such questions ask for when something was last done. This
		// is the middle of the twelve hours that end a little after now.
		out.Near = now.Add(-5*time.Hour - 30*time.Minute).Format("15:04")
		if e.Yesterday != nil {
			out.Near = e.Yesterday.Text
		}
	}
	return out
}

// toPacks and toReader take a value from one package's form to the other's.
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

// plain returns the field of v that holds the answer, as it is stored: a number, a
// boolean or a string; nil where the type is none.
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

// encode is a value as it is stored; nil for none.
func encode(v packs.Value) json.RawMessage {
	p := plain(&v)
	if p == nil {
		return nil
	}
	b, _ := json.Marshal(p) // numbers here are finite, and the rest always marshals
	return b
}

// decode is the way back from encode.
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

// said is an answer as it is spoken: a choice by its label.
func (e *Entry) said(v packs.Value) string {
	if c, ok := e.Question.Choice(v.Text); ok && v.Type == packs.TypeChoice {
		return c.Label
	}
	return v.String()
}

// value is what was read as an answer to the question: a number without a unit of
// its own is counted in the pack's.
func (e *Entry) value(v reader.Value) packs.Value {
	got := toPacks(v)
	if e.Question.Type == packs.TypeNumber && e.Question.Unit != "" {
		got.Unit = e.Question.Unit
	}
	return got
}

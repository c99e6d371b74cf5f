package packs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Value is an answer as it was understood. The zero Value means no answer.
type Value struct {
	Type   Type    `json:"type"`
	Number float64 `json:"number,omitempty"` // of scale and number
	Bool   bool    `json:"bool,omitempty"`   // of boolean
	Text   string  `json:"text,omitempty"`   // of text and time ("HH:MM"), and a choice's value
	Unit   string  `json:"unit,omitempty"`   // of a number, if the person named one
}

// Chosen returns the choice with the given value as an answer.
func Chosen(value string) Value { return Value{Type: TypeChoice, Text: value} }

// Given reports whether there is an answer.
func (v Value) Given() bool { return v.Type != "" }

// String returns the answer in short, as it is read back: "7", "yes", "16:30".
func (v Value) String() string {
	switch v.Type {
	case TypeScale, TypeNumber:
		n := strconv.FormatFloat(v.Number, 'f', -1, 64)
		if v.Unit != "" {
			return n + " " + v.Unit
		}
		return n
	case TypeBoolean:
		if v.Bool {
			return "yes"
		}
		return "no"
	default:
		return v.Text
	}
}

// Rule is a condition on an answer: "yes", "no", "any", a comparison (">=7", "<4",
// "=0"), or the values of choices ("poor", "worse|much_worse").
type Rule string

// Matches reports whether the rule holds for v. No rule holds if there is no answer, or for an
// answer of another type.
func (r Rule) Matches(v Value) bool {
	if !v.Given() {
		return false
	}
	switch s := string(r); {
	case s == "any":
		return true
	case v.Type == TypeBoolean:
		return s == v.String()
	case v.Type == TypeScale || v.Type == TypeNumber:
		holds, err := comparison(s)
		return err == nil && holds(v.Number)
	case v.Type == TypeChoice:
		return slices.Contains(strings.Split(s, "|"), v.Text)
	}
	return false
}

// check returns what is wrong with the rule for answers to it.
func (r Rule) check(it Item) error {
	s := string(r)
	if s == "any" {
		return nil
	}
	switch it.Type {
	case TypeBoolean:
		if s != "yes" && s != "no" {
			return fmt.Errorf("rule %q: a boolean takes yes, no or any", s)
		}
	case TypeScale, TypeNumber:
		holds, err := comparison(s)
		if err != nil {
			return fmt.Errorf("rule %q: %w", s, err)
		}
		possible := !it.bounded()
		for n := it.Min; n <= it.Max && !possible; n++ {
			possible = holds(float64(n))
		}
		if !possible {
			return fmt.Errorf("rule %q: never true between %d and %d", s, it.Min, it.Max)
		}
	case TypeChoice:
		for value := range strings.SplitSeq(s, "|") {
			if _, ok := it.Choice(value); !ok {
				return fmt.Errorf("rule %q: no choice %q", s, value)
			}
		}
	default:
		return fmt.Errorf("rule %q: a %s takes only any", s, it.Type)
	}
	return nil
}

var errComparison = errors.New("want a comparison such as >=7")

func comparison(s string) (holds func(x float64) bool, err error) {
	number := strings.TrimLeft(s, "<>=")
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, errComparison
	}
	switch strings.TrimSuffix(s, number) {
	case ">=":
		return func(x float64) bool { return x >= n }, nil
	case "<=":
		return func(x float64) bool { return x <= n }, nil
	case ">":
		return func(x float64) bool { return x > n }, nil
	case "<":
		return func(x float64) bool { return x < n }, nil
	case "=":
		return func(x float64) bool { return x == n }, nil
	}
	return nil, errComparison
}

// bounded reports whether a number must be from Min to Max.
func (it Item) bounded() bool { return it.Min != 0 || it.Max != 0 }

// Choice returns the item's choice with the given value.
func (it Item) Choice(value string) (Choice, bool) {
	if i := slices.IndexFunc(it.Choices, func(c Choice) bool { return c.Value == value }); i >= 0 {
		return it.Choices[i], true
	}
	return Choice{}, false
}

// Accepts reports whether v is a possible answer to this item: of its type, within its bounds, one
// of its choices.
func (it Item) Accepts(v Value) bool {
	if v.Type != it.Type {
		return false
	}
	switch it.Type {
	case TypeScale:
		return v.Number == math.Trunc(v.Number) && v.Number >= float64(it.Min) && v.Number <= float64(it.Max)
	case TypeNumber:
		if math.IsNaN(v.Number) || math.IsInf(v.Number, 0) {
			return false
		}
		return !it.bounded() || v.Number >= float64(it.Min) && v.Number <= float64(it.Max)
	case TypeChoice:
		_, ok := it.Choice(v.Text)
		return ok
	case TypeTime:
		return clock(v.Text)
	case TypeText:
		return strings.TrimSpace(v.Text) != ""
	default:
		return true
	}
}

// Ordinal returns the answer as a number that can be followed over time: the scale or number
// itself, 1 for yes and 0 for no, the score of a choice. It returns false for text, times, choices
// without a score and answers to another item.
func (it Item) Ordinal(v Value) (float64, bool) {
	if !it.Accepts(v) {
		return 0, false
	}
	switch it.Type {
	case TypeScale, TypeNumber:
		return v.Number, true
	case TypeBoolean:
		if v.Bool {
			return 1, true
		}
		return 0, true
	case TypeChoice:
		if c, _ := it.Choice(v.Text); c.Score != nil {
			return float64(*c.Score), true
		}
	default:
	}
	return 0, false
}

// Bounds returns the lowest and highest value that [Item.Ordinal] can return for a scale, for yes
// and no, or for choices with scores. It returns false for anything else.
func (it Item) Bounds() (low, high int, ok bool) {
	switch it.Type {
	case TypeBoolean:
		return 0, 1, true
	case TypeScale:
		return it.Min, it.Max, true
	case TypeChoice:
		for _, c := range it.Choices {
			if c.Score == nil {
				continue
			}
			if !ok {
				low, high, ok = *c.Score, *c.Score, true
			}
			low, high = min(low, *c.Score), max(high, *c.Score)
		}
	default:
	}
	return low, high, ok
}

// clock reports whether s is a time of day, "HH:MM".
func clock(s string) bool {
	_, err := time.Parse("15:04", s)
	return err == nil && len(s) == len("15:04")
}

package trend

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
)

// Status is the assessment of the newest answer.
type Status string

// The statuses.
const (
	StatusUsual  Status = "usual"   // within the person's usual range
	StatusLower  Status = "lower"   // lower than usual
	StatusHigher Status = "higher"  // higher than usual; for yes/no questions, an unusual yes
	StatusTooFew Status = "too_few" // not enough earlier answers
	StatusStale  Status = "stale"   // no recent ones
	StatusNone   Status = "none"    // no answer at all
)

// Change compares the newest answer with the baseline of those before it.
type Change struct {
	Status     Status    `json:"status" enum:"usual,lower,higher,too_few,stale,none"`
	At         time.Time `json:"at"`
	Value      float64   `json:"value"`
	Difference float64   `json:"difference" doc:"From the median"`
	// Chance is how often an answer at least as far from the usual would occur if nothing had
	// changed: the smaller it is, the more certain is the change. It is 1 if there is no
	// comparison.
	Chance   float64  `json:"chance" doc:"How often an answer as far from the usual would come up by chance"`
	Baseline Baseline `json:"-"`
	Z        float64  `json:"-"` // the difference in units of the expected spread; 0 for yes/no questions
	Binary   bool     `json:"-"`
	// Names are the labels of a choice's values, for Words. Without them, values are worded as
	// numbers.
	Names map[float64]string `json:"-"`
	// Resolution is the resolution of the [Options].
	Resolution float64 `json:"-"`
}

// Flagged reports whether the answer is unusual.
func (c Change) Flagged() bool { return c.Status == StatusLower || c.Status == StatusHigher }

// Latest compares the newest point with the ones before it.
func Latest(points []Point, o Options) Change {
	points = clean(points)
	c := Change{Status: StatusNone, Chance: 1, Binary: o.Binary, Resolution: o.resolution()}
	if len(points) == 0 {
		return c
	}
	last := points[len(points)-1]
	before := points[:len(points)-1]
	c.At, c.Value = last.At, last.Value
	if len(before) > 0 && last.At.Sub(before[len(before)-1].At) > maxGap {
		c.Status = StatusStale
		c.Baseline.N = len(recent(before, last.At))
		return c
	}
	var enough bool
	if c.Baseline, enough = usual(before, last.At, o); !enough {
		c.Status = StatusTooFew
		return c
	}
	if o.Binary {
		return c.binary(o)
	}
	return c.measured(o)
}

// measured assesses an answer by its distance from the median. A distance of one step never counts,
// however regular the person is.
func (c Change) measured(o Options) Change {
	c.Difference = c.Value - c.Baseline.Median
	c.Z = c.Difference / c.Baseline.scale()
	c.Chance = studentTails(c.Z, c.Baseline.degrees())
	switch {
	case c.Chance > o.chance() || math.Abs(c.Difference) < 1.5*c.Resolution:
		c.Status = StatusUsual
	case c.Difference < 0:
		c.Status = StatusLower
	default:
		c.Status = StatusHigher
	}
	return c
}

// binary assesses a yes or a no by how often it was given before. It counts one more of each, so
// that an answer that never occurred is not taken to be impossible.
func (c Change) binary(o Options) Change {
	c.Difference = c.Value - c.Baseline.Median
	c.Chance = float64(c.same()+1) / float64(c.Baseline.N+2)
	switch {
	case c.Chance > o.chance():
		c.Status = StatusUsual
	case c.Value > 0.5:
		c.Status = StatusHigher
	default:
		c.Status = StatusLower
	}
	return c
}

// same returns how many of the baseline's answers were the same yes or no.
func (c Change) same() int {
	if c.Value > 0.5 {
		return c.Baseline.Yes
	}
	return c.Baseline.N - c.Baseline.Yes
}

// Words returns a sentence about the change, for people to read; who is a name (or "her", "him").
// It says what was usual, on how many answers that is based and how likely chance is, but not what
// the change may mean.
func (c Change) Words(who string) string {
	switch c.Status {
	case StatusNone:
		return "No answer yet."
	case StatusStale:
		return fmt.Sprintf("%s. There are no recent answers from %s to compare with.", capital(c.said()), who)
	case StatusTooFew:
		return fmt.Sprintf("%s. Too few earlier answers from %s to tell what is usual (%d so far).", capital(c.said()), who, c.Baseline.N)
	default:
	}
	if c.Binary {
		return c.binaryWords(who)
	}
	head := map[Status]string{StatusUsual: "As usual", StatusLower: "Lower than usual", StatusHigher: "Higher than usual"}[c.Status]
	low, high := c.expected()
	text := fmt.Sprintf("%s for %s: %s, where %s would be expected from the last %d answers.",
		head, who, c.named(c.Value), c.span(low, high), c.Baseline.N)
	if c.Flagged() {
		text += fmt.Sprintf(" By chance alone that happens %s.", oneIn(c.Chance))
	}
	return text
}

func (c Change) binaryWords(who string) string {
	same := c.same()
	if !c.Flagged() {
		return fmt.Sprintf("As usual for %s: %s, as in %d of the last %d answers.", who, c.said(), same, c.Baseline.N)
	}
	if same == 0 {
		return fmt.Sprintf("Unusual for %s: %s, for the first time in %d answers.", who, c.said(), c.Baseline.N+1)
	}
	return fmt.Sprintf("Unusual for %s: %s, as in only %d of the last %d answers.", who, c.said(), same, c.Baseline.N)
}

// expected returns the baseline's range, rounded inwards to values that can be answered.
func (c Change) expected() (low, high float64) {
	low, high = math.Ceil(c.Baseline.Low/c.Resolution)*c.Resolution, math.Floor(c.Baseline.High/c.Resolution)*c.Resolution
	if low > high {
		return c.Baseline.Median, c.Baseline.Median
	}
	return low, high
}

// named returns the name of a value: a choice by its label, anything else as a number.
func (c Change) named(x float64) string {
	if name := c.Names[x]; name != "" {
		return "“" + name + "”"
	}
	below, above := "", ""
	for _, v := range slices.Sorted(maps.Keys(c.Names)) {
		switch {
		case v < x:
			below = c.Names[v]
		case above == "":
			above = c.Names[v]
		}
	}
	if below == "" || above == "" {
		return number(x)
	}
	return fmt.Sprintf("between “%s” and “%s”", below, above)
}

// span returns the range from low to high, or one name if both ends are the same choice.
func (c Change) span(low, high float64) string {
	if len(c.Names) > 0 && low == high {
		return c.named(low)
	}
	return c.named(low) + " to " + c.named(high)
}

func (c Change) said() string {
	if !c.Binary {
		return c.named(c.Value)
	}
	if c.Value > 0.5 {
		return "yes"
	}
	return "no"
}

func capital(s string) string {
	switch s {
	case "yes":
		return "Yes"
	case "no":
		return "No"
	}
	return s
}

func number(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

// oneIn words a small chance. It gives no figures below one in a thousand, where they would be
// meaningless.
func oneIn(chance float64) string {
	if chance < 0.001 {
		return "less than once in 1000 answers"
	}
	return fmt.Sprintf("about once in %d answers", int(math.Round(1/chance)))
}

package forget

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// Request names what to forget of a person: exactly one of turns (Memories, Lines or both),
// Fact, Topic, Day, Before and All. It requires no consent.
type Request struct {
	Person store.PersonID
	// Memories are ids of turns, Lines the numbers of transcript lines. Lines may also be
	// combined with a topic: they are forgotten in any case.
	Memories []uuid.UUID
	Lines    []int64
	// Fact is forgotten together with its source words, unless KeepWords is set.
	Fact      uuid.UUID
	KeepWords bool
	// Topic is forgotten as far as it was said before Until; zero means now.
	Topic string
	Until time.Time
	// Day is a day in the person's time zone, as YYYY-MM-DD.
	Day string
	// Before is a time: everything said earlier is forgotten.
	Before time.Time
	All    bool
	// By is who asks, for the audit. Default "naiber".
	By string
}

var errWhat = fmt.Errorf("say one thing that is to be forgotten: memories, a fact, a topic, a day, a time or all: %w", memory.ErrInvalid)

func (r Request) check() error {
	if !r.Person.Known() {
		return memory.ErrEmptyScope
	}
	kinds := 0
	for _, is := range []bool{
		len(r.Memories) > 0 || len(r.Lines) > 0 && r.Topic == "", r.Fact != uuid.Nil, r.Topic != "", r.Day != "", !r.Before.IsZero(), r.All,
	} {
		if is {
			kinds++
		}
	}
	if kinds != 1 {
		return errWhat
	}
	if r.Topic != "" {
		if _, err := memory.CheckTopic(r.Topic); err != nil {
			return err
		}
	}
	if r.Day != "" {
		if _, err := time.Parse(time.DateOnly, r.Day); err != nil {
			return fmt.Errorf("day %q is not written as YYYY-MM-DD: %w", r.Day, memory.ErrInvalid)
		}
	}
	return nil
}

func (r Request) kind() string {
	switch {
	case r.Fact != uuid.Nil:
		return "fact"
	case r.Topic != "":
		return "topic"
	case r.Day != "":
		return "day"
	case !r.Before.IsZero():
		return "time"
	case r.All:
		return "all"
	default:
		return "turns"
	}
}

// byIDs reports whether a request names single turns, lines or a fact.
func (r Request) byIDs() bool { return r.kind() == "fact" || r.kind() == "turns" }

// Times before and after everything.
var (
	beginning = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	// lateness is how far another clock may be ahead of this one.
	lateness = time.Minute
)

// scope returns the period and the words that a request means.
func (r Request) scope(frame memories.Frame, names []string, now time.Time) memories.ForgetScope {
	f := memories.ForgetScope{Person: r.Person, Config: frame.Config, Since: beginning, Until: now.Add(lateness)}
	switch r.kind() {
	case "topic":
		f.Topics = append([]string{strings.TrimSpace(r.Topic)}, names...)
		if !r.Until.IsZero() {
			f.Until = r.Until
		}
	case "day":
		f.Since, _ = time.ParseInLocation(time.DateOnly, r.Day, frame.Location) // checked before
		f.Until = f.Since.AddDate(0, 0, 1)
	case "time":
		f.Until = r.Before
	case "all":
		f.Until = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	default: // only what its ids name
		f.Until = f.Since
	}
	return f
}

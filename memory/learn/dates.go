package learn

import (
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/memories"
)

// readingOf returns how the days in a fact of a kind are read.
func readingOf(kind string) english.Reading {
	switch kind {
	case "routine":
		return english.Habitual
	case "plan":
		return english.Planned
	default:
		return english.ByTense
	}
}

// FactLine is a fact for a prompt: with the day on which it was told, where its
// words hang on that day. Days are those of a place.
func FactLine(f memories.Fact, where *time.Location) string {
	told := f.LearnedAt.In(where)
	if f.Kind == "routine" || !english.HangsOnDay(f.Text) {
		return f.Text
	}
	return f.Text + " (told on " + told.Format("Monday 2 January 2006") + ")"
}

// dayOf reads a day that a model wrote. It is nil for what is none, or too far
// from the call to be meant.
func dayOf(text *string, day time.Time, least, most int) *time.Time {
	if text == nil {
		return nil
	}
	t, err := time.ParseInLocation(time.DateOnly, strings.TrimSpace(*text), day.Location())
	if err != nil || t.Before(day.AddDate(least, 0, 0)) || t.After(day.AddDate(most, 0, 0)) {
		return nil
	}
	return &t
}

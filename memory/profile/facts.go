package profile

import (
	"fmt"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// fact is one sentence about a person. base is its score if it shares no word with the
// query.
type fact struct {
	text  string
	words []string
	base  float64
}

// maxFactRunes limits one sentence: the prompt is read before every reply.
const maxFactRunes = 400

// facts converts a profile to sentences. It leaves out contacts' numbers and addresses,
// which no reply needs.
func facts(p people.Person, contacts []people.Contact, summaries []memories.Summary, topics []memories.Topic, now time.Time) []fact {
	name := p.CallName()
	var out []fact
	add := func(base float64, format string, args ...any) {
		s := english.Shorten(english.OneLine(fmt.Sprintf(format, args...)), maxFactRunes)
		out = append(out, fact{text: s, words: english.Content(s), base: base})
	}
	for i, s := range summaries {
		which := "Last call"
		if i > 0 {
			which = "An earlier call"
		}
		add(1-0.1*float64(i), "%s, %s: %s", which, ago(p, s.CreatedAt, now), s.Text)
	}
	if p.Notes != "" {
		add(0.75, "About %s: %s", name, p.Notes)
	}
	for _, c := range contacts {
		line := c.Name
		if c.Relation != "" {
			line += " is " + name + "'s " + c.Relation
		} else {
			line += " is close to " + name
		}
		if c.Notes != "" {
			line += ": " + c.Notes
		}
		add(0.6, "%s", sentence(line))
	}
	if len(topics) > 0 {
		add(0.55, "%s likes to talk about %s.", name, labels(topics))
	}
	for i, t := range topics {
		add(0.3-0.01*float64(i), "%s talked about %s %s.", name, t.Label, ago(p, t.LastMentionedAt, now))
	}
	if len(p.Conditions) > 0 {
		add(0.5, "%s lives with %s.", name, strings.Join(p.Conditions, ", "))
	}
	if len(p.Medications) > 0 {
		add(0.2, "%s takes %s.", name, strings.Join(p.Medications, ", "))
	}
	return out
}

func labels(topics []memories.Topic) string {
	var names []string
	for _, t := range topics[:min(len(topics), 5)] {
		names = append(names, t.Label)
	}
	return strings.Join(names, ", ")
}

// ago returns how long ago something was, in days of the person's time zone.
func ago(p people.Person, at, now time.Time) string {
	loc := p.Location()
	day := func(t time.Time) time.Time {
		y, m, d := t.In(loc).Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	switch days := int(day(now).Sub(day(at)).Hours() / 24); {
	case days <= 0:
		return "earlier today"
	case days == 1:
		return "yesterday"
	case days < 14:
		return fmt.Sprintf("%d days ago", days)
	case days < 60:
		return fmt.Sprintf("%d weeks ago", days/7)
	default:
		return "some months ago"
	}
}

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

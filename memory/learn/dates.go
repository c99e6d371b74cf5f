package learn

import (
	"regexp"
	"strings"
	"time"

	"github.com/naiber/naiber/store"
)

// span is the stretch of time that words such as "last week" mean, without its
// end, and how it is written down so that it stays true.
type span struct {
	from, to time.Time
	text     string // "on Tuesday 3 November 2026", "in May 2026"
}

// resolve writes a sentence so that it stays true: "yesterday" becomes its day.
// It returns the stretches of time that the sentence spoke of so, in its order.
// day is when it was said, where the person lives.
//
// What may mean one day or another stays as it is, and whoever reads it goes by
// the day on which it was told (see [FactLine]): a wrong day is worse than none.
// It knows English; libraries that read dates give a moment, not a stretch, and
// take "on Thursday" for the coming one whatever the tense.
func resolve(text string, day time.Time, lean leaning) (string, []span) {
	var out strings.Builder
	var spans []span
	end := 0
	for _, s := range sightings(text, day, lean) {
		if s.span == nil {
			continue
		}
		out.WriteString(text[end:s.at] + s.span.after(text[:s.at]))
		spans, end = append(spans, *s.span), s.end
	}
	return out.String() + text[end:], spans
}

// FactLine is a fact for a prompt: with the day on which it was told, where its
// words hang on that day. Days are those of a place.
func FactLine(f store.MemoryFact, where *time.Location) string {
	told := f.LearnedAt.In(where)
	if f.Kind == "routine" || len(sightings(f.Text, told, habitual)) == 0 {
		return f.Text
	}
	return f.Text + " (told on " + told.Format("Monday 2 January 2006") + ")"
}

// phrase is a way of speaking of a day, as it stands in a sentence.
type phrase struct {
	m             []string // its words, lower case
	before, after string   // what stands around it
	clause        string   // what is said of that day
	tense         tense
	today         time.Time
}

// sighting is a phrase where it was met.
type sighting struct {
	at, end int
	span    *span // nil: which day it is, is not certain
	bare    bool  // a weekday of which only the tense says which one
	tense   tense
}

var (
	// partOfMore begins what makes more of a phrase than a day: "yesterday's paper",
	// "Thursday afternoons", "two weeks ago last Monday", "in a week and a half".
	partOfMore = regexp.MustCompile(`(?i)^(?:['’]s\b|-\w| (?:mornings|afternoons|evenings|nights|lunchtimes|week|fortnight|gone|and a half|or (?:so|two|three))\b| (?:last|next|this|from|(?:on )?` + weekdayNames + `|yesterday|tomorrow)\b)`)
	// countedFrom ends what is counted from a day: "a week last Monday", "two weeks today".
	countedFrom = regexp.MustCompile(`(?i)\b(?:days?|weeks?|fortnights?|months?|years?)(?: ago)?(?: on| from)? $`)
	// dated begins the rest of a day that is written out: "Monday 2 November".
	dated = regexp.MustCompile(`(?i)^,? (?:the )?(?:\d|` + monthNames + `)`)
)

// sightings are the phrases in a text that speak of a day, in order. Days that are
// written out are none.
func sightings(text string, day time.Time, lean leaning) []sighting {
	var out []sighting
	for pos := 0; ; {
		r, at := nextPhrase(text, pos)
		if at == nil {
			return inOrder(text, out)
		}
		pos = at[1]
		p := phraseAt(text, at, midnight(day), lean)
		if dated.MatchString(p.after) {
			continue
		}
		s := sighting{at: at[0], end: at[1], bare: r.bare, tense: p.tense}
		if !partOfMore.MatchString(p.after) && !countedFrom.MatchString(p.before) {
			s.span = r.means(p)
		}
		out = append(out, s)
	}
}

// nextPhrase is the first place from pos on that a rule reads, and the first of
// the rules that read it.
func nextPhrase(text string, pos int) (r rule, at []int) {
	for _, other := range rules {
		found := other.says.FindStringSubmatchIndex(text[pos:])
		if found != nil && (at == nil || found[0]+pos < at[0]) {
			r, at = other, found
			for i := range at {
				if at[i] >= 0 {
					at[i] += pos
				}
			}
		}
	}
	return r, at
}

func phraseAt(text string, at []int, today time.Time, lean leaning) phrase {
	p := phrase{before: text[:at[0]], after: text[at[1]:], today: today}
	for i := 0; i < len(at); i += 2 {
		word := ""
		if at[i] >= 0 {
			word = strings.ToLower(text[at[i]:at[i+1]])
		}
		p.m = append(p.m, word)
	}
	p.clause, p.tense = clauseAt(text, at[0], at[1])
	p.tense = lean.read(p.tense)
	return p
}

// goesOn is what stands between two days of one course of events: "comes on
// Monday and leaves on Friday".
var goesOn = regexp.MustCompile(`(?i)^,? (?:(?:and|then|and then) (?:(?:will|is) )?(?:leav\w+|go(?:es|ing)?|return\w*|fl(?:y|ies|ying)|depart\w*|end\w*)(?: (?:home|back|again))?|until|till|to) $`)

// inOrder puts right, or in doubt, bare weekdays that lie the wrong way round. Of
// what is to come, the first one named is certain; of what was, the last.
func inOrder(text string, list []sighting) []sighting {
	var last *sighting
	for i := range list {
		s := &list[i]
		if !s.bare || s.span == nil || s.tense != toCome {
			continue
		}
		if last != nil && s.span.from.Before(last.span.from) {
			if !goesOn.MatchString(text[last.end:s.at]) {
				s.span = nil
				continue
			}
			s.span = oneDay(s.span.from.AddDate(0, 0, 7))
		}
		last = s
	}
	last = nil
	for i := len(list) - 1; i >= 0; i-- {
		s := &list[i]
		if !s.bare || s.span == nil || s.tense != past {
			continue
		}
		if last != nil && s.span.from.After(last.span.from) {
			s.span = nil
			continue
		}
		last = s
	}
	return list
}

// dayOnly are words after which only the day itself is written: "until Monday".
var dayOnly = regexp.MustCompile(`(?i)\b(?:until|since|by|from|till|before|after|on|for|of|during|throughout|all|to) $`)

// after is how the span is written after what stands before it.
func (s span) after(before string) string {
	text := s.text
	if dayOnly.MatchString(before) && !strings.HasPrefix(text, "around ") {
		_, text, _ = strings.Cut(text, " ")
	}
	if before == "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
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

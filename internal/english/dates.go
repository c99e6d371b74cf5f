package english

import (
	"regexp"
	"strings"
	"time"
)

// Span is the stretch of time that words such as "last week" mean, without its
// end, and how it is written so that it stays true: "on Tuesday 3 November 2026".
type Span struct {
	From, To time.Time
	Text     string
}

// Reading is how days are read of which the words do not say enough.
type Reading int

// The readings. All but Asked leave in doubt what may be one day or another.
const (
	ByTense  Reading = iota // as the tense of the sentence has it
	Habitual                // weekdays come again, and are no days
	Planned                 // what has no tense is to come
	Promised                // everything is to come
	asked                   // everything is over, and near enough will do: see [Period]
)

func (r Reading) tense(t tense) tense {
	switch {
	case r == Habitual && t != doubtful:
		return doubtful
	case r == Planned && t == unsaid, r == Promised:
		return toCome
	default:
		return t
	}
}

// Period returns the stretch of the past that a question speaks of, if it does:
// "last Tuesday", "in May", "three weeks ago". now is where the question is asked.
//
// Libraries that read dates give one moment and mostly a coming one; what counts
// here is how long it was, and that it is over.
func Period(question string, now time.Time) (Span, bool) {
	for _, s := range sightings(question, now, asked) {
		if s.span != nil && !s.span.From.After(now) {
			return *s.span, true
		}
	}
	return Span{}, false
}

// Resolve writes a sentence so that it stays true: "yesterday" becomes its day.
// It returns the spans that the sentence spoke of so, in its order. day is when it
// was said, where the speaker lives.
//
// What may mean one day or another stays as it is: a wrong day is worse than none.
func Resolve(sentence string, day time.Time, r Reading) (string, []Span) {
	var out strings.Builder
	var spans []Span
	end := 0
	for _, s := range sightings(sentence, day, r) {
		if s.span == nil {
			continue
		}
		out.WriteString(sentence[end:s.at] + s.span.after(sentence[:s.at]))
		spans, end = append(spans, *s.span), s.end
	}
	return out.String() + sentence[end:], spans
}

// HangsOnDay reports whether what a text says depends on the day on which it was
// said.
func HangsOnDay(text string) bool { return len(sightings(text, time.Unix(0, 0).UTC(), Habitual)) > 0 }

// Midnight returns the start of t's day.
func Midnight(t time.Time) time.Time { return date(t.Year(), t.Month(), t.Day(), t) }

// date returns a midnight in the time zone of like.
func date(year int, month time.Month, day int, like time.Time) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, like.Location())
}

// phrase is a way of speaking of a day, as it stands in a sentence.
type phrase struct {
	m             []string // its words, lower case
	before, after string   // what stands around it
	clause        string   // what is said of that day
	tense         tense
	today         time.Time
	asked         bool
}

// sighting is a phrase where it was met.
type sighting struct {
	at, end int
	span    *Span // nil: which day it is, is not certain
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

// sightings returns the phrases in a text that speak of a day, in order. Days that
// are written out are none, but in a question.
func sightings(text string, day time.Time, r Reading) []sighting {
	if !mayDate(text) {
		return nil
	}
	var out []sighting
	found := matches{text: text, asked: r == asked, next: make([][]int, len(rules))}
	for pos := 0; ; {
		rule, at := found.from(pos)
		if at == nil {
			return inOrder(text, out)
		}
		pos = at[1]
		p := phraseAt(text, at, Midnight(day), r)
		if dated.MatchString(p.after) {
			continue
		}
		s := sighting{at: at[0], end: at[1], bare: rule.bare && !p.asked, tense: p.tense}
		if p.asked || !partOfMore.MatchString(p.after) && !countedFrom.MatchString(p.before) {
			s.span = rule.means(p)
		}
		out = append(out, s)
	}
}

// dayLike are the words besides numbers and the names of days without one of which
// no rule reads a day.
var dayLike = Set(`yesterday today tonight tomorrow night morning afternoon evening ago day days week weeks fortnight fortnights month
	months year years weekend christmas spring summer autumn fall winter january february march april may june july august
	september october november december`)

// mayDate is quick to see that there is no day, as in most texts: each rule would
// search a long one in turn.
func mayDate(text string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), outsideWord) {
		w, _, _ = strings.Cut(w, "'")
		if dayLike[w] || strings.HasSuffix(w, "day") || strings.ContainsAny(w, "0123456789") {
			return true
		}
	}
	return false
}

// matches finds where the rules read a text, each at its next place.
type matches struct {
	text  string
	asked bool
	next  [][]int // by rule: what it read last; nil: nothing yet, empty: nothing more
}

// from returns the first place from pos on that a rule reads, and the first of the
// rules that read it; nil where there is none.
func (m *matches) from(pos int) (r rule, at []int) {
	for i, other := range rules {
		if other.asked && !m.asked {
			continue
		}
		if m.next[i] == nil || len(m.next[i]) > 0 && m.next[i][0] < pos {
			m.next[i] = append([]int{}, other.says.FindStringSubmatchIndex(m.text[pos:])...)
			for k := range m.next[i] {
				if m.next[i][k] >= 0 {
					m.next[i][k] += pos
				}
			}
		}
		if found := m.next[i]; len(found) > 0 && (at == nil || found[0] < at[0]) {
			r, at = other, found
		}
	}
	return r, at
}

func phraseAt(text string, at []int, today time.Time, r Reading) phrase {
	p := phrase{before: text[:at[0]], after: text[at[1]:], today: today, asked: r == asked}
	for i := 0; i < len(at); i += 2 {
		word := ""
		if at[i] >= 0 {
			word = strings.ToLower(text[at[i]:at[i+1]])
		}
		p.m = append(p.m, word)
	}
	p.clause, p.tense = clauseAt(text, at[0], at[1])
	p.tense = r.tense(p.tense)
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
		if last != nil && s.span.From.Before(last.span.From) {
			if !goesOn.MatchString(text[last.end:s.at]) {
				s.span = nil
				continue
			}
			s.span = oneDay(s.span.From.AddDate(0, 0, 7))
		}
		last = s
	}
	last = nil
	for i := len(list) - 1; i >= 0; i-- {
		s := &list[i]
		if !s.bare || s.span == nil || s.tense != past {
			continue
		}
		if last != nil && s.span.From.After(last.span.From) {
			s.span = nil
			continue
		}
		last = s
	}
	return list
}

// dayOnly are words after which only the day itself is written: "until Monday".
var dayOnly = regexp.MustCompile(`(?i)\b(?:until|since|by|from|till|before|after|on|for|of|during|throughout|all|to) $`)

// after returns how the span is written after what stands before it.
func (s Span) after(before string) string {
	text := s.Text
	if dayOnly.MatchString(before) && !strings.HasPrefix(text, "around ") {
		_, text, _ = strings.Cut(text, " ")
	}
	if before == "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

package english

import (
	"regexp"
	"strings"
	"time"
)

// Span is a period that words such as "last week" mean, excluding its end, and its text that stays
// true: "on Tuesday 3 November 2026".
type Span struct {
	From, To time.Time
	Text     string
}

// Reading is how to read days that the words leave open.
type Reading int

// The readings. All but asked leave a day in doubt if it is ambiguous.
const (
	ByTense  Reading = iota // by the tense of the sentence
	Habitual                // weekdays recur, and are no days
	Planned                 // words without a tense are in the future
	Promised                // everything is in the future
	asked                   // everything is past, and approximate days are enough: see [Period]
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

// Period returns the past period that a question refers to, and whether it does: "last Tuesday",
// "in May", "three weeks ago". now is in the time zone in which the question is asked.
//
// Libraries that parse dates return one moment, mostly a future one; needed here are the length of
// the period, and that it is past.
func Period(question string, now time.Time) (Span, bool) {
	for _, s := range sightings(question, now, asked) {
		if s.span != nil && !s.span.From.After(now) {
			return *s.span, true
		}
	}
	return Span{}, false
}

// Resolve rewrites a sentence so that it stays true: "yesterday" becomes its date. It returns the
// spans that it wrote, in order. day is when the sentence was said, in the speaker's time zone.
//
// Ambiguous words stay as they are: a wrong day is worse than none.
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

// HangsOnDay reports whether a text depends on the day on which it was said.
func HangsOnDay(text string) bool { return len(sightings(text, time.Unix(0, 0).UTC(), Habitual)) > 0 }

// Midnight returns the start of t's day, in t's time zone.
func Midnight(t time.Time) time.Time { return date(t.Year(), t.Month(), t.Day(), t) }

// date returns a midnight in the time zone of like.
func date(year int, month time.Month, day int, like time.Time) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, like.Location())
}

// phrase is a reference to a day in its sentence.
type phrase struct {
	m             []string // the submatches of its rule, lower case
	before, after string   // the text around it
	clause        string   // the clause around it
	tense         tense
	today         time.Time
	asked         bool
}

// sighting is a phrase at its place in a text.
type sighting struct {
	at, end int
	span    *Span // nil if the day is not certain
	bare    bool  // a weekday that only the tense determines
	tense   tense
}

var (
	// partOfMore matches the beginning of text that makes a phrase more than a day: "yesterday's
	// paper", "Thursday afternoons", "two weeks ago last Monday", "in a week and a half".
	partOfMore = regexp.MustCompile(`(?i)^(?:['’]s\b|-\w| (?:mornings|afternoons|evenings|nights|lunchtimes|week|fortnight|gone|and a half|or (?:so|two|three))\b| (?:last|next|this|from|(?:on )?` + weekdayNames + `|yesterday|tomorrow)\b)`)
	// countedFrom matches the end of a count from a day: "a week last Monday", "two weeks today".
	countedFrom = regexp.MustCompile(`(?i)\b(?:days?|weeks?|fortnights?|months?|years?)(?: ago)?(?: on| from)? $`)
	// dated matches the rest of a day that is written out: "Monday 2 November".
	dated = regexp.MustCompile(`(?i)^,? (?:the )?(?:\d|` + monthNames + `)`)
)

// sightings returns the phrases in a text that refer to a day, in order. Days that are written out
// count only in a question.
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

// dayLike holds the words of which a text must contain one for a rule to match, unless it contains
// a number or the name of a day.
var dayLike = Set(`yesterday today tonight tomorrow night morning afternoon evening ago day days week weeks fortnight fortnights month
	months year years weekend christmas spring summer autumn fall winter january february march april may june july august
	september october november december`)

// mayDate reports whether a text may refer to a day. It is a quick check, as most texts do not, and
// each rule would search a long one in turn.
func mayDate(text string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), outsideWord) {
		w, _, _ = strings.Cut(w, "'")
		if dayLike[w] || strings.HasSuffix(w, "day") || strings.ContainsAny(w, "0123456789") {
			return true
		}
	}
	return false
}

// matches finds the matches of the rules in a text, each at its next place.
type matches struct {
	text  string
	asked bool
	next  [][]int // the last match of each rule; nil: not searched yet, empty: no more
}

// from returns the first match at or after pos, and the first of the rules that match there; nil if
// there is none.
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

// goesOn matches the text between two days of one course of events: "comes on Monday and leaves on
// Friday".
var goesOn = regexp.MustCompile(`(?i)^,? (?:(?:and|then|and then) (?:(?:will|is) )?(?:leav\w+|go(?:es|ing)?|return\w*|fl(?:y|ies|ying)|depart\w*|end\w*)(?: (?:home|back|again))?|until|till|to) $`)

// inOrder corrects bare weekdays that are not in chronological order, or makes them uncertain. In
// the future, the first one named is certain; in the past, the last.
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

// dayOnly matches words after which only the day itself is written: "until Monday".
var dayOnly = regexp.MustCompile(`(?i)\b(?:until|since|by|from|till|before|after|on|for|of|during|throughout|all|to) $`)

// after returns the span's text in the form that fits after the text before.
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

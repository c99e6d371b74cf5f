// Package days parses references to days, as internal/english does, in languages that are defined
// by files: one for each, named after its text search configuration.
package days

import (
	"cmp"
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/patterns"
)

//go:embed spanish.txt
var spanish string

// languages maps text search configurations to languages. English is not among them: its rules,
// which also consider tenses, are in internal/english.
var languages = map[string]*language{"spanish": load(spanish)}

// language holds what a file defines.
type language struct {
	file  patterns.File
	rules []rule
	words map[string]map[string]int // the values of words, by list
	names map[string]map[int]string // the words for values of months and weekdays
	quick map[string]bool
	part  *regexp.Regexp
}

// rule matches one way of referring to a day.
type rule struct {
	says *regexp.Regexp
	kind string
	args []int
}

func load(text string) *language {
	l := &language{file: patterns.Read(text), words: map[string]map[string]int{}, names: map[string]map[int]string{}, quick: map[string]bool{}}
	for list, name := range map[string]string{
		"numbers": "n", "dates": "date", "units": "unit", "weekdays": "weekday", "months": "month", "seasons": "season", "decades": "decade",
	} {
		l.words[name], l.names[name] = map[string]int{}, map[int]string{}
		var alternatives []string
		for pair := range strings.FieldsSeq(l.file[list][0]) {
			word, value, _ := strings.Cut(pair, "=")
			word = strings.ReplaceAll(word, "_", " ")
			n, err := strconv.Atoi(value)
			if err != nil {
				panic("days: " + pair) // the files are embedded in the program
			}
			alternatives = append(alternatives, word)
			l.words[name][english.Unmarked(word)] = n
			if l.names[name][n] == "" {
				l.names[name][n] = word
			}
			if name != "n" && name != "date" && name != "decade" {
				l.quick[english.Unmarked(word)] = true
			}
		}
		if name == "n" || name == "date" {
			alternatives = append(alternatives, `\d{1,3}`)
		}
		l.file[name] = []string{`(?P<` + name + `>` + strings.Join(alternatives, "|") + `)`}
	}
	l.file["year"] = []string{`(?P<year>(?:19|20)\d\d)`}
	l.file["short"] = []string{`(?P<short>\d\d)`}
	for w := range strings.FieldsSeq(l.file["quick"][0]) {
		l.quick[english.Unmarked(w)] = true
	}
	for w := range l.words["decade"] {
		l.quick[w] = true
	}
	l.part = l.file.Pattern("part")
	for _, key := range slices.Sorted(maps.Keys(l.file)) { // of two rules for the same text, always the same one applies
		list, fields := l.file[key], strings.Fields(key)
		if kinds[fields[0]] == nil && fields[0] != "never" {
			continue
		}
		r := rule{kind: fields[0]}
		for _, f := range fields[1:] {
			n, _ := strconv.Atoi(f)
			r.args = append(r.args, n)
		}
		for _, p := range list {
			r.says = l.file.Compile(`(?i)(?:^|[^\pL\d])(?P<all>` + p + `)(?:[^\pL\d]|$)`)
			l.rules = append(l.rules, r)
		}
	}
	return l
}

// sighting is a reference to a day at its place in a text.
type sighting struct {
	rule    rule
	at, end int
	values  map[string]int
}

// may reports whether a text may refer to a day. It is a quick check, as most texts do not.
func (l *language) may(text string) bool {
	return slices.ContainsFunc(english.Scan(text), func(w english.Word) bool {
		return l.quick[english.Unmarked(w.Text)] || strings.ContainsAny(w.Text, "0123456789")
	})
}

// sightings returns the references to days in a text, in order and without overlaps.
func (l *language) sightings(text string) []sighting {
	if !l.may(text) {
		return nil
	}
	var all []sighting
	for _, r := range l.rules {
		for from := 0; ; {
			m := r.says.FindStringSubmatchIndex(text[from:])
			if m == nil {
				break
			}
			s := sighting{rule: r, values: map[string]int{}}
			for i, name := range r.says.SubexpNames() {
				if m[2*i] < 0 || name == "" {
					continue
				}
				word := english.Unmarked(english.Lower(text[from+m[2*i] : from+m[2*i+1]]))
				if name == "all" {
					s.at, s.end = from+m[2*i], from+m[2*i+1]
				} else if n, ok := l.words[name][word]; ok {
					s.values[name] = n
				} else if n, err := strconv.Atoi(word); err == nil {
					s.values[name] = n
				}
			}
			all = append(all, s)
			from = s.end
		}
	}
	slices.SortStableFunc(all, func(a, b sighting) int {
		return cmp.Or(a.at-b.at, b.end-a.end)
	})
	end := 0
	return slices.DeleteFunc(all, func(s sighting) bool {
		if s.at < end {
			return true
		}
		end = s.end
		return false
	})
}

// Period returns the past period that a question refers to, and whether it does, in the language of
// a text search configuration; see [english.Period].
func Period(config, question string, now time.Time) (english.Span, bool) {
	l := languages[config]
	if l == nil {
		return english.Period(question, now)
	}
	for _, s := range l.sightings(question) {
		if span := l.meaning(s, english.Midnight(now), overNow); span != nil && !span.From.After(now) {
			return *span, true
		}
	}
	return english.Span{}, false
}

// Resolve rewrites a sentence so that it stays true; see [english.Resolve]. English is tried in any
// language: a model may write in English about words in another.
func Resolve(config, sentence string, day time.Time, r english.Reading) (string, []english.Span) {
	text, spans := english.Resolve(sentence, day, r)
	l := languages[config]
	if l == nil || len(spans) > 0 {
		return text, spans
	}
	when := certain
	if r == english.Promised {
		when = toCome
	}
	var out strings.Builder
	end := 0
	for _, s := range l.sightings(sentence) {
		span := l.meaning(s, english.Midnight(day), when)
		if span == nil || span.Text == "" || l.part.MatchString(sentence[:s.at]) {
			continue
		}
		text := span.Text
		if s.at == 0 {
			text = strings.ToUpper(text[:1]) + text[1:]
		}
		out.WriteString(sentence[end:s.at] + text)
		spans, end = append(spans, *span), s.end
	}
	return out.String() + sentence[end:], spans
}

// HangsOnDay reports whether a text, in any language, depends on the day on which it was said.
func HangsOnDay(text string) bool {
	if english.HangsOnDay(text) {
		return true
	}
	for _, l := range languages {
		if slices.ContainsFunc(l.sightings(text), func(s sighting) bool { return relative[s.rule.kind] }) {
			return true
		}
	}
	return false
}

// NextOn returns the next occurrence of the day of the year that a text names, and whether it names
// one; see [english.NextOn].
func NextOn(config, text string, day time.Time) (time.Time, bool) {
	if l := languages[config]; l != nil {
		for _, s := range l.sightings(text) {
			if s.rule.kind != "on_date" {
				continue
			}
			for year := day.Year(); year <= day.Year()+8; year++ { // 29 February needs a leap year
				t := date(year, s.values["month"], s.values["date"], day)
				if t.Day() == s.values["date"] && !t.Before(english.Midnight(day)) {
					return t, true
				}
			}
		}
	}
	return english.NextOn(text, day)
}

func date(year, month, day int, like time.Time) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, like.Location())
}

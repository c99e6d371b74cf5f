package learn

import (
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// judge says by rules what a new fact means to old ones. It is careful: what it
// is not sure of stands next to the old.
func judge(f memories.Fact, old []memories.Fact) (Verdict, []memories.Fact) {
	for _, o := range old {
		if sameWords(f.Text, o.Text) {
			return Pass, []memories.Fact{o}
		}
	}
	var over, same []memories.Fact
	for _, o := range old {
		switch {
		case !mayEnd(f, o):
		case ends(f.Text, o.Text):
			over = append(over, o)
		case sameThing(f.Text, o.Text):
			same = append(same, o)
		}
	}
	switch {
	case len(over) > 0:
		return Delete, over
	case len(same) > 0:
		return Replace, same
	}
	for _, o := range old {
		if says(o.Text, f.Text) {
			return Pass, []memories.Fact{o}
		}
	}
	return Append, nil
}

// sameWords reports whether two facts say the same in the same words, in
// whatever order and form.
func sameWords(a, b string) bool {
	return sameStems(english.Content(a), english.Content(b)) && english.Denies(a) == english.Denies(b) && slices.Equal(numbers(a), numbers(b))
}

// says reports whether old has all the words of what is new.
func says(old, fresh string) bool {
	x, y := english.Content(fresh), english.Content(old)
	return len(x) > 1 && english.Common(x, y) == len(x) && english.Denies(old) == english.Denies(fresh) && subset(numbers(fresh), numbers(old))
}

func numbers(s string) []string {
	_, n := english.Proper(s)
	slices.Sort(n)
	return n
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}

// mayEnd reports whether a fact may end or replace another: both are about the
// same person, pet or thing.
func mayEnd(f, old memories.Fact) bool {
	a, b := subjects(f.Text), subjects(old.Text)
	if len(a) == 0 || len(b) == 0 {
		return english.Common(english.Content(f.Text), english.Content(old.Text)) > 0
	}
	return english.Common(a, b) > 0
}

// mightEnd is [mayEnd] for a model, which sees more: "Tom's visit" may be about
// Tom, and what shares more than a word about the same thing. who is the person,
// whom everything is about.
func mightEnd(f, old memories.Fact, who string) bool {
	if mayEnd(f, old) {
		return true
	}
	own := english.Content(who)
	others := func(text string) []string {
		return slices.DeleteFunc(english.Content(text), func(w string) bool { return english.Has(own, w) })
	}
	head, _, _ := english.CutSubject(f.Text)
	return english.Common(others(head), subjects(old.Text)) > 0 || english.Common(others(f.Text), others(old.Text)) > 1
}

// subjects are whom or what a sentence begins with: "Margaret's son Tom is in
// hospital" is about the son Tom. What belongs to somebody is not that somebody.
func subjects(text string) []string {
	head, _, _ := english.CutSubject(text)
	if words := strings.Fields(head); len(words) > maxSubject {
		head = strings.Join(words[:maxSubject], " ")
	}
	head = strings.ReplaceAll(head, "’", "'")
	if i := strings.LastIndex(head, "'s "); i >= 0 && strings.TrimSpace(head[i+3:]) != "" {
		head = head[i+3:]
	}
	return english.Content(head)
}

// maxSubject is how many words a subject has at most: "Margaret's oldest son Tom".
const maxSubject = 4

// ending pairs what begins something with what ends it. Of a general one, which ends
// all sorts of things, the object must be the same as well. Those come last.
type ending struct {
	holds, over *regexp.Regexp
	general     bool
}

var endings = append(endingsOf("ending", false), endingsOf("general_ending", true)...)

func endingsOf(key string, general bool) (out []ending) {
	for _, entry := range englishFile[key] {
		holds, over, _ := strings.Cut(entry, " => ")
		out = append(out, ending{englishFile.Compile(inWords(holds)), englishFile.Compile(inWords(over)), general})
	}
	return out
}

// ends reports whether a fact says that another is over: by an ending that goes
// with it, and about the same thing.
func ends(fresh, old string) bool {
	for _, e := range endings {
		if !e.over.MatchString(fresh) || !e.holds.MatchString(old) || e.over.MatchString(old) {
			continue
		}
		rest := english.Content(e.over.ReplaceAllString(fresh, " "))
		n := english.Common(rest, english.Content(old))
		if !e.general || n >= 2 || n > 0 && n == len(rest) { // it is said of the same subject, see mayEnd
			return true
		}
	}
	return false
}

// What a subject has one of at a time; oneEach, one of each kind, which is told by the
// words that the pattern does not read.
var one, oneEach = englishFile.All("single", inWords), englishFile.All("single_by_rest", inWords)

// sameThing reports whether two facts give one thing two values.
func sameThing(fresh, old string) bool {
	if english.Denies(fresh) != english.Denies(old) {
		return false
	}
	return slices.ContainsFunc(one, func(re *regexp.Regexp) bool {
		x, y := re.FindStringSubmatch(fresh), re.FindStringSubmatch(old)
		return x != nil && y != nil && slices.EqualFunc(x[1:], y[1:], strings.EqualFold)
	}) || slices.ContainsFunc(oneEach, func(re *regexp.Regexp) bool {
		rest := func(text string) []string { return english.Content(re.ReplaceAllString(text, " ")) }
		return re.MatchString(fresh) && re.MatchString(old) && sameStems(rest(fresh), rest(old))
	})
}

// sameStems reports whether two lists are of the same words, in whatever order and form.
func sameStems(a, b []string) bool { return len(a) == len(b) && english.Common(a, b) == len(a) }

// evidence is what the lines say, clause by clause. A question says what its answer
// makes of it.
func (c cited) evidence() []english.Clause {
	var out []english.Clause
	for k, i := range c.places {
		t, answer := c.turns[i], k+1 < len(c.places) && c.places[k+1] == i+1 && c.turns[i+1].Speaker == calls.RoleUser
		switch {
		case t.Speaker == calls.RoleUser:
			out = append(out, answered(c.asked(i), english.Answer(t.Text))...)
			out = append(out, english.Clauses(t.Text)...)
		case !answer:
			out = append(out, answered(t.Text, english.Open)...)
		}
	}
	return out
}

// answered are the clauses of what nAIber said. An answer is to its last sentence.
func answered(text string, to english.Sense) []english.Clause {
	all := english.Sentences(text)
	var out []english.Clause
	for i, sentence := range all {
		for _, c := range english.Clauses(sentence) {
			c.Sense = english.Open
			if i == len(all)-1 {
				c.Sense = to
			}
			out = append(out, c)
		}
	}
	return out
}

// contradicts reports whether a sentence says that something is so that was said
// not to be, or the other way round. What was said of it last counts, and most
// what says it and nothing else. who is the person, whom everything is about.
func contradicts(text string, said []english.Clause, who string) bool {
	own := english.Content(who)
	for _, f := range english.Clauses(text) {
		words := slices.DeleteFunc(f.Words, func(w string) bool { return english.Has(own, w) })
		met, over := 0, 0
		var last english.Clause
		for _, c := range said {
			n := english.Common(words, c.Words)
			if rest := len(c.Words) - n; n > met || n == met && rest <= over {
				met, over, last = n, rest, c
			}
		}
		if met > 0 && against(f, last) {
			return true
		}
	}
	return false
}

// against reports whether f and what was said cannot both be so.
func against(f, said english.Clause) bool {
	is := f.Sense
	if is == english.Open && english.Common(f.Leans, said.Words) > 0 { // "is lonely" after "I am not lonely"
		is = english.Affirmed
	}
	switch is {
	case english.Affirmed:
		return said.Sense == english.Denied || said.Sense == english.Ended && !f.Past
	case english.Denied:
		return said.Sense == english.Affirmed
	case english.Ended:
		return said.Sense == english.Affirmed && !said.Past
	default:
		return false
	}
}

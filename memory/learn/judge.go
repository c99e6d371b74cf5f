package learn

import (
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// judge decides by rules how a new fact relates to old ones. It is conservative: in doubt,
// the new fact is appended.
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

// sameWords reports whether two facts say the same in the same words, in any order and
// inflection.
func sameWords(a, b string) bool {
	return sameStems(english.Content(a), english.Content(b)) && english.Denies(a) == english.Denies(b) && slices.Equal(numbers(a), numbers(b))
}

// says reports whether old has all the words of fresh.
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

// mightEnd is like [mayEnd], but looser, for the verdict of a model, which sees more:
// "Tom's visit" may be about Tom, and two facts that share more than one word may be about
// the same thing. who is the person, the subject of every fact.
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

// subjects returns the significant words of a sentence's subject: "Margaret's son Tom is in
// hospital" is about the son Tom. A possession is not its owner.
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

// maxSubject is the maximum number of words in a subject: "Margaret's oldest son Tom".
const maxSubject = 4

// ending pairs a pattern of a beginning with the pattern of its end. A general one can end
// many kinds of things, and needs the same object as well. General endings come last.
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

// ends reports whether fresh says that old is over: they match a pair of [endings] and are
// about the same thing.
func ends(fresh, old string) bool {
	for _, e := range endings {
		if !e.over.MatchString(fresh) || !e.holds.MatchString(old) || e.over.MatchString(old) {
			continue
		}
		rest := english.Content(e.over.ReplaceAllString(fresh, " "))
		n := english.Common(rest, english.Content(old))
		if !e.general || n >= 2 || n > 0 && n == len(rest) { // the subject is the same, see mayEnd
			return true
		}
	}
	return false
}

// one holds patterns of what a subject has one of at a time. oneEach holds those of which
// it has one of each kind; the words outside the match tell the kinds apart.
var one, oneEach = englishFile.All("single", inWords), englishFile.All("single_by_rest", inWords)

// sameThing reports whether two facts give two values for the same thing.
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

// sameStems reports whether two lists hold the same words, in any order and inflection.
func sameStems(a, b []string) bool { return len(a) == len(b) && english.Common(a, b) == len(a) }

// evidence returns the cited lines clause by clause. A question takes its sense from its
// answer.
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

// answered returns the clauses of what nAIber said. Only the last sentence takes the sense
// of the answer, to.
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

// contradicts reports whether a sentence affirms what was denied, or the reverse. It is
// compared with the clause that shares the most words with it, then with the one that has
// the fewest others, then with the last one. who is the person, the subject of every fact.
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

// against reports whether f and said cannot both be true.
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

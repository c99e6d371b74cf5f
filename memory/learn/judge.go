package learn

import (
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store"
)

// judge says by rules what a new fact means to old ones. It is careful: what it
// is not sure of stands beside the old.
func judge(f store.MemoryFact, old []store.MemoryFact) (Verdict, []store.MemoryFact) {
	for _, o := range old {
		if sameWords(f.Text, o.Text) {
			return Pass, []store.MemoryFact{o}
		}
	}
	var over, same []store.MemoryFact
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
			return Pass, []store.MemoryFact{o}
		}
	}
	return Append, nil
}

// sameWords reports whether two facts say the same in the same words, in
// whatever order and form.
func sameWords(a, b string) bool {
	x, y := english.Content(a), english.Content(b)
	return len(x) == len(y) && english.Common(x, y) == len(x) && english.Denies(a) == english.Denies(b) && slices.Equal(numbers(a), numbers(b))
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
func mayEnd(f, old store.MemoryFact) bool {
	a, b := subjects(f.Text), subjects(old.Text)
	if len(a) == 0 || len(b) == 0 {
		return english.Common(english.Content(f.Text), english.Content(old.Text)) > 0
	}
	return english.Common(a, b) > 0
}

// mightEnd is [mayEnd] for a model, which sees more: "Tom's visit" may be about
// Tom, and what shares more than a word about the same thing. who is the person,
// whom everything is about.
func mightEnd(f, old store.MemoryFact, who string) bool {
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
	if i := lastPossessive(head); i >= 0 && strings.TrimSpace(head[i:]) != "" {
		head = head[i:]
	}
	return english.Content(head)
}

// maxSubject is how many words a subject has at most: "Margaret's oldest son Tom".
const maxSubject = 4

var possessive = regexp.MustCompile(`['’]s\b`)

func lastPossessive(s string) int {
	at := possessive.FindAllStringIndex(s, -1)
	if at == nil {
		return -1
	}
	return at[len(at)-1][1]
}

// ending pairs what begins something with what ends it. The general ones come last.
var ending = []struct{ holds, over *regexp.Regexp }{
	{
		regexp.MustCompile(`(?i)\b(?:hospital|ward|clinic|intensive care|rehab\w*|surgery)\b`),
		regexp.MustCompile(`(?i)\b(?:(?:came|come|comes|is|are|was|back|got|gets|sent|allowed|went) (?:back )?home|discharged|out of (?:the )?hospital|left (?:the )?hospital|home (?:again|from))\b`),
	},
	{
		regexp.MustCompile(`(?i)\b(?:ill|sick|unwell|poorly|flu|cold|cough|fever|infection|pneumonia|hurts?|aches?|aching|sore|pain\w*|headaches?|dizzy|swollen)\b`),
		regexp.MustCompile(`(?i)\b(?:recovered|better (?:now|again)|much better|well again|cured|healed|cleared up|has gone|is gone|went away|over (?:it|the|her|his))\b`),
	},
	{
		regexp.MustCompile(`(?i)\b(?:visits?|visiting|coming|comes|appointment|trip|going|party|operation|will)\b`),
		regexp.MustCompile(`(?i)\b(?:cancel\w*|called off|postponed|put off|fell through)\b`),
	},
	{
		regexp.MustCompile(`(?i)\b(?:lost|missing|broken|broke|broken down|not working)\b`),
		regexp.MustCompile(`(?i)\b(?:found|mended|repaired|fixed|works again|working again|replaced)\b`),
	},
	{regexp.MustCompile(`.`), regexp.MustCompile(`(?i)\b(?:no longer|any ?more|stopped|gave up|given up|quit|sold|gave away|given away|used to)\b`)},
	{regexp.MustCompile(`(?i)\b(?:has|have|is|lives?|works?|likes?|visits?|owns?|keeps?|got)\b`), regexp.MustCompile(`(?i)\b(?:died|passed away|is dead|was put (?:down|to sleep)|had to be put)\b`)},
}

// ends reports whether a fact says that another is over: by an ending that goes
// with it, and about the same thing.
func ends(fresh, old string) bool {
	for i, e := range ending {
		if !e.over.MatchString(fresh) || !e.holds.MatchString(old) || e.over.MatchString(old) {
			continue
		}
		if i < 4 {
			return true // it is said of the same subject, see mayEnd
		}
		// Of the general endings the object must be the same as well.
		rest := strings.TrimSpace(e.over.ReplaceAllString(fresh, " "))
		if n := english.Common(english.Content(rest), english.Content(old)); n >= 2 || n == len(english.Content(rest)) && n > 0 {
			return true
		}
	}
	return false
}

// single are what a subject has one of at a time.
var single = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:lives?|living|moved|moves) (?:\w+ ){0,2}(?:in|to|at|with)\b`),
	regexp.MustCompile(`(?i)\b(?:works?|working|worked|job) (?:\w+ ){0,2}(?:as|at|for|in)\b`),
	regexp.MustCompile(`(?i)\b(?:is|turned|turns|aged?) (?:\w+ )?\d{1,3}(?: years old)?\b`),
	regexp.MustCompile(`(?i)\b(?:gets up|wakes? up|goes to bed|has (?:breakfast|lunch|dinner|supper|tea)) (?:\w+ )?at\b`),
	regexp.MustCompile(`(?i)\bfavou?rite\b`),
	regexp.MustCompile(`(?i)\b\d+ ?(?:mg|milligrams?|tablets?|pills?)\b`),
	regexp.MustCompile(`(?i)\b(?:doctor|dentist|carer|nurse|gp) is\b`),
	regexp.MustCompile(`(?i)\bis (?:\w+ )?in (?:\w+ )?(?:hospital|rehab\w*|a home|a care home)\b`),
}

// sameThing reports whether two facts give one thing two values.
func sameThing(fresh, old string) bool {
	for i, re := range single {
		if !re.MatchString(fresh) || !re.MatchString(old) || english.Denies(fresh) != english.Denies(old) {
			continue
		}
		if i == 4 && !slices.Equal(favourite(fresh), favourite(old)) { // a favourite flower is no favourite dish
			continue
		}
		if i == 5 { // nor is one pill another
			x, y := english.Content(re.ReplaceAllString(fresh, " ")), english.Content(re.ReplaceAllString(old, " "))
			if len(x) != len(y) || english.Common(x, y) < len(x) {
				continue
			}
		}
		return true
	}
	return false
}

// favourite is what somebody has a favourite of.
func favourite(s string) []string { return favouriteOf.FindStringSubmatch(strings.ToLower(s))[1:] }

var favouriteOf = regexp.MustCompile(`favou?rite ?(\w*)`)

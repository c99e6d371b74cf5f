package learn

import (
	"regexp"
	"slices"
	"strings"

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
	x, y := telling(a), telling(b)
	return len(x) == len(y) && shared(x, y) == len(x) && denied(a) == denied(b) && slices.Equal(numbers(a), numbers(b))
}

// says reports whether old has all the words of what is new.
func says(old, fresh string) bool {
	x, y := telling(fresh), telling(old)
	return len(x) > 1 && shared(x, y) == len(x) && denied(old) == denied(fresh) && subset(numbers(fresh), numbers(old))
}

func numbers(s string) []string {
	_, n := namesIn(s)
	slices.Sort(n)
	return n
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}

var denial = regexp.MustCompile(`(?i)\b(?:no|not|never|nobody|none|without|no longer|any ?more|cannot)\b|n't\b`)

func denied(s string) bool { return denial.MatchString(strings.ReplaceAll(s, "’", "'")) }

// mayEnd reports whether a fact may end or replace another: both are about the
// same person, pet or thing.
func mayEnd(f, old store.MemoryFact) bool {
	a, b := subjects(f.Text), subjects(old.Text)
	if len(a) == 0 || len(b) == 0 {
		return shared(telling(f.Text), telling(old.Text)) > 0
	}
	return shared(a, b) > 0
}

// mightEnd is [mayEnd] for a model, which sees more: "Tom's visit" may be about
// Tom, and what shares more than a word about the same thing. who is the person,
// whom everything is about.
func mightEnd(f, old store.MemoryFact, who string) bool {
	if mayEnd(f, old) {
		return true
	}
	own := telling(who)
	others := func(text string) []string {
		return slices.DeleteFunc(telling(text), func(w string) bool { return has(own, w) })
	}
	head := f.Text
	if at := verb.FindStringIndex(head); at != nil {
		head = head[:at[0]]
	}
	return shared(others(head), subjects(old.Text)) > 0 || shared(others(f.Text), others(old.Text)) > 1
}

// subjects are whom or what a sentence begins with: "Margaret's son Tom is in
// hospital" is about the son Tom. What belongs to somebody is not that somebody.
func subjects(text string) []string {
	head := text
	if at := verb.FindStringIndex(text); at != nil {
		head = text[:at[0]]
	}
	if words := strings.Fields(head); len(words) > maxSubject {
		head = strings.Join(words[:maxSubject], " ")
	}
	if i := lastPossessive(head); i >= 0 && strings.TrimSpace(head[i:]) != "" {
		head = head[i:]
	}
	return telling(head)
}

// maxSubject is how many words a subject has at most: "Margaret's oldest son Tom".
const maxSubject = 4

var (
	verb       = regexp.MustCompile(`(?i)\b(?:is|are|was|were|has|have|had|will|would|can|could|does|did|do|lives?|lived|likes?|liked|loves?|loved|takes?|took|works?|worked|comes?|came|goes|went|visits?|visited|wants?|needs?|feels?|felt|got|gets|plans?|stopped|stops|gave|died|moved|moves|no longer|never|not|sleeps?|slept|enjoys?|plays?|played|wakes?|eats?|drinks?|hates?|worries|used|bought|sold|said|calls?|rings?|started|broke|fell|looks?|cares?|helps?|keeps?|grows?|makes?|cooks?|reads?|walks?|because|since|who|when|while)\b`)
	possessive = regexp.MustCompile(`['’]s\b`)
)

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
		if n := shared(telling(rest), telling(old)); n >= 2 || n == len(telling(rest)) && n > 0 {
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
		if !re.MatchString(fresh) || !re.MatchString(old) || denied(fresh) != denied(old) {
			continue
		}
		if i == 4 && !slices.Equal(favourite(fresh), favourite(old)) { // a favourite flower is no favourite dish
			continue
		}
		if i == 5 { // nor is one pill another
			x, y := telling(re.ReplaceAllString(fresh, " ")), telling(re.ReplaceAllString(old, " "))
			if len(x) != len(y) || shared(x, y) < len(x) {
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

package model

import (
	"regexp"
	"slices"
	"strings"
)

// kinship are the words after which a name is the name of that person.
// They are stems, with "neighbour" and its like, which behave the same.
var kinship = stemSet(`daughter son child grandson granddaughter grandchild sister brother mother father mum mom dad niece
	nephew cousin aunt uncle husband wife friend neighbour neighbor doctor nurse grandmother grandfather baby carer
	caregiver daughter-in-law son-in-law girl boy granny grandma grandpa teacher priest boss partner sweetheart`)

// petWords are the same for animals.
var petWords = stemSet(`cat dog bird budgie canary parrot puppy kitten horse pony goldfish terrier spaniel collie beagle tabby`)

// notNames are capitalised words that name nobody.
var notNames = stemSet(`I monday tuesday wednesday thursday friday saturday sunday january february march april may june
	july august september october november december christmas easter thanksgiving god lord hello hi yes no oh well
	naiber ai good mr mrs ms dr doctor nurse mum mom dad grandma grandpa english bible tv hm mm thanks goodbye bye ok
	and but so she he they we you it the my`)

// A named is somebody or something with a name, found in what a person said.
type named struct {
	name string // "Helen"
	role string // "daughter", as spoken; empty when nothing tells
	pet  bool
}

// label is how a topic or a sentence speaks of it: "daughter Helen".
func (n named) label() string {
	if n.role == "" {
		return n.name
	}
	return n.role + " " + n.name
}

// namesIn finds proper names: a capital within a sentence, a word after "called"
// or "named", or a capital at the beginning next to a word of kin. Each name
// comes once, in order, with the first role that tells something about it.
func namesIn(text string) []named {
	var out []named
	add := func(n named) {
		for i := range out {
			if out[i].name == n.name {
				if out[i].role == "" {
					out[i].role, out[i].pet = n.role, n.pet
				}
				return
			}
		}
		out = append(out, n)
	}
	for _, sentence := range sentencesOf(text) {
		for _, n := range namesInSentence(wordsOf(sentence)) {
			add(n)
		}
	}
	return out
}

func namesInSentence(words []word) []named {
	var out []named
	for i, w := range words {
		called := i > 0 && slices.Contains([]string{"called", "named"}, strings.ToLower(words[i-1].text))
		if !isName(w) || (!w.upper && !called) {
			continue
		}
		role, pet := roleBefore(words, i)
		if w.first && role == "" {
			role, pet = roleAfter(words, i)
			if role == "" && !knownName(w.text) {
				continue
			}
		}
		name := upperFirst(w.text)
		if i > 0 && honorific(words[i-1].text) {
			name = words[i-1].text + abbreviation(words[i-1].text) + " " + name
		}
		if n := len(out); n > 0 && w.near && role == "" && i > 0 && lastWord(out[n-1].name) == upperFirst(words[i-1].text) {
			out[n-1].name += " " + name // a first and a second name
			continue
		}
		out = append(out, named{name: name, role: role, pet: pet})
	}
	return out
}

// honorific reports whether a word is part of how a person is addressed.
func honorific(s string) bool {
	return slices.Contains([]string{"Mr", "Mrs", "Ms", "Miss", "Dr", "Father", "Sister", "Auntie", "Aunt", "Uncle", "Doña", "Don", "Reverend"}, s)
}

// abbreviation is the full stop after a title that has one.
func abbreviation(title string) string {
	if slices.Contains(titles, title) {
		return "."
	}
	return ""
}

func isName(w word) bool {
	if len(w.text) < 2 || stopWords[w.stem] || notNames[w.stem] || strings.ContainsAny(w.text, "0123456789'’") {
		return false
	}
	return !kinship[w.stem] && !petWords[w.stem] && !honorific(w.text) && strings.ToUpper(w.text) != w.text
}

// roleBefore looks for a role shortly before the name at i: "my daughter
// Helen", "my son is called Tom", "our cat, Whiskers".
func roleBefore(words []word, i int) (role string, pet bool) {
	for back := 1; back <= 4 && i-back >= 0; back++ {
		w := words[i-back]
		switch {
		case kinship[w.stem]:
			return strings.ToLower(w.text), false
		case petWords[w.stem]:
			return strings.ToLower(w.text), true
		case back == 1 && isName(w) && w.upper:
			return "", false // a second name: "Helen Moore"
		}
		if link := strings.ToLower(w.text); !slices.Contains([]string{"is", "called", "named", "name", "was", "dear", "little", "old"}, link) {
			return "", false
		}
	}
	return "", false
}

// roleAfter looks for a role after the name: "Helen, my daughter", "Biscuit is
// my dog".
func roleAfter(words []word, i int) (role string, pet bool) {
	my := false
	for ahead := 1; ahead <= 4 && i+ahead < len(words); ahead++ {
		w := words[i+ahead]
		switch {
		case my && kinship[w.stem]:
			return strings.ToLower(w.text), false
		case my && petWords[w.stem]:
			return strings.ToLower(w.text), true
		}
		my = my || slices.Contains([]string{"my", "our", "the", "a"}, strings.ToLower(w.text))
	}
	return "", false
}

// commonNames are first names that are names also at the head of a sentence.
var commonNames = stemSet(`Helen Margaret Walter Rosa Mary John Peter Tom Thomas Anna Anne Ann Frank George Harold Edith
	Arthur June Ruth Doris Dorothy Betty Susan Linda Karen Carol Nancy Lucia Maria Carmen Elena Sofia Miguel Carlos Jose
	Luis David Michael James Robert William Richard Charles Joe Joseph Daniel Paul Mark Steven Kevin Brian Emma Emily
	Sarah Jessica Laura Julia Julie Claire Kate Katie Alice Ellen Eileen Irene Martha Bernice Gladys Evelyn Florence
	Henry Jack Sam Ben Oliver Lucas Noah Liam Sophie Grace Rose Lily Daisy Bill Bob Jim Mike Dave Pat Patrick Sean Fiona
	Whiskers Biscuit Rex Buddy Max Bella Fluffy Ted Stan Ernie Norman Ray Earl Vera Hazel Ivy Joan Jean Janet Judy Lois
	Gloria Teresa Ana Pedro Juan Diego Isabel Leo Felix Oscar Clara Nora`)

func knownName(s string) bool { return commonNames[stemOf(s)] }

var (
	nameLabel  = regexp.MustCompile(`(?m)^\W*(?i:preferred name|name|person|elder|likes to be called|called)\s*[:=]\s*"?([A-Z][\p{L}'-]+\.?(?: [A-Z][\p{L}'-]+)?)`)
	nameProse  = regexp.MustCompile(`(?i:(?:speaking|talking|speak|talk|conversation|call) (?:with|to)|phone now with|likes to be called|goes by|address (?:her|him|them) as) "?([A-Z][\p{L}'-]+\.?(?: [A-Z][\p{L}'-]+)?)`)
	notAPerson = regexp.MustCompile(`^(?:The|An?|You|Your|Someone|This|That|Elderly|Older|I|Unknown|Caller|Their|Her|His|Them|Him)\b`)
)

// personNames reads from a system prompt what the person is called: first as
// they like to be called, then every other form that the prompt gives.
func personNames(system string) []string {
	var out []string
	for _, re := range []*regexp.Regexp{nameProse, nameLabel} {
		for _, m := range re.FindAllStringSubmatch(system, -1) {
			if notAPerson.MatchString(m[1]) {
				continue
			}
			name := calledBy(m[1])
			switch lower := strings.ToLower(m[0]); {
			case slices.Contains(out, name):
			case strings.Contains(lower, "prefer") || strings.Contains(lower, "likes to be"):
				out = slices.Insert(out, 0, name)
			default:
				out = append(out, name)
			}
		}
	}
	return out
}

// preferredName is the first of [personNames], or "".
func preferredName(system string) string {
	if names := personNames(system); len(names) > 0 {
		return names[0]
	}
	return ""
}

// calledBy is the first name of a full one, but the whole of one that begins
// with a title.
func calledBy(full string) string {
	first, _, _ := strings.Cut(full, " ")
	if honorific(strings.TrimSuffix(first, ".")) {
		return strings.TrimSuffix(full, "'s")
	}
	return strings.TrimSuffix(strings.TrimSuffix(first, "."), "'s")
}

// toYou maps the words of someone who speaks of themselves to those of someone
// who speaks to them.
var toYou = map[string]string{
	"i": "you", "i'm": "you're", "i've": "you've", "i'll": "you'll", "i'd": "you'd", "my": "your", "mine": "yours",
	"me": "you", "myself": "yourself", "am": "are", "we": "you", "we're": "you're", "we've": "you've", "we'll": "you'll",
	"our": "your", "ours": "yours", "us": "you",
}

// ofThem are the words for somebody who was named before, as [aboutPerson] writes
// them.
var ofThem = map[string]string{
	"they": "you", "they're": "you're", "their": "your", "theirs": "yours", "them": "you", "themselves": "yourself", "her": "your", "his": "your",
}

// secondPerson turns a sentence by or about the person into one that can be
// said to them: "My daughter visits" and "Margaret's daughter visits" become
// "your daughter visits". It reports whether it saw the person in it.
func secondPerson(sentence string, names []string) (string, bool) {
	sentence = strings.TrimRight(strings.TrimSpace(sentence), ".!? ")
	fields := withoutSurname(strings.Fields(strings.ReplaceAll(sentence, "’", "'")), names)
	about, third := false, false // the person is in it; as "she" or by name
	for i, f := range fields {
		core := strings.Trim(f, `,;:"()`)
		lower := strings.ToLower(core)
		var to string
		var verb bool
		switch {
		case toYou[lower] != "":
			to, verb = toYou[lower], lower == "i" || lower == "we"
		case slices.Contains(names, core), i == 0 && (lower == "she" || lower == "he"):
			to, verb = "you", true
		case third && ofThem[lower] != "":
			to = ofThem[lower]
		case slices.Contains(names, strings.TrimSuffix(core, "'s")), i == 0 && (lower == "her" || lower == "his"):
			to = "your"
		default:
			continue
		}
		about, third = true, third || toYou[lower] == ""
		fields[i] = strings.Replace(f, core, to, 1)
		if verb && i+1 < len(fields) {
			fields[i+1] = verbForYou(fields[i+1], lower != "i" && lower != "we")
		}
	}
	if len(fields) == 0 {
		return "", false
	}
	if w := wordsOf(fields[0]); len(w) > 0 && (about && toLowerFirst(w[0])) {
		fields[0] = lowerFirst(fields[0])
	}
	return strings.Join(fields, " "), about
}

// withoutSurname drops a second name after the person's own: "Margaret Ellis's"
// becomes "Margaret's".
func withoutSurname(fields, names []string) []string {
	for i := 0; i+1 < len(fields); i++ {
		next := fields[i+1]
		if !slices.Contains(names, fields[i]) || next[0] < 'A' || next[0] > 'Z' || next == "I" || strings.HasPrefix(next, "I'") {
			continue
		}
		if strings.HasSuffix(next, "'s") {
			fields[i] += "'s"
		}
		return slices.Delete(fields, i+1, i+2)
	}
	return fields
}

// toLowerFirst reports whether a word that opens a sentence loses its capital
// when the sentence becomes a clause.
func toLowerFirst(w word) bool { return !isName(w) || !knownName(w.text) }

// verbForYou turns the verb after the subject into the one for "you". third
// says that it was in the third person.
func verbForYou(verb string, third bool) string {
	switch strings.ToLower(verb) {
	case "is", "am":
		return "are"
	case "was":
		return "were"
	case "has":
		return "have"
	case "does":
		return "do"
	case "doesn't":
		return "don't"
	case "isn't":
		return "aren't"
	case "wasn't":
		return "weren't"
	}
	if !third || len(verb) < 3 || strings.HasSuffix(verb, "ss") || !strings.HasSuffix(verb, "s") || strings.Contains(verb, "'") {
		return verb
	}
	if base, ok := strings.CutSuffix(verb, "ies"); ok {
		return base + "y"
	}
	for _, end := range []string{"shes", "ches", "xes", "sses", "oes"} {
		if strings.HasSuffix(verb, end) {
			return verb[:len(verb)-2]
		}
	}
	return verb[:len(verb)-1]
}

package english

import (
	"regexp"
	"slices"
	"strings"
)

// Sense is whether something is said to be true.
type Sense int

// The senses.
const (
	Affirmed Sense = iota // "I have a cat"
	Open                  // neither: "I hate cats", or a question that got no answer
	Denied                // "I have no cat"
	Ended                 // "I stopped smoking": true before, not now
)

var (
	denies = regexp.MustCompile(`\b(?:no|not|never|nobody|none|nothing|nowhere|neither|nor|without|hardly|barely|cannot)\b|n't\b`)
	isOver = regexp.MustCompile(`\b(?:no longer|any ?more|stopped|quit|used to|(?:gave|given) up)\b`)
	// leans matches words whose content may be told with or without a "not": a person who hates
	// coffee does not like it, and one who cannot sleep has trouble with it.
	leans = regexp.MustCompile(`\b(?:hat(?:es?|ed)|dislik\w+|avoid\w*|refus\w+|lack\w*|lost|lose|gone|miss\w*|forg[eo]t\w*|skip\w*|fail\w*|trouble|difficult\w*|hard|bad|badly|poorly|worse|struggl\w+|unable|impossible|forb\w+|allergic|alone|lonely|only|just|too|until|till|last|stop|stops|retired?|widow\w*|died|dead|left|sold|broken?|broke|cancel\w*|ran out|afraid|worr\w+|doubt\w*|instead|rather|except|little|few|seldom|rarely)\b|\b(?:gave|given) away\b`)
	// harmless matches denials that deny nothing.
	harmless = regexp.MustCompile(`\b(?:not (?:only|just|least|bad|long ago|far)|no (?:doubt|wonder|problem|matter|more than|less than|later than)|nothing but|(?:can't|couldn't|cannot) (?:wait|complain|help|be (?:better|happier)|get enough)|never (?:better|miss(?:es|ed)?|forgets?|forgot|without)|(?:not|can't (?:do|be|go|manage|live)) without|(?:been|felt) better|(?:don't|doesn't|didn't|wouldn't) (?:mind|forget)|why (?:don't|not)|(?:haven't|didn't|don't) (?:i )?(?:ever )?(?:tell|told|mention|mentioned)|(?:i )?don't know what i'd do)\b`)
	answerNo = regexp.MustCompile(`^(?:(?:oh|well|ah)[ ,]+)*no[,;:.! ]+(?:i|i'm|i've|he|she|it|we|they|my|there|that)\b`)
	// clauseCut matches where the scope of a denial ends; listCut matches where a list may continue
	// it.
	clauseCut = regexp.MustCompile(`[;:()–—]| - |\b(?:but|because|since|so|though|although|while|whereas|when|if|unless|except|just|only)\b`)
	listCut   = regexp.MustCompile(`,|\band\b`)
	someone   = regexp.MustCompile(`\b(?:i|you|he|she|it|we|they|who|that|there|this)\b`)
)

// verb matches the beginning of a sentence's predicate.
var verb = regexp.MustCompile(`(?i)\b(?:is|are|was|were|has|have|had|will|would|can|could|does|did|do|lives?|lived|likes?|liked|loves?|loved|takes?|took|works?|worked|comes?|came|goes|went|visits?|visited|wants?|needs?|feels?|felt|got|gets|plans?|stopped|stops|gave|died|moved|moves|no longer|never|not|sleeps?|slept|enjoys?|plays?|played|wakes?|eats?|drinks?|hates?|worries|used|bought|sold|said|calls?|rings?|started|broke|fell|looks?|cares?|helps?|keeps?|grows?|makes?|cooks?|reads?|walks?|because|since|who|when|while)\b`)

// CutSubject cuts a sentence before its verb. If it has no known verb, found is false, and subject
// is the whole sentence.
func CutSubject(sentence string) (subject, predicate string, found bool) {
	at := verb.FindStringIndex(sentence)
	if at == nil {
		return sentence, "", false
	}
	return sentence[:at[0]], sentence[at[0]:], true
}

// Denies reports whether a text says of anything that it is not so, or no longer.
func Denies(text string) bool {
	text = Lower(text)
	return denies.MatchString(text) || anyMore.MatchString(text)
}

var anyMore = regexp.MustCompile(`\bany ?more\b`)

// Clause is a part of a sentence with one sense.
type Clause struct {
	Words []string // the stems of its content, without the words of denial
	Sense Sense
	Past  bool
	Leans []string // the stems of words whose content may be told with or without a "not"
}

// Clauses cuts a text into parts, each with its own sense.
func Clauses(text string) []Clause {
	var out []Clause
	for _, sentence := range Sentences(Lower(text)) {
		sentence = harmless.ReplaceAllString(strings.ReplaceAll(sentence, "cannot", "can't"), " ")
		if m := answerNo.FindString(sentence); m != "" { // "No, I have two" denies the question
			sentence = sentence[strings.LastIndexAny(m, ",;:.! ")+1:]
		}
		for _, part := range cutBefore(sentence, clauseCut) {
			before := Affirmed
			for i, piece := range cutBefore(part, listCut) {
				c := Clause{Words: stated(piece), Sense: senseOf(piece), Past: isPast(piece), Leans: Content(strings.Join(leans.FindAllString(piece, -1), " "))}
				subject, _, found := CutSubject(piece)
				own := someone.MatchString(piece) || found && strings.TrimSpace(subject) != ""
				if i > 0 && !own && c.Sense == Affirmed { // "no tea, coffee or milk"
					c.Sense = before
				}
				if len(c.Words) > 0 {
					before = c.Sense
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// cutBefore cuts s before each match.
func cutBefore(s string, at *regexp.Regexp) []string {
	var out []string
	start := 0
	for _, m := range at.FindAllStringIndex(s, -1) {
		out = append(out, s[start:m[0]])
		start = m[0]
	}
	return append(out, s[start:])
}

// senseOf returns the sense of a part of a sentence.
func senseOf(text string) Sense {
	switch over, denied := isOver.MatchString(text), denies.MatchString(text); {
	case (over || denied) && strings.Contains(text, "until"): // "not until Monday" means on Monday
		return Open
	case over:
		return Ended
	case denied:
		return Denied
	case leans.MatchString(text):
		return Open
	default:
		return Affirmed
	}
}

// isPast reports whether a part of a sentence describes the past.
func isPast(text string) bool {
	words := Words(text)
	return slices.ContainsFunc(words, func(w string) bool { return pastWords[w] || len(w) > 4 && strings.HasSuffix(w, "ed") }) &&
		!slices.ContainsFunc(words, func(w string) bool { return nowWords[w] })
}

var (
	nowWords  = Set("is are am has have i'm i've")
	pastWords = Set(`was were had did came went saw fell slept ate took bought brought grew left met made broke gave sold lost
		died won taught kept felt began sang drove ran knew wrote spoke told said built rode wore held spent swam led fought flew`)
)

// stated returns the stems of a text's content, without the words of denial.
func stated(text string) []string {
	return Content(denies.ReplaceAllString(isOver.ReplaceAllString(text, " "), " "))
}

// The beginnings of answers that say no, or yes.
var (
	saysNo  = regexp.MustCompile(`^(?:(?:oh|well|ah|er|um|hm+|sadly|i'm afraid|unfortunately|of course|certainly|absolutely)[ ,]+)*(?:no|nope|nah|not|never|none|neither|hardly|(?:i|we|he|she|it|they|there) (?:\w+n't|(?:\w+ )?not|cannot|never)|(?:i'm|it's|he's|she's|they're|we're) not)\b`)
	saysYes = regexp.MustCompile(`^(?:(?:oh|well|ah|er|um|hm+|of course|certainly)[ ,]+)*(?:yes|yeah|yep|aye|indeed|right|of course|certainly|sure|(?:i|we|he|she|it|they) (?:do|does|did|am|is|are|was|were|have|has|can|will))\b`)
)

// Answer returns the sense that an answer gives to its question.
func Answer(text string) Sense {
	text = strings.TrimSpace(harmless.ReplaceAllString(Lower(text), " "))
	switch {
	case saysNo.MatchString(text): // first: "of course not"
		return Denied
	case saysYes.MatchString(text):
		return Affirmed
	default:
		return Open
	}
}

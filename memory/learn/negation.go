package learn

import (
	"regexp"
	"strings"
)

// sense is whether something is said to be so. The rules are those of English.
type sense int

const (
	plainly sense = iota // "I have a cat"
	partly               // neither: "I hate cats", or a question that got no answer
	denying              // "I have no cat"
	ended                // "I stopped smoking": so before, not now
)

var (
	denies = regexp.MustCompile(`\b(?:no|not|never|nobody|none|nothing|nowhere|neither|nor|without|hardly|barely)\b|n't\b`)
	isOver = regexp.MustCompile(`\b(?:no longer|any ?more|stopped|quit|used to|(?:gave|given) up)\b`)
	// leans is what may be told with or without a "not": who hates coffee does not
	// like it, and who cannot sleep has trouble with it.
	leans = regexp.MustCompile(`\b(?:hat(?:es?|ed)|dislik\w+|avoid\w*|refus\w+|lack\w*|lost|lose|gone|miss\w*|forg[eo]t\w*|skip\w*|fail\w*|trouble|difficult\w*|hard|bad|badly|poorly|worse|struggl\w+|unable|impossible|forb\w+|allergic|alone|lonely|only|just|too|until|till|last|stop|stops|retired?|widow\w*|died|dead|left|sold|broken?|broke|cancel\w*|ran out|afraid|worr\w+|doubt\w*|instead|rather|except|little|few|seldom|rarely)\b|\b(?:gave|given) away\b`)
	// harmless are denials that deny nothing.
	harmless = regexp.MustCompile(`\b(?:not (?:only|just|least|bad|long ago|far)|no (?:doubt|wonder|problem|matter|more than|less than|later than)|nothing but|(?:can't|couldn't|cannot) (?:wait|complain|help|be (?:better|happier)|get enough)|never (?:better|miss(?:es|ed)?|forgets?|forgot|without)|(?:not|can't (?:do|be|go|manage|live)) without|(?:been|felt) better|(?:don't|doesn't|didn't|wouldn't) (?:mind|forget)|why (?:don't|not)|(?:haven't|didn't|don't) (?:i )?(?:ever )?(?:tell|told|mention|mentioned)|(?:i )?don't know what i'd do)\b`)
	answerNo = regexp.MustCompile(`^(?:(?:oh|well|ah)[ ,]+)*no[,;:.! ]+(?:i|i'm|i've|he|she|it|we|they|my|there|that)\b`)
	// clauseCut ends what a denial reaches; listCut may only go on with a list.
	clauseCut = regexp.MustCompile(`[;:()–—]| - |\b(?:but|because|since|so|though|although|while|whereas|when|if|unless|except|just|only)\b`)
	listCut   = regexp.MustCompile(`,|\band\b`)
	subject   = regexp.MustCompile(`\b(?:i|you|he|she|it|we|they|who|that|there|this)\b`)
)

// clause is a part of a sentence that a denial reaches over.
type clause struct {
	words []string // their roots
	sense sense
	past  bool
	leans []string // the roots of what leans
}

// clauses cuts a text into parts that are each said to be so or not.
func clauses(text string) []clause {
	var out []clause
	for _, sentence := range sentences(straight(text)) {
		sentence = harmless.ReplaceAllString(strings.ReplaceAll(sentence, "cannot", "can't"), " ")
		if m := answerNo.FindString(sentence); m != "" { // "No, I have two" denies what was asked
			sentence = sentence[strings.LastIndexAny(m, ",;:.! ")+1:]
		}
		for _, part := range cut(sentence, clauseCut) {
			before := plainly
			for i, piece := range cut(part, listCut) {
				c := clause{words: wordsOf(piece), sense: senseOf(piece), past: isPast(piece), leans: telling(strings.Join(leans.FindAllString(piece, -1), " "))}
				at := verb.FindStringIndex(piece)
				own := subject.MatchString(piece) || at != nil && strings.TrimSpace(piece[:at[0]]) != ""
				if i > 0 && !own && c.sense == plainly { // "no tea, coffee or milk"
					c.sense = before
				}
				if len(c.words) > 0 {
					before = c.sense
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// cut cuts s before each match.
func cut(s string, at *regexp.Regexp) []string {
	var out []string
	begin := 0
	for _, m := range at.FindAllStringIndex(s, -1) {
		out = append(out, s[begin:m[0]])
		begin = m[0]
	}
	return append(out, s[begin:])
}

// straight is a text in lower case with straight apostrophes.
func straight(text string) string { return strings.ToLower(strings.ReplaceAll(text, "’", "'")) }

// senseOf is how a part of a sentence says what it says.
func senseOf(text string) sense {
	switch over, denied := isOver.MatchString(text), denies.MatchString(text); {
	case (over || denied) && strings.Contains(text, "until"): // "not until Monday" is on Monday
		return partly
	case over:
		return ended
	case denied:
		return denying
	case leans.MatchString(text):
		return partly
	default:
		return plainly
	}
}

// isPast reports whether a part of a sentence tells what was.
func isPast(text string) bool {
	now := false
	past := false
	for _, w := range tokens(text) {
		switch w {
		case "is", "are", "am", "has", "have", "i'm", "i've":
			now = true
		}
		past = past || pastWords[w] || len(w) > 4 && strings.HasSuffix(w, "ed")
	}
	return past && !now
}

var pastWords = wordSet(`was were had did came went saw fell slept ate took bought brought grew left met made broke gave sold lost
	died won taught kept felt began sang drove ran knew wrote spoke told said built rode wore held spent swam led fought flew`)

// wordsOf are the roots of what a text says, without what only says whether.
func wordsOf(text string) []string {
	return telling(denies.ReplaceAllString(isOver.ReplaceAllString(text, " "), " "))
}

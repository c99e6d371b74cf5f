package english

import "regexp"

// tense is the time to which a statement refers.
type tense int

const (
	unsaid   tense = iota // a simple present, perhaps a habit
	past                  // in the past
	toCome                // in the future
	doubtful              // either, or again and again
)

// The words by which a clause shows its tense. They are in lower case: Will and Fred are people.
var (
	wasThen = regexp.MustCompile(`\b(?:was|were|had|did|(?:was|were|had|did)n['’]t)\b`)
	present = regexp.MustCompile(`\b(?:is|are|am|has|have|does|do|stays?|(?:is|are|has|have|does|do)n['’]t)\b`)

	// happened matches verbs that can only be past: "fried" is not among them, as in "fried fish".
	happened = regexp.MustCompile(`\b(?:came|went|fell|left|saw|got|gave|took|made|found|broke|brought|bought|built|caught|chose|drank|drove|ate|felt|flew|forgot|grew|held|kept|knew|lost|met|paid|rang|ran|rode|sang|sat|sold|sent|slept|spoke|spent|stood|swam|taught|threw|woke|won|wore|began|became|dug|fed|fought|hung|shook|slid|stole|swept|tore|wept|` +
		`called|visited|phoned|telephoned|stayed|moved|died|arrived|returned|started|stopped|ended|finished|happened|helped|walked|talked|played|worked|dropped|picked|turned|fainted|tripped|slipped|stumbled|collapsed|landed|celebrated|travelled|traveled|attended|joined|opened|closed|delivered|repaired|fixed|mended|watched|listened|looked|tried|enjoyed|noticed|received|changed|cleaned|washed|planted|harvested|fetched|collected|signed|posted|married|voted|ordered|buried|missed|cried|laughed|danced|mowed)\b`)

	// isToBe matches the ways in which English refers to the future, except for the simple present:
	// "comes on Monday" may mean every Monday.
	isToBe = regexp.MustCompile(`\b(?:will|won['’]t|shall|going to|gonna|about to|must|(?:plans?|hopes?|wants?|intends?|needs?|has|have|is|are) to)\b|['’]ll\b|` +
		`(?:\b(?:is|are|am)|\b(?:he|she|it|they|who)['’](?:s|re)) (?:(?:also|not|probably|all|both) )?(?:coming|going|leaving|arriving|visiting|starting|flying|driving|travell?ing|returning|moving|seeing|meeting|having|bringing|staying|due|expected|planned|scheduled|booked|supposed)\b`)
	// testament matches a will that is a thing: "she signed her will".
	testament = regexp.MustCompile(`\b(my|your|his|her|our|their|the|a) will\b`)
	appointed = regexp.MustCompile(`\b(?:appointment|operation|surgery|check-?up)\b`)

	// unsettled matches words of habit, of reported speech, and of intentions.
	unsettled = regexp.MustCompile(`\b(?:used to|would|every|each|most|usually|often|always|never|sometimes|normally|mostly|regularly|whenever|says|said|tells?|told|heard|thinks?|thought|wrote|mentioned|agreed|promised|decided|wanted|asked|invited|arranged|ordered|offered|hoped|supposed to have|(?:should|could|might|may|must) have)\b`)
)

// tenseOf returns the tense of a clause.
func tenseOf(clause string) tense {
	clause = testament.ReplaceAllString(clause, "$1")
	was, is, will := wasThen.MatchString(clause), present.MatchString(clause), isToBe.MatchString(clause)
	switch {
	case unsettled.MatchString(clause), was && (is || will):
		return doubtful
	case will, is && appointed.MatchString(clause):
		return toCome
	case was, !is && happened.MatchString(clause):
		return past
	default:
		return unsaid
	}
}

var (
	// border matches the separators of clauses. A title's full stop is not one.
	border = regexp.MustCompile(`\b(?:Dr|Mrs?|Ms|St)\.|([.,;:!?–—]|\b(?:and|but|because|so|when|while|although|though|who|which|that|where)\b)`)
	letter = regexp.MustCompile(`\pL`)
	// dayWords matches words that by themselves say nothing about a day.
	dayWords = regexp.MustCompile(`(?i)\b(?:then|again|on|also|` + weekdayNames + `)\b`)
)

// clauseAt returns the clause around a phrase, without the phrase, and its tense. A phrase on its
// own belongs to the clause before it, or else to the one after it: "on Friday, and on Monday, he
// came".
func clauseAt(text string, from, to int) (string, tense) {
	before, after := []string{""}, []string{}
	start := 0
	for _, b := range border.FindAllStringSubmatchIndex(text, -1) {
		if b[2] < 0 {
			continue
		}
		if b[1] <= from {
			before = append(before[:len(before)-1], text[start:b[0]], "")
			start = b[1]
		} else if b[0] >= to {
			after = append(after, text[to:b[0]])
			to = b[1]
		}
	}
	before[len(before)-1] = text[start:from]
	after = append(after, text[to:])
	own := before[len(before)-1] + " " + after[0]
	if letter.MatchString(dayWords.ReplaceAllString(own, "")) {
		return own, tenseOf(own)
	}
	for i := len(before) - 2; i >= 0; i-- {
		if letter.MatchString(before[i]) {
			return before[i], tenseOf(before[i])
		}
	}
	if len(after) > 1 {
		return after[1], tenseOf(after[1])
	}
	return own, unsaid
}

package memory

import (
	"strings"
	"unicode"
)

// framing are words that make a question of what is asked for: "what did I tell
// you about …", "how long …", "is she still …". The dictionary takes them for
// words like others, so that a chat about talking would answer all of them.
var framing = set(`again also called day days ever exactly get gets getting go goes going gone got happen happened
	happening happens kind know known long many mention mentioned much name named now often remember said say saying
	says sort speak speaking spoke still talk talked talking tell telling tells thing things time told went year years`)

// gist is a question without its framing, where that leaves anything. It knows
// English; in other languages the question stays as it is.
func gist(question, config string) string {
	if config != "english" {
		return question
	}
	return without(question, framing)
}

// nameless is a question without the person's own name, where that leaves
// anything: it stands in all of their memory, and tells nothing apart.
func nameless(question, name string) string {
	own := map[string]bool{}
	for _, w := range strings.FieldsFunc(name, betweenWords) {
		own[strings.ToLower(w)] = true
	}
	return without(question, own)
}

// without takes words out of a text, with the possessive that they may have.
func without(text string, words map[string]bool) string {
	var kept []string
	left := false
	for w := range strings.FieldsSeq(text) {
		bare := strings.ToLower(strings.TrimFunc(w, betweenWords))
		bare = strings.TrimSuffix(strings.TrimSuffix(bare, "'s"), "’s")
		if words[bare] {
			left = true
			continue
		}
		kept = append(kept, w)
	}
	if !left || len(kept) == 0 {
		return text
	}
	return strings.Join(kept, " ")
}

func betweenWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

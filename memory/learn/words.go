package learn

import (
	"strings"
	"unicode"
)

// plainWords say nothing by themselves. What a model adds for a sentence's sake is
// among them.
var plainWords = wordSet(`a about after again all also am an and any are as at be because been before but by can could did do
	does doing done for from get gets getting go goes going got had has have having he her hers him his how i if in into is it
	its just me more most my no not now of off on one or our out over really she so some that the their them then there they
	this those to too two up us very was we well went were what when where which while who will with would yes you your
	person says said told tells called named name currently usually often sometimes always recently still every each
	feels feel feeling likes like enjoys loves wants want plans plan own owns lives live being new old much many
	mr mrs ms dr`)

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// tokens are the words of s in lower case, without possessives.
func tokens(s string) []string {
	var out []string
	for w := range strings.FieldsFuncSeq(strings.ToLower(strings.ReplaceAll(s, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	}) {
		if w = strings.TrimSuffix(strings.Trim(w, "'"), "'s"); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// telling are the stems of the words in s that say something, each once.
func telling(s string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range tokens(s) {
		if plainWords[w] || strings.Contains(w, "'") {
			continue
		}
		if w = root(w); !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// root takes the commonest endings off a word, so that "visits" meets
// "visiting". It is meant for meeting, not for reading.
func root(w string) string {
	if r := irregular[w]; r != "" {
		w = r
	}
	for _, end := range []string{"ing", "ies", "ied", "es", "ed", "s", "e", "y"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 3 {
			if n := len(rest); n > 3 && rest[n-1] == rest[n-2] && end != "s" && end != "e" { // "stopped" and "stop"
				rest = rest[:n-1]
			}
			return rest
		}
	}
	return w
}

// irregular maps forms that no ending leads from.
var irregular = map[string]string{
	"came": "come", "went": "go", "saw": "see", "seen": "see", "fell": "fall", "fallen": "fall", "slept": "sleep", "ate": "eat",
	"took": "take", "taken": "take", "bought": "buy", "brought": "bring", "grew": "grow", "grown": "grow", "left": "leave",
	"met": "meet", "made": "make", "broke": "break", "broken": "break", "gave": "give", "given": "give", "sold": "sell",
	"children": "child", "grandchildren": "grandchild", "lost": "lose", "died": "die", "dying": "die", "dead": "die", "won": "win",
	"taught": "teach", "kept": "keep", "felt": "feel", "began": "begin", "begun": "begin", "sang": "sing", "drove": "drive",
	"mum": "mother", "mom": "mother", "dad": "father", "telly": "television", "grandma": "grandmother", "grandpa": "grandfather",
}

// alike reports whether two roots are of one word: the same, or one begins as
// the other does for all but its end.
func alike(a, b string) bool {
	if a == b {
		return true
	}
	n := min(len(a), len(b))
	return n >= 5 && a[:n-1] == b[:n-1] || n >= 4 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) && max(len(a), len(b))-n <= 3
}

// support is the share of the telling words of a sentence that stand in a text,
// from 0 to 1; 1 where it has none.
func support(sentence, text string) float64 {
	want := telling(sentence)
	if len(want) == 0 {
		return 1
	}
	have := telling(text)
	met := 0
	for _, w := range want {
		if has(have, w) {
			met++
		}
	}
	return float64(met) / float64(len(want))
}

func has(list []string, w string) bool {
	for _, h := range list {
		if alike(h, w) {
			return true
		}
	}
	return false
}

// shared counts the words that two lists of roots have in common.
func shared(a, b []string) int {
	n := 0
	for _, w := range a {
		if has(b, w) {
			n++
		}
	}
	return n
}

// namesIn are the words of s that are written with a capital and do not open a
// sentence, and the numbers, in lower case without possessives.
func namesIn(s string) (names, numbers []string) {
	first := true
	for raw := range strings.FieldsSeq(s) {
		w := strings.TrimFunc(raw, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		if w == "" {
			continue
		}
		r := []rune(w)[0]
		switch {
		case unicode.IsDigit(r):
			numbers = append(numbers, strings.ToLower(w))
		case unicode.IsUpper(r) && !first && w != "I" && !strings.HasPrefix(w, "I'") && !strings.HasPrefix(w, "I’"):
			names = append(names, strings.ToLower(w))
		}
		first = strings.HasSuffix(raw, ".") || strings.HasSuffix(raw, "!") || strings.HasSuffix(raw, "?")
	}
	return names, numbers
}

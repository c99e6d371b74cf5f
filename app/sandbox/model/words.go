package model

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is one token of text as it was written, and its stem.
type word struct {
	text  string // as written, without the possessive
	stem  string
	first bool // opens its sentence
	upper bool // begins with a capital
	near  bool // only a space lies between it and the word before
}

// wordsOf splits text into words. Apostrophes within a word stay, except a
// possessive, which is cut; digits count as letters.
func wordsOf(text string) []word {
	out := make([]word, 0, len(text)/5+1)
	first, near := true, false
	start := -1
	flush := func(end int) {
		if start < 0 {
			return
		}
		raw := strings.Trim(text[start:end], "'’-")
		start = -1
		raw = strings.TrimSuffix(strings.TrimSuffix(raw, "'s"), "’s")
		if raw == "" {
			return
		}
		r, _ := utf8.DecodeRuneInString(raw)
		out = append(out, word{text: raw, stem: stemOf(raw), first: first, upper: unicode.IsUpper(r), near: near && !first})
		first, near = false, true
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '’' || r == '-':
			if start < 0 {
				start = i
			}
		default:
			flush(i)
			near = near && (r == ' ' || r == '.')
			if strings.ContainsRune(".!?\n\"“:", r) && !endsWithTitle(text[:i]) {
				first = true
			}
		}
	}
	flush(len(text))
	return out
}

// stemsOf returns the stems of text in order.
func stemsOf(text string) []string {
	words := wordsOf(text)
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.stem
	}
	return out
}

// irregular maps forms that no rule reaches to the word they belong to.
var irregular = map[string]string{
	"came": "come", "went": "go", "gone": "go", "saw": "see", "seen": "see", "fell": "fall", "fallen": "fall",
	"slept": "sleep", "ate": "eat", "eaten": "eat", "children": "child", "grandchildren": "grandchild",
	"feet": "foot", "teeth": "tooth", "told": "tell", "felt": "feel", "took": "take", "taken": "take",
	"bought": "buy", "brought": "bring", "thought": "think", "knew": "know", "known": "know", "grew": "grow",
	"grown": "grow", "wrote": "write", "written": "write", "sang": "sing", "sung": "sing", "lost": "lose",
	"left": "leave", "met": "meet", "made": "make", "spoke": "speak", "spoken": "speak", "said": "say",
	"heard": "hear", "broke": "break", "broken": "break", "rang": "ring", "rung": "ring", "woke": "wake",
	"woken": "wake", "drank": "drink", "wives": "wife", "knives": "knife", "leaves": "leaf", "better": "better",
	"worse": "worse", "dying": "die", "died": "die", "dies": "die", "lying": "lie", "buried": "bury", "ached": "ache",
	"aches": "ache", "is": "be", "are": "be", "was": "be", "were": "be", "been": "be", "am": "be", "has": "have",
	"had": "have", "does": "do", "did": "do", "done": "do", "mice": "mouse", "men": "man", "women": "woman",
	"shone": "shine", "froze": "freeze", "frozen": "freeze", "fed": "feed", "dug": "dig", "taught": "teach",
	"outing": "outing", "hearing": "hearing", "pleased": "pleased", "us": "us", "yes": "yes", "this": "this", "news": "news", "always": "always", "bus": "bus", "his": "his",
	"during": "during", "morning": "morning", "evening": "evening", "thing": "thing", "things": "thing",
	"nothing": "nothing", "something": "something", "anything": "anything", "everything": "everything",
	"wedding": "wedding", "only": "only", "family": "family", "july": "july", "diabetes": "diabetes",
	"arthritis": "arthritis", "glasses": "glasses", "need": "need", "feed": "feed", "bed": "bed", "red": "red",
	"spring": "spring", "string": "string", "ring": "ring", "king": "king", "sing": "sing", "bring": "bring",
}

// stemOf reduces a word to what its inflected forms share: enough for English
// speech, and nothing that a reader of the lexicon would stumble over.
func stemOf(s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, "’", "'"))
	s = strings.TrimSuffix(s, "'s")
	if base, ok := irregular[s]; ok {
		s = base
		return trimFinal(s)
	}
	s = cutPlural(s)
	for _, suffix := range []string{"ing", "ed", "ly"} {
		base, ok := strings.CutSuffix(s, suffix)
		if !ok || len(base) < 3 || !strings.ContainsAny(base, "aeiouy") {
			continue
		}
		if suffix == "ed" && strings.HasSuffix(base, "i") {
			base = base[:len(base)-1] + "y"
		}
		s = undouble(base)
		break
	}
	return trimFinal(s)
}

// cutPlural takes the plural, or the third person, off a lower-case word.
func cutPlural(s string) string {
	switch {
	case len(s) < 4 || strings.HasSuffix(s, "ss") || strings.HasSuffix(s, "us"):
		return s
	case strings.HasSuffix(s, "ies"):
		return s[:len(s)-3] + "y"
	case strings.HasSuffix(s, "shes"), strings.HasSuffix(s, "ches"), strings.HasSuffix(s, "xes"), strings.HasSuffix(s, "sses"):
		return s[:len(s)-2]
	default:
		return strings.TrimSuffix(s, "s")
	}
}

// undouble turns the doubled consonant of "napping" into one.
func undouble(s string) string {
	n := len(s)
	if n >= 3 && s[n-1] == s[n-2] && !strings.ContainsRune("aeioulsz", rune(s[n-1])) {
		return s[:n-1]
	}
	return s
}

// trimFinal drops the silent e, so that "bake" and "baking" meet.
func trimFinal(s string) string {
	if len(s) > 3 && s[len(s)-1] == 'e' && s[len(s)-2] != 'e' {
		return s[:len(s)-1]
	}
	return s
}

// stopWords carry no subject of their own. The list is of stems.
var stopWords = stemSet(`a an the and or but so if then than that this these those there here i me my mine myself
	you your yours he him his she her hers it its we us our ours they them their be have do will would shall should
	can could may might must not no nor of in on at to for from with by about as into over after before up down out
	off again just very too also really quite oh well yes yeah ok okay um er uh ah mm hmm dear please some any all
	each every both few more most other such own same what when where who whom whose which why how i'm i've i'd i'll
	you're you've you'd you'll he's she's it's that's there's they're we're we've don't doesn't didn't isn't aren't
	wasn't weren't won't can't cannot couldn't wouldn't shouldn't haven't hasn't hadn't let's what's who's much many
	lot bit little got get gotten go going come tell say know think see like thing something anything now today still
	always ever never one make take want need look sort kind maybe perhaps even only ago last next back way time
	give keep put let use`)

func stemSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[stemOf(w)] = true
	}
	return set
}

// titles end with a full stop that ends no sentence.
var titles = []string{"Mr", "Mrs", "Ms", "Dr", "St", "Prof", "Jr", "Sr", "vs", "etc", "e.g", "i.e", "a.m", "p.m"}

func endsWithTitle(before string) bool {
	return slices.ContainsFunc(titles, func(t string) bool {
		rest, ok := strings.CutSuffix(before, t)
		if !ok {
			return false
		}
		r, _ := utf8.DecodeLastRuneInString(rest)
		return rest == "" || !unicode.IsLetter(r)
	})
}

// sentencesOf splits text at sentence ends and line breaks, and keeps the end
// marks. Nothing but surrounding space is lost.
func sentencesOf(text string) []string {
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	start := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			add(text[start:i])
			start = i + 1
		case '.', '!', '?':
			if text[i] == '.' && endsWithTitle(text[:i]) {
				continue
			}
			end := i + 1
			for end < len(text) && strings.IndexByte(".!?\"'", text[end]) >= 0 {
				end++
			}
			if end < len(text) && text[end] != ' ' && text[end] != '\n' {
				i = end - 1
				continue
			}
			add(text[start:end])
			start, i = end, end-1
		}
	}
	add(text[start:])
	return out
}

// bare is a sentence without case and punctuation: what makes two of them one.
func bare(s string) string {
	b := make([]byte, 0, len(s))
	space := false
	put := func(r rune) {
		if space && len(b) > 0 {
			b = append(b, ' ')
		}
		b = utf8.AppendRune(b, r)
		space = false
	}
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			put(r)
		case 'A' <= r && r <= 'Z':
			put(r + 'a' - 'A')
		case r == '\'' || r == '’':
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			put(unicode.ToLower(r))
		default:
			space = true
		}
	}
	return string(b)
}

// padded is the bare text between spaces, so that a phrase between spaces is
// found in it as whole words.
func padded(text string) string { return " " + bare(text) + " " }

// hasAny reports whether the bare form of text holds one of the phrases as
// whole words. Phrases are given bare.
func hasAny(text string, phrases ...string) bool { return paddedHas(padded(text), phrases) }

func paddedHas(padded string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool {
		for at := 0; ; at++ {
			i := strings.Index(padded[at:], p)
			if i < 0 {
				return false
			}
			at += i
			if end := at + len(p); at > 0 && padded[at-1] == ' ' && end < len(padded) && padded[end] == ' ' {
				return true
			}
		}
	})
}

// startsWithAny is like hasAny, for the beginning of text.
func startsWithAny(text string, phrases ...string) bool {
	return paddedStarts(padded(text), phrases)
}

func paddedStarts(padded string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool {
		rest, ok := strings.CutPrefix(padded[1:], p)
		return ok && strings.HasPrefix(rest, " ")
	})
}

// upperFirst writes the first letter of s as a capital.
func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// lowerFirst is the reverse, but leaves "I" and its contractions alone.
func lowerFirst(s string) string {
	if s == "I" || strings.HasPrefix(s, "I ") || strings.HasPrefix(s, "I'") {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// joinAnd joins labels as a speaker would: "a, b and c".
func joinAnd(list []string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

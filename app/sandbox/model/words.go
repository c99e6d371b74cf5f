package model

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// What is known about words stands in text files next to this one.
var (
	//go:embed irregular.txt
	irregularText string
	//go:embed stopwords.txt
	stopText string
	//go:embed lexicon.txt
	lexiconText string
)

// A word is one token of text as it was written, and its stem.
type word struct {
	text  string // without the possessive
	stem  string
	first bool // opens its sentence
	upper bool // begins with a capital
}

// wordsOf splits text into words. Apostrophes within a word stay, except a
// possessive, which is cut; digits count as letters.
func wordsOf(text string) []word {
	var out []word
	first, start := true, -1
	flush := func(end int) {
		if start < 0 {
			return
		}
		raw := strings.Trim(text[start:end], "'’-")
		start = -1
		raw = strings.TrimSuffix(strings.TrimSuffix(raw, "'s"), "’s")
		if raw != "" {
			r, _ := utf8.DecodeRuneInString(raw)
			out = append(out, word{text: raw, stem: stemOf(raw), first: first, upper: unicode.IsUpper(r)})
			first = false
		}
	}
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("'’-", r) {
			if start < 0 {
				start = i
			}
			continue
		}
		flush(i)
		first = first || strings.ContainsRune(".!?\n\"“:", r) && !endsWithTitle(text[:i])
	}
	flush(len(text))
	return out
}

// irregular maps forms that no rule reaches to the word they belong to.
var irregular = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(irregularText) {
		if base, forms, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			out[base] = base
			for form := range strings.FieldsFuncSeq(forms, func(r rune) bool { return r == ',' || r == ' ' }) {
				out[form] = base
			}
		}
	}
	return out
})

// stopWords are the stems that carry no subject of their own.
var stopWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(stopText) {
		set[stemOf(w)] = true
	}
	return set
})

// stemOf reduces a word to what its inflected forms share: enough for English
// speech, and nothing that a reader of the lexicon would stumble over.
func stemOf(s string) string {
	s = strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(s, "’", "'")), "'s")
	if base, ok := irregular()[s]; ok {
		return trimFinal(base)
	}
	s = cutPlural(s)
	for _, suffix := range []string{"ing", "ed", "ly"} {
		base, ok := strings.CutSuffix(s, suffix)
		if !ok || len(base) < 3 || !strings.ContainsAny(base, "aeiouy") {
			continue
		}
		if stem, ok := strings.CutSuffix(base, "i"); ok && suffix == "ed" {
			base = stem + "y"
		}
		if n := len(base); n >= 3 && base[n-1] == base[n-2] && !strings.ContainsRune("aeioulsz", rune(base[n-1])) {
			base = base[:n-1] // "napping"
		}
		s = base
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
	case slices.ContainsFunc([]string{"shes", "ches", "xes", "sses"}, func(end string) bool { return strings.HasSuffix(s, end) }):
		return s[:len(s)-2]
	default:
		return strings.TrimSuffix(s, "s")
	}
}

// trimFinal drops the silent e, so that "bake" and "baking" meet.
func trimFinal(s string) string {
	if len(s) > 3 && s[len(s)-1] == 'e' && s[len(s)-2] != 'e' {
		return s[:len(s)-1]
	}
	return s
}

func endsWithTitle(before string) bool {
	last := before[strings.LastIndexAny(before, " \n\"“(")+1:]
	return slices.Contains([]string{"Mr", "Mrs", "Ms", "Dr", "St", "Prof", "Jr", "Sr", "vs", "etc", "e.g", "i.e", "a.m", "p.m"}, last)
}

// sentencesOf splits text at sentence ends and line breaks, and keeps the end
// marks.
func sentencesOf(text string) []string {
	var out []string
	start := 0
	add := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\n':
			add(i)
		case strings.IndexByte(".!?", text[i]) >= 0 && (text[i] != '.' || !endsWithTitle(text[:i])):
			for i+1 < len(text) && strings.IndexByte(".!?\"'", text[i+1]) >= 0 {
				i++
			}
			if i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n' {
				add(i + 1)
			}
		}
	}
	add(len(text))
	return out
}

// bare is text without case and marks: what makes two sentences one.
func bare(s string) string {
	s = strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(s))
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// upperFirst writes the first letter of s as a capital.
func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return strings.TrimSuffix(string(unicode.ToUpper(r)), "\uFFFD") + s[n:]
}

// lowerFirst is the reverse, but leaves "I" and its contractions alone.
func lowerFirst(s string) string {
	if s == "" || s == "I" || strings.HasPrefix(s, "I ") || strings.HasPrefix(s, "I'") {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}

// A sense is one meaning of a word: what its synonyms share, and the subject
// that the meaning belongs to.
type sense struct{ meaning, category string }

// A lexicon maps words and phrases to senses. It is read-only once built.
type lexicon struct {
	words   map[string][]sense    // by stem
	phrases map[string][]lexEntry // by the stem of their first word
}

type lexEntry struct {
	stems []string
	sense sense
}

// theLexicon is the embedded file. Its lines are "category meaning: word, word".
var theLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{words: map[string][]sense{}, phrases: map[string][]lexEntry{}}
	for line := range strings.Lines(lexiconText) {
		head, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		category, meaning, _ := strings.Cut(head, " ")
		if !ok || strings.HasPrefix(head, "#") {
			continue
		}
		s := sense{meaning: meaning, category: category}
		for entry := range strings.SplitSeq(list, ",") {
			stems := stemsOf(entry)
			if len(stems) == 1 {
				l.words[stems[0]] = append(l.words[stems[0]], s)
			} else {
				l.phrases[stems[0]] = append(l.phrases[stems[0]], lexEntry{stems, s})
			}
		}
	}
	return l
})

func stemsOf(text string) []string {
	var out []string
	for _, w := range wordsOf(text) {
		out = append(out, w.stem)
	}
	return out
}

// A hit is a place in a text where the lexicon found a sense.
type hit struct {
	at, n  int // index of the first word, and how many
	senses []sense
}

// find returns what the lexicon knows about words, left to right. A phrase
// wins over the words within it. A word for an animal or a plant that is written
// as a name is one: "Mr. Finch", "my sister Rose".
func (l *lexicon) find(words []word) []hit {
	var out []hit
	for i := 0; i < len(words); i++ {
		w := words[i]
		best := lexEntry{}
		for _, p := range l.phrases[w.stem] {
			if len(p.stems) > len(best.stems) && len(p.stems) <= len(words)-i &&
				slices.EqualFunc(p.stems, words[i:i+len(p.stems)], func(s string, w word) bool { return s == w.stem }) {
				best = p
			}
		}
		senses := l.words[w.stem]
		switch {
		case len(best.stems) > 0:
			out = append(out, hit{i, len(best.stems), []sense{best.sense}})
			i += len(best.stems) - 1
		case len(senses) > 0 && (!w.upper || w.first || senses[0].category != "pets" && senses[0].category != "garden"):
			out = append(out, hit{i, 1, senses})
		}
	}
	return out
}

package model

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed lexicon.txt
var lexiconText string

// A sense is one meaning of a word: what its synonyms share, and the subject
// that the meaning belongs to.
type sense struct {
	meaning  string
	category string
}

// A phrase is several words that mean something only together.
type phrase struct {
	stems []string
	sense sense
}

// A lexicon maps stems to senses. It is read-only once built.
type lexicon struct {
	words   map[string][]sense
	phrases map[string][]phrase // by their first stem
}

// words is the one lexicon, parsed on first use. A mistake in the embedded
// file is a broken invariant, and a test reads the file.
var theLexicon = sync.OnceValue(func() *lexicon {
	l, err := parseLexicon(lexiconText)
	if err != nil {
		panic(err)
	}
	return l
})

func parseLexicon(text string) (*lexicon, error) {
	l := &lexicon{words: map[string][]sense{}, phrases: map[string][]phrase{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		head, list, ok := strings.Cut(line, ":")
		category, meaning, ok2 := strings.Cut(head, " ")
		if !ok || !ok2 {
			return nil, fmt.Errorf("lexicon line %d: want \"category meaning: words\"", n)
		}
		for entry := range strings.SplitSeq(list, ",") {
			l.add(strings.TrimSpace(entry), sense{meaning: meaning, category: category})
		}
	}
	return l, nil
}

func (l *lexicon) add(entry string, s sense) {
	stems := stemsOf(entry)
	switch len(stems) {
	case 0:
	case 1:
		l.words[stems[0]] = append(l.words[stems[0]], s)
	default:
		l.phrases[stems[0]] = append(l.phrases[stems[0]], phrase{stems: stems, sense: s})
	}
}

// A hit is a place in a text where the lexicon found a sense.
type hit struct {
	at, n  int // index of the first word, and how many
	senses []sense
}

// find returns what the lexicon knows about words, left to right. A phrase
// wins over the words within it.
func (l *lexicon) find(words []word) []hit {
	var out []hit
	for i := 0; i < len(words); {
		if p, ok := l.phraseAt(words[i:]); ok {
			out = append(out, hit{at: i, n: len(p.stems), senses: []sense{p.sense}})
			i += len(p.stems)
			continue
		}
		if s := l.words[words[i].stem]; len(s) > 0 && !familyName(words[i], s[0]) {
			out = append(out, hit{at: i, n: 1, senses: s})
		}
		i++
	}
	return out
}

// familyName reports whether a word that could be an animal or a plant is more
// likely a name: "Mr. Finch", "my sister Rose".
func familyName(w word, s sense) bool {
	return w.upper && !w.first && (s.category == "pets" || s.category == "garden")
}

// phraseAt returns the longest phrase that words begins with.
func (l *lexicon) phraseAt(words []word) (phrase, bool) {
	var best phrase
	for _, p := range l.phrases[words[0].stem] {
		if len(p.stems) > len(words) || len(p.stems) <= len(best.stems) {
			continue
		}
		match := true
		for i, s := range p.stems {
			match = match && words[i].stem == s
		}
		if match {
			best = p
		}
	}
	return best, len(best.stems) > 0
}

// categoriesOf counts the subjects that text touches. An ambiguous word votes
// for each of its subjects, with a share of one.
func categoriesOf(text string) map[string]float64 {
	out := map[string]float64{}
	for _, h := range theLexicon().find(wordsOf(text)) {
		for _, s := range h.senses {
			out[s.category] += 1 / float64(len(h.senses))
		}
	}
	return out
}

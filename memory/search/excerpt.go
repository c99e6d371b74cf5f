package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/naiber/naiber/internal/english"
)

const (
	// leastCut is the minimum number of tokens that are left of a turn's text when it is
	// cut.
	leastCut = 30
	// cutMark replaces what is left out.
	cutMark = "…"
)

// length estimates the tokens of a candidate's text in a prompt.
func (c *candidate) length() int { return english.Tokens(c.Text) }

// around estimates the tokens added to the text: the date and the name, and the note that
// it is outdated.
func (c *candidate) around() int {
	n := 10
	if c.Outdated != nil {
		n += english.Tokens(c.Outdated.Now) + 10
	}
	return n
}

// shorten cuts texts until all candidates fit into a budget of tokens. What the short ones
// leave over is shared among the long ones.
func shorten(taken []*candidate, question string, budget int) {
	lengths := make([]int, len(taken))
	for i, c := range taken {
		lengths[i] = c.length()
		budget -= c.around()
	}
	slices.Sort(lengths)
	for i, n := range lengths {
		share := budget / (len(lengths) - i)
		if n <= share {
			budget -= n
			continue
		}
		words := english.Content(question)
		for _, c := range taken {
			if c.length() > share {
				c.Text = excerpt(c.Text, words, 4*share)
			}
		}
		return
	}
}

var sentences = regexp.MustCompile(`(?s).+?(?:[.!?…]+["'”’)]*\s+|\n+|$)`)

// excerpt returns at most so many runes of a text: consecutive whole sentences, the run
// that shares the most with words, or the beginning of a sentence if none fits.
func excerpt(text string, words []string, runes int) string {
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	room := runes - 2*utf8.RuneCountInString(cutMark+" ")
	parts := sentences.FindAllString(text, -1)
	sizes, meets := make([]int, len(parts)), make([]int, len(parts))
	for i, p := range parts {
		sizes[i] = utf8.RuneCountInString(p)
		meets[i] = english.Common(english.Content(p), words)
	}
	from, to, best := 0, 0, -1
	end, size, met := 0, 0, 0 // of what fits, from begin
	for begin := range parts {
		for ; end < len(parts) && size+sizes[end] <= room; end++ {
			size, met = size+sizes[end], met+meets[end]
		}
		if end == begin { // a sentence that is too long alone: its beginning is used
			if meets[begin] > best {
				from, to, best = begin, begin, meets[begin]
			}
			end++
			continue
		}
		if met > best {
			from, to, best = begin, end, met
		}
		size, met = size-sizes[begin], met-meets[begin]
	}
	out := strings.TrimSpace(strings.Join(parts[from:to], ""))
	if to == from {
		out = wordsUntil(parts[from], room)
	}
	if from > 0 {
		out = cutMark + " " + out
	}
	if to < len(parts) {
		out += " " + cutMark
	}
	return out
}

// wordsUntil cuts a text to so many runes, at the end of a word if possible.
func wordsUntil(text string, runes int) string {
	text = string([]rune(text)[:runes])
	if space := strings.LastIndexFunc(text, unicode.IsSpace); space > 0 {
		text = text[:space]
	}
	return strings.TrimSpace(text)
}

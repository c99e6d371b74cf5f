package words

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/packs"
)

// small are words without a meaning of their own, which any question may hold.
var small = strings.Fields(`a an the and or but so then now of to in on at for from with by about as than that this these those it its
	is are was were be been being am do does did have has had having will would could can may might shall
	i i'm i'd i've me my you you're you've your yours he she we us our they them there here
	if when where what which who how why any some all just please also still too even
	tell say ask asking know like let let's hear wonder wondering give think thinking would've today's`)

// harmless are words that change how a question sounds and not what it asks.
var harmless = strings.Fields(`today next moment well oh right okay ok dear yourself kindly quickly mind happen happened find found feel
	feeling felt noticed notice lately thank thanks bit question another`)

// negations turn a question round.
var negations = strings.Fields(`not no never without hardly isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't wouldn't can't
	couldn't shouldn't none nothing neither nor`)

func listOf(text string) []string { return strings.Fields(english.Plain(text)) }

// wordings are all of a question's own.
func wordings(q packs.Question) []string { return append([]string{q.Text}, q.Alternatives...) }

// vocabulary is every word of a question's own wordings.
func vocabulary(q packs.Question) []string {
	var out []string
	for _, w := range wordings(q) {
		out = append(out, listOf(w)...)
	}
	return out
}

// content are the words of a text that carry its meaning.
func content(text string) []string {
	return slices.DeleteFunc(listOf(text), func(w string) bool { return slices.Contains(small, w) || slices.Contains(harmless, w) })
}

// about reports whether a word is one of what the question is about: a topic, or
// where the pack's wording does without those, any word of meaning in it.
func about(q packs.Question, word string) bool {
	topical := func(w string) bool { return slices.Contains(q.Topics, w) }
	if slices.ContainsFunc(listOf(q.Text), topical) {
		return topical(word)
	}
	return slices.Contains(content(q.Text), word)
}

// covers reports whether the question holds at least half of what carries the
// meaning of one of the pack's wordings.
func covers(question string, q packs.Question) bool {
	said := listOf(question)
	for _, own := range wordings(q) {
		_, asked := split(own)
		needed := content(asked)
		held := 0
		for _, w := range needed {
			if slices.Contains(said, w) {
				held++
			}
		}
		if 2*held >= len(needed) {
			return true
		}
	}
	return false
}

// foreignWord reports whether a question that is answered with yes or no holds a
// word of meaning that none of the pack's wordings has: "easier" instead of
// "harder" would turn the answer round.
func foreignWord(question string, known []string) bool {
	return slices.ContainsFunc(content(question), func(w string) bool { return !slices.Contains(known, w) })
}

// turned reports whether the question negates more or less than every wording of
// the pack does.
func turned(question string, q packs.Question) bool {
	n := negated(question)
	return !slices.ContainsFunc(wordings(q), func(own string) bool {
		_, asked := split(own)
		return negated(asked) == n
	})
}

func negated(text string) int {
	return len(slices.DeleteFunc(listOf(text), func(w string) bool { return !slices.Contains(negations, w) }))
}

package score

import (
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// term is a word with a meaning: its stem, or the value of a number.
type term struct {
	text     string
	means    []string // names of meanings, which other words of much the same meaning share
	loose    []string // meanings that a word with many of them may have together with others
	word     string   // as heard
	from, to int      // the range of its tokens
	end      int      // the end of the longest phrase that begins at it
	clause   int
	noun     bool // judged by the words before it
	modifier bool // of the noun after it
	quality  bool // it says what something is like
	named    bool // it is somebody's name
	denied   bool // it, or what follows it, is denied
}

// terms returns the meaningful words of a text, with a number as its value. A denial covers the
// terms after it, up to the end of the clause. If the words of a phrase have a meaning together,
// the first of them has it; whole leaves the others out.
func terms(toks []token, whole bool) (out []term) {
	words := texts(toks)
	for i, w := range words {
		words[i] = strings.TrimSuffix(w, "'s")
	}
	phrases, ends, inside := spoken.phrases(toks, whole)
	clause, reach, fresh := 0, 0, true // reach is how many more tokens a denial covers
	for i := 0; i < len(toks); i++ {
		w := words[i]
		if !fresh && (toks[i].Break == english.Stop || cuts[w]) {
			clause, fresh = clause+1, true
		}
		if toks[i].Break != english.Space || endsDenial[w] && reach < reachOfDenial {
			reach = 0
		}
		t := term{word: w, from: i, to: i + 1, end: max(i+1, ends[i]), clause: clause, noun: whole && i == 0 && !verbal(w) || i > 0 && (definite[words[i-1]] || beforeNoun[words[i-1]]) || i > 1 && definite[words[i-2]] && !verbal(w), means: phrases[i], denied: reach > 0}
		if i+1 < len(words) && strings.HasSuffix(w, "n't") && (pronouns[words[i+1]] || auxiliary[w] && definite[words[i+1]]) { // "didn't she leave it"
			continue
		}
		ceases := spoken.stem(w) == "stop" && i+1 < len(words) && strings.HasSuffix(words[i+1], "ing")
		if ceases || denies(w) {
			if spoken.blank.MatchString(strings.Join(words[i:min(i+4, len(words))], " ")) || w == "no" && (i+1 == len(words) || toks[i+1].Break != english.Space || particles[words[i+1]] || words[i+1] != "one" && len(english.Content(words[i+1])) == 0) {
				continue
			}
			if !whole || !inside[i] {
				reach = reachOfDenial
			}
			if len(t.means) == 0 {
				continue
			}
		} else {
			reach = max(0, reach-1)
		}
		if whole && w == "miss" && i == 0 && len(words) > 1 { // a title
			continue
		}
		v, n := numberAt(words[i:])
		switch c := english.Content(w); {
		case n > 0 && w != "one":
			t.text, t.to = strconv.Itoa(v), i+n
			t.may(t.text)
			t.end = max(t.end, t.to)
			i += n - 1
		case whole && inside[i] && len(t.means) == 0:
			continue
		case len(t.means) > 0 && inside[i]:
			t.text = t.means[0]
			if !whole && len(c) == 1 {
				t.may(w)
			}
		case len(c) == 1 && !spoken.near[w] || said[w] || w == "called" && i+1 < len(words) && definite[words[i+1]]:
			t.text = spoken.stem(w)
			t.may(w)
		case !whole && len(spoken.meanings(w)) > 0:
			t.text = spoken.stem(w)
			t.may(w)
		default:
			continue
		}
		if i > 0 && !whole && (words[i-1] == "our" || words[i-1] == "my") && spoken.names[w] { // "our Linda"
			t.means = append(t.means, "=family", "=son", "=daughter")
		}
		fresh = false
		if n := len(out); n > 0 && out[n-1].noun && t.noun && out[n-1].to == t.from {
			out[n-1].modifier = true
		}
		t.named = i > 0 && (words[i-1] == "called" || words[i-1] == "named")
		t.quality = i > 0 && beforeQuality[words[i-1]]
		out = append(out, t)
	}
	return out
}

// may adds the possible meanings of a word.
func (t *term) may(w string) {
	if m := spoken.meanings(w); spoken.weak[spoken.stem(w)] {
		t.loose = append(t.loose, m...)
	} else {
		t.means = append(t.means, m...)
	}
}

// definite holds words that stand before a noun.
var definite = english.Set("a an the his her its their my your our some")

// beforeNoun holds words that stand before a noun, and beforeQuality those before a quality.
var (
	beforeNoun    = english.Set("called named of in on at with for from by under behind two three")
	beforeQuality = english.Set("was were is are too very so all quite")
)

// verbal reports whether a word looks like a verb form.
func verbal(w string) bool {
	stem := spoken.stem(w)
	return strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ing") || !strings.HasPrefix(w, stem[:max(0, len(stem)-1)])
}

var (
	pronouns = english.Set("i he she it we they")
	objects  = english.Set("it him her them")
	// auxiliary holds denials that no noun follows, except in a question.
	auxiliary = english.Set("didn't don't doesn't wouldn't couldn't won't")
)

// said holds words that carry meaning in an answer, though not in other texts.
var said = english.Set("tell told telling name names")

func denies(w string) bool { return english.Denies(w) || w == "dont" || w == "didnt" }

// cuts holds words that may begin a clause, because recognisers leave out punctuation.
var cuts = english.Set("and but so because then who which when while he she they i we there")

// phrases returns the joint meanings of words and where they end, by the token at which they begin,
// and which tokens belong to such a phrase.
func (s *speech) phrases(toks []token, longest bool) (means map[int][]string, ends map[int]int, inside map[int]bool) {
	means, ends, inside = map[int][]string{}, map[int]int{}, map[int]bool{}
	stems := make([]string, len(toks))
	for i, t := range toks {
		if stems[i] = s.stem(t.Text); t.Text == "never" || t.Text == "cannot" || t.Text == "dont" || t.Text == "didnt" || strings.HasSuffix(t.Text, "n't") {
			stems[i] = "not"
		}
	}
	for i := range toks {
		for _, p := range s.means[stems[i]] {
			if at := p.stands(toks, stems, i); len(p.stems) > 1 && len(at) > 0 {
				end := at[len(at)-1] + 1
				if longest && end < ends[i] {
					continue
				}
				if longest && end > ends[i] {
					means[i] = nil
				}
				means[i], ends[i] = append(means[i], p.name), max(ends[i], end)
				for _, j := range at {
					inside[j] = true
				}
			}
		}
	}
	return means, ends, inside
}

// meanings returns the possible meanings of a word.
func (s *speech) meanings(w string) (out []string) {
	for _, p := range s.means[s.stem(w)] {
		if len(p.stems) == 1 {
			out = append(out, p.name)
		}
	}
	return out
}

// stands returns the tokens of a phrase that begins at a token, or nil if it does not stand there.
func (p phrase) stands(toks []token, stems []string, at int) []int {
	out := []int{at}
	for _, want := range p.stems[1:] {
		at++
		last := at
		if want.far {
			last += widestGap
		}
		for at < len(stems) && at < last && stems[at] != want.stem && toks[at].Break != english.Stop && !cuts[toks[at].Text] {
			at++
		}
		if at >= len(stems) || stems[at] != want.stem || toks[at].Break == english.Stop {
			return nil
		}
		out = append(out, at)
	}
	return out
}

// widestGap is the most words for which "*" in a phrase stands.
const widestGap = 3

// reachOfDenial is how many words a denial covers if nothing ends it.
const reachOfDenial = 6

// endsDenial holds words that begin another clause, because recognisers leave out punctuation.
var endsDenial = english.Set("but and so because then he she they it i we there")

// numberAt returns the number that words begin with and how many words it takes; "half a dozen" is
// one.
func numberAt(words []string) (value, n int) {
	for _, m := range []struct {
		words []string
		value int
	}{{[]string{"half", "a", "dozen"}, 6}, {[]string{"a", "dozen"}, 12}, {[]string{"dozen"}, 12}, {[]string{"a", "couple", "of"}, 2}, {[]string{"a", "pair", "of"}, 2}} {
		if len(words) >= len(m.words) && slices.Equal(words[:len(m.words)], m.words) {
			return m.value, len(m.words)
		}
	}
	for n < len(words) { // "nine nine nine"
		v, ok := english.Number(words[n])
		if !ok || v > 9 {
			break
		}
		value, n = (10*value+v)%1e6, n+1
	}
	if n >= 3 {
		return value, n
	}
	value, n = english.NumberAt(words...)
	if value > 100 && n < len(words) && words[n] == "of" { // "nine hundred and twelve of them"
		if and := slices.Index(words[:n], "and"); and > 0 {
			return english.NumberAt(words[:and]...)
		}
	}
	return value, n
}

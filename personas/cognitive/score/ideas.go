package score

import (
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/cognitive/tasks"
)

// term is a word of meaning: its stem, or the value of a number.
type term struct {
	text     string
	means    []string // what stands for it and for other words of much the same meaning
	loose    []string // what a word that has many meanings may stand for where others come with it
	word     string   // as it was heard
	from, to int      // the tokens it is
	end      int      // where the longest phrase that it begins ends
	clause   int
	noun     bool // by the words before it
	denied   bool // what follows it, or it itself, is said not to be so
}

// terms returns the words of a text that say something, a number as its value. A denial
// reaches over the next of them to the end of the clause. Where the words of a phrase have a
// meaning together, it is that of the first of them; whole leaves the others out.
func terms(toks []token, whole bool) (out []term) {
	words := texts(toks)
	phrases, ends, inside := spoken.phrases(toks, whole)
	clause, reach, fresh := 0, 0, true // reach is how many more tokens a denial reaches over
	for i := 0; i < len(toks); i++ {
		w := words[i]
		if !fresh && (toks[i].Break == english.Stop || cuts[w]) {
			clause, fresh = clause+1, true
		}
		if toks[i].Break != english.Space || endsDenial[w] && reach < reachOfDenial {
			reach = 0
		}
		t := term{word: w, from: i, to: i + 1, end: max(i+1, ends[i]), clause: clause, noun: i > 0 && definite[words[i-1]] || i > 1 && definite[words[i-2]], means: phrases[i], denied: reach > 0}
		ceases := spoken.stem(w) == "stop" && i+1 < len(words) && strings.HasSuffix(words[i+1], "ing")
		if ceases || denies(w) && !(w == "no" && i+1 < len(words) && words[i+1] == "one") {
			if spoken.blank.MatchString(strings.Join(words[i:min(i+4, len(words))], " ")) || w == "no" && (i+1 == len(words) || toks[i+1].Break != english.Space || particles[words[i+1]] || len(english.Content(words[i+1])) == 0) {
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
		v, n := numberAt(words[i:])
		switch c := english.Content(w); {
		case n > 0 && w != "one":
			t.text, t.to = strconv.Itoa(v), i+n
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
		fresh = false
		out = append(out, t)
	}
	return out
}

// may adds what a word may stand for.
func (t *term) may(w string) {
	if m := spoken.meanings(w); spoken.weak[spoken.stem(w)] {
		t.loose = append(t.loose, m...)
	} else {
		t.means = append(t.means, m...)
	}
}

// definite are words that a noun comes after.
var definite = english.Set("a an the his her its their my your our some")

// said are words that say something in an answer, though not in other texts.
var said = english.Set("tell told telling")

func denies(w string) bool { return english.Denies(w) || w == "dont" || w == "didnt" }

// cuts are words that may begin a clause, as recognisers leave marks out.
var cuts = english.Set("and but so because then who which when while he she they i we there")

// phrases returns what words mean together and where they end, by the token where they begin,
// and which tokens are of such a phrase.
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
			if end := p.ends(toks, stems, i); len(p.stems) > 1 && end > 0 {
				if longest && end < ends[i] {
					continue
				}
				if longest && end > ends[i] {
					means[i] = nil
				}
				means[i], ends[i] = append(means[i], p.name), max(ends[i], end)
				for j := i; j < end; j++ {
					inside[j] = true
				}
			}
		}
	}
	return means, ends, inside
}

// meanings returns what a word may stand for.
func (s *speech) meanings(w string) (out []string) {
	for _, p := range s.means[s.stem(w)] {
		if len(p.stems) == 1 {
			out = append(out, p.name)
		}
	}
	return out
}

// ends returns where a phrase that begins at a token ends; 0: it does not stand there.
func (p phrase) ends(toks []token, stems []string, at int) int {
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
			return 0
		}
	}
	return at + 1
}

// widestGap is how many words "*" stands for in a phrase, at most.
const widestGap = 3

// reachOfDenial is how many words a denial reaches over where nothing ends it.
const reachOfDenial = 6

// endsDenial are words that begin another clause, as recognisers leave marks out.
var endsDenial = english.Set("but and so because then he she they it i we there")

// numberAt returns the number that words begin with and of how many they are: "half a
// dozen" is one.
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
	return english.NumberAt(words...)
}

// ideas finds the units of meaning that were told, each once.
func ideas(_ tasks.Task, _ tasks.Form, it tasks.Item, said []Said) Score {
	toks := tokens(said)
	if it.Kind == tasks.Reason {
		toks = withoutEcho(toks, tokens([]Said{{Text: it.Say}}))
	}
	told := terms(toks, false)
	given := map[string]bool{} // what the question speaks of
	if it.Kind == tasks.Reason {
		for _, t := range terms(tokens([]Said{{Text: it.Say}}), true) {
			given[t.text] = true
		}
	}
	of := map[string][]string{} // which ideas speak of something
	for _, idea := range it.Ideas {
		for text := range spokenOf(idea) {
			of[text] = append(of[text], idea.ID)
		}
	}
	s := Score{Max: it.Max}
	taken := map[int]bool{}
	for _, idea := range it.Ideas {
		from, to, ok := toldIdea(it.Kind, toks, told, idea, given, of, taken)
		if !ok {
			continue
		}
		e := Evidence{Quote: quote(said, toks[from], lastOfPiece(toks, from, to)), Counts: true}
		points := idea.Worth()
		if it.Kind == tasks.Reason { // the ideas are answers that are better or worse
			s.Points = max(s.Points, points)
		} else {
			s.Points += points
		}
		s.Evidence = append(s.Evidence, e)
	}
	if s.Max > 0 {
		s.Points = min(s.Points, s.Max)
	}
	s.Unclear = len(told) == 0 && len(toks) > 0 && !spoken.blank.MatchString(strings.Join(texts(toks), " "))
	return s
}

// spokenOf returns the stems of what an idea speaks of, in whatever words.
func spokenOf(idea tasks.Idea) map[string]bool {
	out := map[string]bool{}
	for _, wording := range idea.Any {
		for _, t := range terms(tokens([]Said{{Text: wording}}), true) {
			out[t.text] = true
		}
	}
	return out
}

// index returns where a run of words begins; -1: nowhere.
func index(toks, run []token) int {
	for i := 0; i+len(run) <= len(toks); i++ {
		if slices.EqualFunc(toks[i:i+len(run)], run, func(a, b token) bool { return a.Text == b.Text }) {
			return i
		}
	}
	return -1
}

// echo is from how many words on the question's own are taken for it said back.
const echo = 5

// withoutEcho returns an answer without what says its question back.
func withoutEcho(toks, question []token) []token {
	out := make([]token, 0, len(toks))
	for i := 0; i < len(toks); {
		n := 0
		for n < len(toks)-i && index(question, toks[i:i+n+1]) >= 0 {
			n++
		}
		if n < echo {
			out = append(out, toks[i])
			n = 1
		}
		i += n
	}
	return out
}

// lastOfPiece returns the last token up to to that is of the piece of token from.
func lastOfPiece(toks []token, from, to int) token {
	for to > from+1 && toks[to-1].piece != toks[from].piece {
		to--
	}
	return toks[to-1]
}

// toldIdea returns the tokens that hold one of an idea's wordings. A word that another idea
// rests on is not taken for its own by its meaning alone.
func toldIdea(kind tasks.Kind, said []token, told []term, idea tasks.Idea, given map[string]bool, of map[string][]string, taken map[int]bool) (from, to int, ok bool) {
	for _, wording := range idea.Any {
		toks := tokens([]Said{{Text: wording}})
		want := terms(toks, true)
		if len(want) == 0 { // it is made of small words alone
			if at := index(said, toks); at >= 0 && len(toks) > 0 {
				return at, at + len(toks), true
			}
			continue
		}
		for i := range told {
			held := holds(said, told, i, want, given, func(text string) (only, first bool) {
				return len(of[text]) == 1, len(of[text]) > 0 && of[text][0] == idea.ID
			})
			if len(held) == 0 || kind == tasks.Reason && len(want) == 1 && want[0].text[0] != '=' && !goesWith(said, told[i], toks) {
				continue
			}
			if kind == tasks.Story && len(want) == 1 && taken[told[i].from] && (told[i].text != want[0].text || len(toks) > 1) {
				continue
			}
			for _, h := range held {
				taken[told[h].from] = true
				to = max(to, told[h].end)
			}
			return told[i].from, to, true
		}
	}
	return 0, 0, false
}

// goesWith reports whether the small words that make the one term of a wording what it is are
// near it: "pop it in" is not "pop it out".
func goesWith(said []token, t term, wording []token) bool {
	near := said[max(0, t.from-4):min(len(said), t.to+4)]
	return !slices.ContainsFunc(wording, func(w token) bool {
		return particles[w.Text] && !slices.ContainsFunc(near, func(o token) bool { return o.Text == w.Text })
	})
}

var particles = english.Set("in out off down round through over back away")

// holds returns which terms, from term i on, hold all that are wanted within one clause,
// none where they do not. What is weak may be left out, what the
// question spoke of, who was spoken of before ("she visited him"), and one of three and more.
// What was said of another colour, day or number is not the same.
func holds(said []token, told []term, i int, want []term, given map[string]bool, of func(string) (only, first bool)) (held []int) {
	left := slices.Clone(want)
	strong, introduced, own := false, false, 0
	clauses := want[len(want)-1].clause
	end := i
	for ; end < len(told) && end < i+2*len(want)+4 && told[end].clause <= told[i].clause+clauses; end++ {
		t := told[end]
		k := slices.IndexFunc(left, func(w term) bool {
			split := end+1 < len(told) && t.to == told[end+1].from && t.word+told[end+1].word == w.word // "sea gull"
			return (split || sameTerm(t, w, len(want) > 1 || slices.Contains(w.means, "=somebody"))) && t.denied == w.denied
		})
		if k < 0 && end == i {
			return nil
		}
		if k >= 0 {
			if w := left[k]; t.denied || !spoken.weak[w.text] && !spoken.meets[w.text] {
				strong = true
				only, first := of(w.text)
				introduced = introduced || first
				if own++; only {
					own++
				}
			}
			left, held = slices.Delete(left, k, k+1), append(held, end)
		}
	}
	found := len(want) - len(left)
	person := slices.ContainsFunc(want, func(w term) bool { return broaderThan("=somebody", w.means) })
	left = slices.DeleteFunc(left, func(w term) bool {
		return !w.denied && (given[w.text] && !broaderThan("=somebody", w.means) || own > 1 && spoken.weak[w.text] || introduced && spoken.meets[w.text] && !person)
	})
	if len(left) == 0 && (strong || found == len(want)) {
		return held
	}
	spare := 0
	if len(want) >= 3 && found >= 2 {
		spare = 1
	}
	for _, w := range left {
		_, err := strconv.Atoi(w.text)
		if err == nil || w.denied || contrary(told[i:end], w) {
			return nil
		}
		if strong && w.noun && (given[w.text] || before(told[:i], w)) && slices.ContainsFunc(said[max(0, told[i].from-2):min(len(said), told[held[len(held)-1]].to+2)], func(t token) bool { return pronouns[t.Text] }) {
			continue
		}
		if spare--; spare < 0 {
			return nil
		}
	}
	if !strong {
		return nil
	}
	return held
}

var pronouns = english.Set("he she it they him her them his its their")

// before reports whether a person or a thing was spoken of.
func before(told []term, w term) bool {
	return slices.ContainsFunc(told, func(t term) bool { return sameTerm(t, w, true) })
}

// contrary reports whether terms say another thing of a kind of which there is only one: another colour, another day.
func contrary(told []term, w term) bool {
	kind := spoken.kinds[w.text]
	return kind != "" && slices.ContainsFunc(told, func(t term) bool { return spoken.kinds[t.text] == kind && t.text != w.text })
}

// sameTerm reports whether what was told means what is wanted; broad lets it be narrower.
func sameTerm(told, want term, broad bool) bool {
	tells, wants := told.means, want.means
	if broad {
		tells, wants = slices.Concat(tells, told.loose), slices.Concat(wants, want.loose)
	}
	if told.text == want.text || slices.ContainsFunc(tells, func(m string) bool { return slices.Contains(wants, m) || broad && broader(m, wants) }) {
		return true
	}
	if _, err := strconv.Atoi(want.text); err == nil || want.text[0] == '=' {
		return false
	}
	if len(want.text) >= 5 && !spoken.common[told.word] && english.Alike(told.text, want.text) {
		return true
	}
	is, _ := heardAs(told.word, want.word)
	return is
}

// broader reports whether one of the meanings wanted takes in another one: somebody may be a daughter.
func broader(m string, want []string) bool {
	return slices.ContainsFunc(want, func(w string) bool { return slices.Contains(spoken.takesIn[w], m) })
}

// broaderThan reports whether a meaning takes in one of others.
func broaderThan(broad string, narrow []string) bool {
	return slices.ContainsFunc(narrow, func(n string) bool { return slices.Contains(spoken.takesIn[broad], n) })
}

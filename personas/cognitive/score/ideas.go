package score

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/cognitive/tasks"
)

// ideas scores an answer by the units of meaning that were told, each counted once.
func ideas(_ tasks.Task, _ tasks.Form, it tasks.Item, said []Said) Score {
	t := hearIdeas(it, said)
	s := Score{Max: it.Max}
	for i, held := range t.found() {
		from, to := t.span(i, held)
		if to == 0 {
			continue
		}
		if e := (Evidence{Quote: quote(said, t.toks[from], lastOfPiece(t.toks, from, to)), Counts: true}); it.Kind == tasks.Story || !slices.Contains(s.Evidence, e) {
			s.Evidence = append(s.Evidence, e)
		}
		if points := it.Ideas[i].Worth(); it.Kind == tasks.Reason { // the ideas are answers that are better or worse
			s.Points = max(s.Points, points)
		} else {
			s.Points += points
		}
	}
	if s.Max > 0 {
		s.Points = min(s.Points, s.Max)
	}
	s.Unclear = len(t.told) == 0 && len(t.toks) > 0 && !spoken.blank.MatchString(strings.Join(texts(t.toks), " "))
	return s
}

// span returns the range of tokens of the terms in which an idea was told, or of a wording of it
// that is made of small words alone. to is 0 if the idea was not told.
func (t *telling) span(idea int, held []int) (from, to int) {
	if len(held) == 0 {
		for _, w := range t.ideas[idea] {
			if at := index(t.toks, w.toks); len(w.want) == 0 && len(w.toks) > 0 && at >= 0 {
				return at, at + len(w.toks)
			}
		}
		return 0, 0
	}
	from = len(t.toks)
	for _, h := range held {
		from, to = min(from, t.told[h].from), max(to, t.told[h].end)
	}
	return from, to
}

// telling is an answer that is searched for ideas.
type telling struct {
	kind  tasks.Kind
	toks  []token
	told  []term
	ideas [][]wording
}

// wording is a way to tell an idea.
type wording struct {
	toks    []token
	want    []term
	weight  []float64
	special []bool // the term belongs to this idea alone
}

// within reports whether term l of a wording says where something is, rather than what is acted on.
func (w wording) within(l int) bool {
	from := w.want[l].from
	return slices.ContainsFunc(w.toks[max(0, from-2):from], func(o token) bool { return beforeNoun[o.Text] })
}

// heavy returns how many terms of a wording must not be left out.
func (w wording) heavy() (n int) {
	for _, x := range w.weight {
		if x > weighsLittle {
			n++
		}
	}
	return n
}

// hearIdeas reads an answer and the ideas that are looked for in it.
func hearIdeas(it tasks.Item, said []Said) *telling {
	t := &telling{kind: it.Kind, toks: tokens(said)}
	var given []term // the terms of the question
	if it.Kind == tasks.Reason {
		question := tokens([]Said{{Text: it.Say}})
		given, t.toks = terms(question, true), withoutEcho(t.toks, question)
	}
	for _, idea := range it.Ideas {
		var list []wording
		for _, text := range idea.Any {
			w := wording{toks: tokens([]Said{{Text: text}})}
			w.want = terms(w.toks, true)
			if it.Kind == tasks.Reason && len(w.want) > 1 && w.want[0].from == 0 && w.want[0].text[0] != '=' && !w.want[0].denied && slices.ContainsFunc(w.want[1:], func(x term) bool { return x.noun && !spoken.weak[x.text] }) {
				w.want[0].noun = false // an action on a thing
			}
			list = append(list, w)
		}
		t.ideas = append(t.ideas, list)
	}
	t.toks = withoutSlips(t.toks, func(w string) bool {
		return definite[w] || pronouns[w] || objects[w] || kindOf(w) != "" || slices.ContainsFunc(t.ideas, func(list []wording) bool {
			return slices.ContainsFunc(list, func(o wording) bool {
				return slices.ContainsFunc(o.want, func(x term) bool { return spoken.stem(x.word) == spoken.stem(w) })
			})
		})
	})
	t.told = terms(t.toks, false)
	speaks := func(list []wording, w term) bool {
		return slices.ContainsFunc(list, func(o wording) bool { return slices.ContainsFunc(o.want, func(x term) bool { return related(x, w) }) })
	}
	for i, list := range t.ideas {
		for k := range list {
			for _, w := range list[k].want {
				in := func(ideas [][]wording) bool {
					return it.Kind == tasks.Story && slices.ContainsFunc(ideas, func(o []wording) bool { return speaks(o, w) })
				}
				before := in(t.ideas[:i])
				list[k].special = append(list[k].special, !before)
				list[k].weight = append(list[k].weight, weigh(w, before, slices.ContainsFunc(given, func(g term) bool { return g.text == w.text })))
			}
			forgive(&list[k])
		}
	}
	return t
}

// Weights of the terms of a wording.
const (
	weighsName   = 1.2
	weighsFull   = 1.0
	weighsVerb   = 0.9 // an action on a thing is often told in other words
	weighsShared = 0.5 // other ideas use it as well
	weighsLittle = 0.2 // it may be left out
	weighsLoose  = 0.6 // factor if only one term was told, in another word
	leastWeight  = 0.52
	leastShared  = 0.75 // if no term that is found belongs to the idea alone
)

func weigh(w term, before, given bool) float64 {
	_, err := strconv.Atoi(w.text)
	switch {
	case err == nil, w.denied && !w.noun, w.modifier && spoken.kinds[w.text] != "":
		return weighsFull
	case given, spoken.weak[w.text], anybody(w):
		return weighsLittle
	case w.named:
		return weighsName
	case before || w.denied || w.modifier || w.quality || spoken.units[w.text]:
		return weighsShared
	case !w.noun:
		return weighsVerb
	}
	return weighsFull
}

// anybody reports whether a term says only that somebody is meant.
func anybody(w term) bool {
	return slices.ContainsFunc(w.means, func(m string) bool { return slices.Contains(spoken.takesIn["=anybody"], m) })
}

// person reports whether a term means a kind of person.
func person(w term) bool { return broaderThan("=somebody", w.means) }

// forgive lets the verb be left out if something is only met with, as in "he saw a swan". It weighs
// a word for somebody fully if nothing else is said.
func forgive(w *wording) {
	who := slices.ContainsFunc(w.want, person)
	bare := !slices.ContainsFunc(w.weight, func(x float64) bool { return x > weighsShared }) && !slices.ContainsFunc(w.want, func(x term) bool { return x.modifier })
	for k := range w.want {
		if bare && anybody(w.want[k]) && w.special[k] { // "a girl came"
			w.weight[k] = weighsFull
		}
		if w.want[k].quality && who {
			w.weight[k] = weighsVerb
		} else if spoken.meets[w.want[k].text] && !who {
			w.weight[k] = weighsLittle
		}
	}
}

// related reports whether one of two terms may stand for the other.
func related(a, b term) bool {
	return a.text == b.text || slices.ContainsFunc(a.means, func(m string) bool { return slices.Contains(b.means, m) || broader(m, b.means) }) ||
		slices.ContainsFunc(b.means, func(m string) bool { return broader(m, a.means) })
}

// index returns the index at which run begins in toks, or -1.
func index(toks, run []token) int {
	for i := 0; i+len(run) <= len(toks); i++ {
		if slices.EqualFunc(toks[i:i+len(run)], run, func(a, b token) bool { return a.Text == b.Text }) {
			return i
		}
	}
	return -1
}

// withoutSlips returns an answer without the words that were taken back for what follows: "in a
// train no a bus", "eight no nine". instead reports whether a word may replace another one.
func withoutSlips(toks []token, instead func(string) bool) []token {
	out := make([]token, 0, len(toks))
	for i := 0; i < len(toks); {
		n := takesBack(toks[i:])
		if n == 0 || len(out) == 0 || i+n >= len(toks) || toks[i].Text == "no" && !says(out[len(out)-1].Text) && toks[i].Break == english.Space || toks[i].piece != out[len(out)-1].piece || i+n+1 < len(toks) && objects[toks[i+n+1].Text] || !instead(toks[i+n].Text) {
			out = append(out, toks[i])
			i++
			continue
		}
		i += n
		out = out[:slipFrom(out, toks[i:])]
	}
	return out
}

// slipFrom returns the index in said from which words are taken back for those that come: that of
// the same word ("a boy found it no a girl"), or of the last word that says something.
func slipFrom(said, comes []token) int {
	for k, w := range comes[:min(len(comes), 3)] {
		for j := len(said) - 1; j >= max(k, len(said)-6); j-- {
			if said[j].Text == w.Text && (k == 0 || says(w.Text)) {
				return j - k
			}
		}
	}
	for j := len(said) - 1; j >= max(0, len(said)-3); j-- {
		if says(said[j].Text) {
			return j
		}
	}
	return len(said)
}

// says reports whether a word carries meaning or is a number.
func says(w string) bool {
	_, number := english.Number(w)
	return number || len(english.Content(w)) > 0
}

// takesBack returns how many words at the start of toks take back the words before, or 0.
func takesBack(toks []token) int {
	for _, m := range [][]string{{"no", "wait"}, {"no", "sorry"}, {"no", "i", "mean"}, {"no", "no"}, {"no"}, {"i", "mean"}, {"i", "meant"}, {"or", "rather"}, {"wait", "no"}, {"sorry", "no"}} {
		if len(toks) > len(m) && slices.Equal(texts(toks[:len(m)]), m) && (len(m) != 1 || m[0] != "no" || toks[1].Text != "one" && toks[1].Text != "longer") {
			return len(m)
		}
	}
	return 0
}

// echo is the least number of the question's words in a row that count as saying it back.
const echo = 5

// withoutEcho returns an answer without the parts that say its question back.
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

// lastOfPiece returns the last token before to that is in the same piece as token from.
func lastOfPiece(toks []token, from, to int) token {
	for to > from+1 && toks[to-1].piece != toks[from].piece {
		to--
	}
	return toks[to-1]
}

// found returns, for each idea, the terms in which it was told, or none. In a story the idea that
// was told best comes first, and every other idea needs a term that those before did not take.
func (t *telling) found() [][]int {
	out, shares := make([][]int, len(t.ideas)), make([]float64, len(t.ideas))
	order := make([]int, len(t.ideas))
	for i := range t.ideas {
		order[i] = i
		out[i], shares[i] = t.find(i, nil)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	taken := map[int]bool{}
	for _, i := range order {
		if t.kind == tasks.Story && len(out[i]) > 0 && !slices.ContainsFunc(out[i], func(h int) bool { return !taken[h] && !spoken.weak[t.told[h].text] }) {
			out[i], _ = t.find(i, taken)
		}
		for _, h := range out[i] {
			taken[h] = true
		}
	}
	return out
}

// find returns the terms, none of them taken, that hold the most of an idea, and how much they
// hold.
func (t *telling) find(idea int, taken map[int]bool) (best []int, most float64) {
	for _, w := range t.ideas[idea] {
		if held, share := t.holds(w, t.ideas[idea], taken); share >= leastWeight && share > most {
			best, most = held, share
		}
	}
	return best, most
}

// holds returns the terms that hold the most of a wording, and what share of its weight. Terms that
// belong to this idea alone may be told some clauses apart, others may not. A telling of another
// colour, day or number does not hold a wording.
func (t *telling) holds(w wording, list []wording, taken map[int]bool) (best []int, most float64) {
	same := make([][]int, len(w.want)) // by wanted term: the told terms that mean the same
	for k, want := range w.want {
		for j := range t.told {
			if !taken[j] && (t.told[j].denied == want.denied || want.noun) && sameTerm(t.told, j, want, len(w.want) > 1 || slices.Contains(want.means, "=somebody")) {
				same[k] = append(same[k], j)
			}
		}
	}
	all := 0.0
	for _, x := range w.weight {
		all += x
	}
	for k, anchors := range same {
		if w.weight[k] <= weighsLittle && all > weighsLittle*float64(len(w.want))+.01 {
			continue
		}
		for _, a := range anchors {
			if all-w.weight[k] <= weighsLittle*float64(len(w.want)) && t.kind == tasks.Reason && w.want[k].text[0] != '=' && !goesWith(t.toks, t.told[a], w.toks) {
				continue
			}
			held, sum, own, of := []int{a}, t.worth(a, w.weight[k]), w.special[k], all
			agrees := t.told[a].denied == w.want[k].denied
			for l := range w.want {
				if l == k {
					continue
				}
				j := t.nearest(same[l], a, held, w.special[l] && w.special[k])
				switch {
				case j >= 0:
					agrees = agrees || t.told[j].denied == w.want[l].denied
					held, sum, own = append(held, j), sum+t.worth(j, w.weight[l]), own || w.special[l] && w.weight[l] > weighsLittle
				case l == 0 && !w.special[l] && w.want[l].noun && t.pronoun(a):
					of -= w.weight[l]
				case person(w.want[l]) && t.near(a, anybody):
					sum += w.weight[l] / 2
				case (person(w.want[l]) || anybody(w.want[l])) && t.kind == tasks.Reason && t.near(a, person):
					sum -= weighsFull // it is somebody else
				case w.want[l].modifier && t.modified(a, held):
					sum -= w.weight[l] / 2
				case w.want[l].noun && !w.want[k].noun && w.special[k] && t.kind == tasks.Story && t.told[a].to < len(t.toks) && objects[t.toks[t.told[a].to].Text] && !w.within(l): // "she heard it"
					of -= w.weight[l]
				case w.weight[l] != weighsVerb || w.want[l].quality || t.kind != tasks.Story:
				case w.want[k].noun && !person(w.want[k]) && !t.does(a, held): // "out of the window with them"
					of -= w.weight[l] - weighsLittle
				default:
					sum -= weighsLittle
				}
			}
			if len(held) == 1 && t.kind == tasks.Story && w.heavy() > 1 && spoken.stem(t.told[a].word) != spoken.stem(w.want[k].word) {
				sum *= weighsLoose
			}
			if share := sum / of; agrees && share > most && (own || share >= leastShared) && !t.contrary(held, list) {
				best, most = held, share
			}
		}
	}
	return best, most
}

// nearest returns the term of a list that is nearest to term a and not held, or -1 if none is near.
func (t *telling) nearest(list []int, a int, held []int, special bool) int {
	best, reach, clauses := -1, 5, 1
	if special {
		reach, clauses = 8, 2
	}
	for _, j := range list {
		if d := max(j-a, a-j); d > reach || max(t.told[j].clause-t.told[a].clause, t.told[a].clause-t.told[j].clause) > clauses || slices.Contains(held, j) {
			continue
		} else if best < 0 || d < max(best-a, a-best) {
			best = j
		}
	}
	return best
}

// goesWith reports whether the particles that give the one term of a wording its meaning are near
// it: "pop it in" is not "pop it out".
func goesWith(said []token, t term, wording []token) bool {
	near := said[max(0, t.from-4):min(len(said), t.to+4)]
	return !slices.ContainsFunc(wording, func(w token) bool {
		return particles[w.Text] && !slices.ContainsFunc(near, func(o token) bool { return o.Text == w.Text })
	})
}

var particles = english.Set("in out off up down round through over back away")

// near reports whether a term, or one next to it in its clause, is of a kind.
func (t *telling) near(at int, kind func(term) bool) bool {
	return slices.ContainsFunc(t.told[max(0, at-1):min(len(t.told), at+2)], func(o term) bool { return kind(o) && o.clause == t.told[at].clause })
}

// pronoun reports whether one of the five words before a term is a pronoun for somebody.
func (t *telling) pronoun(at int) bool {
	from := t.told[at].from
	return slices.ContainsFunc(t.toks[max(0, from-5):from], func(w token) bool { return pronouns[w.Text] })
}

// modified reports whether a modifier that is not among held says which thing a term is.
func (t *telling) modified(at int, held []int) bool {
	return at > 0 && t.told[at-1].modifier && t.told[at-1].to == t.told[at].from && !slices.Contains(held, at-1)
}

// does reports whether a verb that is not among held is near a term in its clause.
func (t *telling) does(at int, held []int) bool {
	for o := max(0, at-2); o < min(len(t.told), at+2); o++ {
		if x := t.told[o]; !slices.Contains(held, o) && x.clause == t.told[at].clause && len(x.means) > 0 && !x.noun && !x.quality && kindOf(x.text) == "" && !spoken.weak[x.text] && !spoken.meets[x.text] && !anybody(x) && !person(x) {
			return true
		}
	}
	return false
}

// worth returns the weight of a told term: a word that is said of most things weighs less.
func (t *telling) worth(at int, weight float64) float64 {
	if t.told[at].text[0] != '=' && spoken.weak[t.told[at].text] && !t.told[at].denied {
		return min(weight, weighsShared)
	}
	return weight
}

// contrary reports whether, near the terms held, something else is said of a kind of which there is
// only one: another colour, another day, another number.
func (t *telling) contrary(held []int, list []wording) bool {
	near := func(o int) bool {
		return slices.ContainsFunc(held, func(h int) bool { return t.told[h].clause == t.told[o].clause && max(h-o, o-h) <= 3 })
	}
	for o, told := range t.told {
		kind, is, speaks := kindOf(told.text), false, false
		if kind == "" || slices.Contains(held, o) && kind != "boy" || !near(o) {
			continue
		}
		for _, w := range list {
			for _, want := range w.want {
				speaks = speaks || kindOf(want.text) == kind
				is = is || want.text == told.text || slices.ContainsFunc(want.means, func(m string) bool { return slices.Contains(told.means, m) })
			}
			for _, tok := range w.toks { // within a phrase: "first prize"
				stem := spoken.stem(tok.Text)
				speaks, is = speaks || kindOf(stem) == kind && kind != "number", is || stem == told.text
			}
		}
		if speaks && !is && (slices.Contains(held, o) || !slices.ContainsFunc(held, func(h int) bool { return kindOf(t.told[h].text) == kind })) {
			return true
		}
	}
	return false
}

func kindOf(text string) string {
	if _, err := strconv.Atoi(text); err == nil {
		return "number"
	}
	return spoken.kinds[text]
}

// sameTerm reports whether a told term means the wanted one; if broad is set, it may be narrower.
func sameTerm(list []term, at int, want term, broad bool) bool {
	told := list[at]
	if at+1 < len(list) && told.to == list[at+1].from && told.word+list[at+1].word == want.word { // "sea gull"
		return true
	}
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
	if prefix, ok := strings.CutSuffix(told.word, want.word); ok && broad && len(want.word) >= 3 && len(prefix) >= 3 && spoken.common[prefix] { // "bedroom"
		return true
	}
	if len(want.text) >= 5 && !agent(told.text, want.text) && !agent(want.text, told.text) && !spoken.common[told.word] && english.Alike(told.text, want.text) {
		return true
	}
	if len(want.word) > 3 && voiceless(told.word) == voiceless(want.word) { // "grand" for "Grant"
		return true
	}
	if len(told.means) > 0 || spoken.forms[told.word] != "" { // a known word
		return slices.Contains(spoken.sounds[told.word], want.word)
	}
	is, _ := heardAs(told.word, want.word)
	return is
}

// agent reports whether a is the stem of a person who does what b says: "violinist".
func agent(a, b string) bool {
	end, ok := strings.CutPrefix(a, b)
	return ok && (end == "ist" || end == "er" || end == "man")
}

// broader reports whether one of the wanted meanings includes m: somebody may be a daughter.
func broader(m string, want []string) bool {
	return slices.ContainsFunc(want, func(w string) bool { return slices.Contains(spoken.takesIn[w], m) })
}

// broaderThan reports whether a meaning includes one of others.
func broaderThan(broad string, narrow []string) bool {
	return slices.ContainsFunc(narrow, func(n string) bool { return slices.Contains(spoken.takesIn[broad], n) })
}

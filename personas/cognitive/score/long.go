package score

import (
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/cognitive/tasks"
)

// token is a word of an answer, with the index of its piece.
type token struct {
	english.Word
	piece int
}

func tokens(said []Said) (out []token) {
	for i, s := range said {
		for _, w := range english.Scan(s.Text) {
			out = append(out, token{w, i})
		}
	}
	return out
}

// quote returns what was said from one token to another in the same piece.
func quote(said []Said, from, to token) string { return said[from.piece].Text[from.Start:to.End] }

// goesOn reports whether token i follows the one before it without punctuation.
func goesOn(toks []token, i int) bool {
	return i > 0 && i < len(toks) && toks[i].Break == english.Space
}

// texts returns the words of tokens.
func texts(toks []token) []string {
	out := make([]string, len(toks))
	for i, t := range toks {
		out[i] = t.Text
	}
	return out
}

// talked reports for each token whether it belongs to talk about the task.
func talked(toks []token) []bool {
	out := make([]bool, len(toks))
	for from := 0; from < len(toks); {
		to := from + 1
		for to < len(toks) && toks[to].Break != english.Stop {
			to++
		}
		text, at := strings.Join(texts(toks[from:to]), " "), from
		starts := make([]int, 0, to-from)
		for n := 0; at < to; at++ {
			starts = append(starts, n)
			n += len(toks[at].Text) + 1
		}
		for _, m := range spoken.talk.FindAllStringIndex(text, -1) {
			for i, start := range starts {
				out[from+i] = out[from+i] || m[0] <= start && start < m[1]
			}
		}
		from = to
	}
	return out
}

// mention is a word in an answer to a task of words to remember.
type mention struct {
	at, n int // tokens
	word  int // index of the wanted word; -1: none of them
	exact bool
	taken bool // taken back
}

// words scores words to remember, in any order and within talk.
func words(_ tasks.Task, f tasks.Form, it tasks.Item, said []Said) Score {
	want := it.Words
	if it.Kind == tasks.Recall {
		if i := slices.IndexFunc(f.Items, func(o tasks.Item) bool { return o.ID == it.Of }); i >= 0 {
			want = f.Items[i].Words
		}
	}
	toks := tokens(said)
	s, found := Score{}, make([]bool, len(want))
	list := mentions(toks, want)
	takeBack(toks, list)
	for _, m := range list {
		e := Evidence{Quote: quote(said, toks[m.at], toks[m.at+m.n-1])}
		switch {
		case m.taken:
			e.Why = WhyCorrected
		case m.word < 0:
			e.Why = WhyIntrusion
		case found[m.word]:
			e.Why = WhyRepeated
		default:
			e.Counts, found[m.word] = true, true
			if !m.exact {
				e.Why = WhyVariant
			}
			s.Points++
		}
		s.Evidence = append(s.Evidence, e)
	}
	s.Unclear = len(list) == 0 && len(toks) > 0 && !spoken.blank.MatchString(strings.Join(texts(toks), " "))
	if it.Kind == tasks.Register {
		s.Points = 0
		return s
	}
	if s.Max = it.Max; s.Max == 0 {
		s.Max = len(want)
	}
	s.Points = min(s.Points, s.Max)
	return s
}

// mentions returns the wanted words in an answer, and others that are said like answers.
func mentions(toks []token, want []string) (out []mention) {
	talk := talked(toks)
	for i := 0; i < len(toks); i++ {
		if list := wanted(toks, i, want); len(list) > 0 {
			out = append(out, list...)
			i += list[0].n - 1
		} else if w := toks[i].Text; !talk[i] && listed(toks, i) && !spoken.small[w] && !spoken.fillers[w] && len(w) > 2 && !commented(toks, talk, 0, i) {
			out = append(out, mention{at: i, n: 1, word: -1})
		}
	}
	return out
}

// listed reports whether a token stands by itself, as an answer does: between punctuation or
// fillers, or with no more than two small words before it.
func listed(toks []token, i int) bool {
	n := 0
	for j := i - 1; j >= 0 && toks[j+1].Break != english.Stop && i-j <= 6; j-- {
		if w := toks[j].Text; spoken.small[w] && !spoken.fillers[w] && w != "not" {
			n++
		}
	}
	return n <= 2
}

// wanted returns the wanted words that token i, alone or with the next one, may be.
func wanted(toks []token, i int, want []string) []mention {
	best := mention{word: -1}
	for k, w := range want {
		if is, exact := heardAs(toks[i].Text, english.Lower(w)); (is || voiceless(toks[i].Text) == voiceless(english.Lower(w))) && (best.word < 0 || exact) {
			best = mention{at: i, n: 1, word: k, exact: exact}
		}
	}
	if best.word >= 0 {
		return []mention{best}
	}
	if !goesOn(toks, i+1) || len(toks[i].Text)+len(toks[i+1].Text) < 5 || toks[i].Text == "the" || toks[i].Text == "and" {
		return nil
	}
	key := joined(toks[i].Text, toks[i+1].Text)
	for k, w := range want {
		for l, v := range want {
			if l != k && key == joined(english.Lower(w), english.Lower(v)) {
				return []mention{{at: i, n: 2, word: k}, {at: i, n: 2, word: l}}
			}
		}
	}
	next := func(w string) bool { is, _ := heardAs(toks[i+1].Text, english.Lower(w)); return is }
	if k := slices.IndexFunc(want, func(w string) bool { return key == sound(english.Lower(w)) || key == sound(english.Lower(w))+"a" }); k >= 0 && !slices.ContainsFunc(want, next) {
		return []mention{{at: i, n: 2, word: k}}
	}
	return nil
}

// voiceless returns a word with a voiceless last letter: recognisers write "card" for "cart".
func voiceless(w string) string {
	if len(w) < 3 {
		return w
	} else if i := strings.IndexByte("dbgzv", w[len(w)-1]); i >= 0 {
		return w[:len(w)-1] + "tpksf"[i:i+1]
	}
	return w
}

// takeBack marks the mentions that were taken back: "no, not chair", "chair, no, table".
func takeBack(toks []token, list []mention) {
	for k := range list {
		m := &list[k]
		from := 0
		if k > 0 {
			from = list[k-1].at + list[k-1].n
		}
		if from > m.at { // two words in the same tokens
			continue
		}
		between := texts(toks[from:m.at])
		for len(between) > 0 && slices.Contains([]string{"a", "an", "the", "it", "was"}, between[len(between)-1]) {
			between = between[:len(between)-1]
		}
		if after := toks[m.at+m.n:]; len(after) > 1 && after[0].Break == english.Space && (after[0].Text == "wasn't" || after[0].Text == "isn't") && after[1].Text != "it" {
			m.taken = true // "winter wasn't one"
		}
		if n := len(between); n > 0 && (between[n-1] == "not" || between[n-1] == "isn't" || between[n-1] == "wasn't") {
			m.taken = true
			between = between[:n-1]
		}
		if k == 0 || !spoken.undo.MatchString(strings.Join(between, " ")) {
			continue
		}
		if same := toks[list[k-1].at].Text == toks[m.at].Text; same == m.taken {
			list[k-1].taken = true
		}
	}
}

// commented reports whether the words before token i, since token from, make it part of talk: "my
// daughter has a dog".
func commented(toks []token, talk []bool, from, i int) bool {
	var before []string
	for j := from; j < i; j++ {
		if toks[j].Break == english.Stop || talk[j] {
			before = before[:0]
		}
		if !talk[j] {
			before = append(before, toks[j].Text)
		}
	}
	if n := len(before); n > 0 && closing[before[n-1]] {
		return false
	}
	return i < len(toks) && toks[i].Break != english.Stop && spoken.comment.MatchString(strings.Join(before, " ")+" ")
}

// closing holds words that end a comment.
var closing = english.Set("them it so know then too well now here there")

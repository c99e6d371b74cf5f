package score

import (
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/cognitive/tasks"
)

// answer is a word or name said in a fluency task.
type answer struct {
	quote string
	key   string // answers with the same key are the same word
	why   string // why it does not count, or is a variant
	out   bool   // it does not count
}

// fluency counts the different words said within the time.
func fluency(_ tasks.Task, it tasks.Item, said []Said) Score {
	s := Score{Max: it.Max}
	var list []answer
	kinds := map[string]bool{} // general words that do not count, as a kind of them was said
	if it.Category != "" {
		list = inCategory(spoken.categories[it.Category], it, said, kinds)
	} else {
		list = withLetter(english.Lower(it.Letter), it, said)
	}
	var seen []string
	for _, a := range list {
		e := Evidence{Quote: a.quote, Why: a.why}
		switch {
		case a.out:
		case slices.ContainsFunc(seen, func(k string) bool { return k == a.key || it.Category == "" && sameStem(k, a.key) }), kinds[a.key]:
			e.Why = WhyRepeated
		default:
			e.Counts = true
			seen = append(seen, a.key)
			s.Points++
		}
		s.Evidence = append(s.Evidence, e)
	}
	if s.Max > 0 {
		s.Points = min(s.Points, s.Max)
	}
	return s
}

func late(it tasks.Item, s Said) bool {
	return it.Seconds > 0 && s.After > time.Duration(it.Seconds)*time.Second
}

// inCategory returns the answers that name something, in a category or not. It adds to kinds the
// general words that do not count because a kind of them was named.
func inCategory(l *lexicon, it tasks.Item, said []Said, kinds map[string]bool) (out []answer) {
	if l == nil {
		return nil
	}
	toks := tokens(said)
	talk := talked(toks)
	list := l.inRow(toks)   // by token: it is in a row of several things
	last, aside := 0, false // where the last answer ended, and whether it was talk
	for i := 0; i < len(toks); i++ {
		end := i + 1
		for end < len(toks) && goesOn(toks, end) {
			end++
		}
		e, n, variant := l.heard(texts(toks[i:end]))
		t := toks[i]
		if e == nil {
			if w := t.Text; !talk[i] && !spoken.small[w] && !spoken.fillers[w] && len(w) > 2 && !commented(toks, talk, last, i) && (i == 0 || !whose[toks[i-1].Text]) {
				out = append(out, answer{quote: quote(said, t, t), why: WhyIntrusion, out: true})
			}
			continue
		}
		a := answer{quote: quote(said, t, toks[i+n-1]), key: e.name}
		if variant {
			a.why = WhyVariant
		}
		if o := l.sameAs(toks, i+n); o != nil {
			a.key = o.name
		}
		aside = !list[i] && commented(toks, talk, last, i) || aside && joins(toks, last, i)
		switch {
		case late(it, said[t.piece]):
			a.why, a.out = WhyLate, true
		case aside, talk[i], strings.HasSuffix(toks[i+n-1].Text, "'s") && l.says(toks, i+n):
			a.why, a.out = WhyTalk, true
		case i > 0 && toks[i-1].Text == "not" && goesOn(toks, i), withdrawn(toks, i+n), l.narrowed(toks, i, n):
			a.why, a.out = WhyCorrected, true
		case e.general != "":
			kinds[e.general] = true
		}
		out = append(out, a)
		i += n - 1
		last = i + 1
	}
	return out
}

// inRow reports for each token whether it begins one of at least three things in a row, which are a
// list and not a comment.
func (l *lexicon) inRow(toks []token) []bool {
	out := make([]bool, len(toks))
	for i := 0; i < len(toks); {
		var row []int
		for i < len(toks) && (len(row) == 0 || goesOn(toks, i)) {
			e, n := l.find(texts(toks[i:min(len(toks), i+l.longest)]))
			if e == nil || spoken.small[toks[i].Text] && n == 1 {
				break
			}
			row, i = append(row, i), i+n
		}
		for _, at := range row {
			out[at] = len(row) > 2
		}
		if len(row) == 0 {
			i++
		}
	}
	return out
}

// following returns what is said after an index in the same breath, eight words at most.
func following(toks []token, i int) string {
	end := i
	for end < len(toks) && end < i+8 && goesOn(toks, end) && toks[end].piece == toks[max(i-1, 0)].piece {
		end++
	}
	return strings.Join(texts(toks[i:end]), " ") + " "
}

// withdrawn reports whether the words after a word take it back: "no that's a drink".
func withdrawn(toks []token, i int) bool {
	text := following(toks, i)
	return spoken.withdraws.MatchString(text) && !spoken.blank.MatchString(text)
}

// narrowed reports whether a thing is replaced by a kind of it: "bread no rye bread".
func (l *lexicon) narrowed(toks []token, i, n int) bool {
	if i+n+1 >= len(toks) || toks[i+n].Text != "no" || !goesOn(toks, i+n) {
		return false
	}
	e, m := l.find(texts(toks[i+n+1 : min(len(toks), i+n+1+l.longest)]))
	return e != nil && m > n && slices.Equal(texts(toks[i+1+m:i+n+1+m]), texts(toks[i:i+n]))
}

// sameAs returns the thing that is then said to be the same as the one before: "that's the fridge".
func (l *lexicon) sameAs(toks []token, i int) *entry {
	m := spoken.equates.FindString(following(toks, i))
	if m == "" {
		return nil
	}
	at := i + strings.Count(m, " ")
	e, _ := l.find(texts(toks[at:min(len(toks), at+l.longest)]))
	return e
}

// whose holds words that may begin a comment: "my daughter".
var whose = english.Set("my our his their her")

// joins reports whether no more than "and a" stands between two indexes.
func joins(toks []token, from, to int) bool {
	return from < to && toks[from].Text == "and" && !slices.ContainsFunc(toks[from:to], func(t token) bool {
		return !slices.Contains([]string{"and", "a", "an", "the", "some"}, t.Text)
	})
}

// says reports whether a word continues a sentence, as in "the cat's just come in".
func (l *lexicon) says(toks []token, i int) bool {
	if !goesOn(toks, i) {
		return false
	}
	e, _ := l.find([]string{toks[i].Text})
	return e == nil && toks[i].Text != "and"
}

// heard returns the thing that words begin with, how many words it takes, and whether it is a
// variant of the name as written.
func (l *lexicon) heard(words []string) (e *entry, n int, variant bool) {
	w := words[0]
	if e, n = l.find(words); e != nil && (n > 1 || !spoken.small[w] || w == e.name) {
		return e, n, strings.Join(words[:n], " ") != e.name
	}
	if spoken.small[w] || spoken.fillers[w] || len(w) < 3 {
		return nil, 0, false
	}
	for _, one := range append([]string{w}, singulars(w)...) {
		for _, same := range spoken.sounds[one] {
			if e := l.names[same]; e != nil {
				return e, 1, true
			}
		}
	}
	if spoken.common[w] {
		return nil, 0, false
	}
	best := ""
	for name := range l.names { // takes the first name in order, so that the result is the same each time; slips mostly keep the second letter
		if near := len(name) >= 5 && max(len(name)-len(w), len(w)-len(name)) <= 2 && name[1] == w[1]; near && !strings.Contains(name, " ") && (best == "" || name < best) {
			if is, _ := heardAs(w, name); is {
				best = name
			}
		}
	}
	if best == "" {
		return nil, 0, false
	}
	return l.names[best], 1, true
}

// withLetter returns the answers to a letter.
func withLetter(letter string, it tasks.Item, said []Said) (out []answer) {
	if letter == "" {
		return nil
	}
	toks := tokens(said)
	talk := talked(toks)
	fits := func(i int) bool { return strings.HasPrefix(toks[i].Text, letter) && !talk[i] }
	last := 0
	for i, t := range toks {
		w := strings.TrimSuffix(t.Text, "'s")
		a := answer{quote: quote(said, t, t), key: w, out: true}
		_, number := english.Number(w)
		function := spoken.small[w] || spoken.fillers[w]
		switch {
		case talk[i], len(w) < 2 && w != "a" && w != "i":
			continue
		case !fits(i):
			if function || number || len(w) < 3 {
				continue
			}
			a.why = WhyIntrusion
		case late(it, said[t.piece]):
			a.why = WhyLate
		case number, spoken.names[w]:
			a.why = WhyIntrusion
		case function && !inList(toks, i, fits):
			continue
		case commented(toks, talk, last, i):
			a.why = WhyTalk
		case withdrawn(toks, i+1):
			a.why = WhyCorrected
		case calledName(toks[i+1:], letter):
			a.why = WhyIntrusion
		default:
			a.out = false
		}
		if fits(i) {
			last = i + 1
		}
		out = append(out, a)
	}
	return out
}

// calledName reports whether the words after a word say that it is a name.
func calledName(toks []token, letter string) bool {
	for k, t := range toks {
		if k == 6 || t.Break == english.Stop || strings.HasPrefix(t.Text, letter) {
			return false
		}
		if slices.Contains([]string{"name", "names", "allowed", "niece", "nephew", "family", "surname", "place", "places"}, t.Text) {
			return true
		}
	}
	return false
}

// inList reports whether a small word is one of a list of words that fit: it stands next to one of
// them, and not next to talk.
func inList(toks []token, i int, fits func(int) bool) bool {
	first := i == 0 || toks[i].Break == english.Stop || toks[i-1].piece != toks[i].piece
	end := i+1 == len(toks) || toks[i+1].Break == english.Stop || toks[i+1].piece != toks[i].piece
	before, after := !first && fits(i-1), !end && fits(i+1)
	apart := i+1 < len(toks) && toks[i+1].Break != english.Space && toks[i].Break != english.Space
	if w := toks[i].Text; w == "no" || w == "not" {
		return false
	}
	if first && end {
		return !spoken.fillers[toks[i].Text] || toks[i].Text == "and"
	}
	return before && (after || end) || apart && (before || after) || first && after && !spoken.fillers[toks[i].Text]
}

// sameStem reports whether two words are forms of the same word.
func sameStem(a, b string) bool {
	if spoken.stem(a) == spoken.stem(b) || spoken.families[a] != "" && spoken.families[a] == spoken.families[b] {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 3 || notForms[b] {
		return false
	}
	for _, stem := range []string{a, strings.TrimSuffix(a, "e"), strings.TrimSuffix(a, "y") + "i", a + a[len(a)-1:]} {
		if end, ok := strings.CutPrefix(b, stem); ok && slices.Contains(endings, end) && (len(a) > 3 || !strings.HasSuffix(b, "er")) {
			return true
		}
	}
	return false
}

var (
	endings = strings.Fields("s es ed ing er ers est en ern or ors ly ful less ness ment y ish able")
	// notForms holds words that only look like forms of another word.
	notForms = english.Set(`flower shower corner counter poster shoulder tower solder master pepper letter ladder forest tempest party county
		country pantry passable busy pastry body fully belly bully
		factor pastor castor tractor sector mentor cantor captor lantern cavern tavern governor parlor condor pattern moment comment cement apartment department compartment`)
)

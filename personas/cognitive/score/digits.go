package score

import (
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/cognitive/tasks"
)

var (
	zeros   = english.Set("zero nought naught nil oh o nothing null zip cipher cypher aught")
	doubled = map[string]int{"double": 2, "treble": 3, "triple": 3}
	// weak holds words that are digits only among digits.
	weak = english.Set("to too for fore ate won wan tree free sex sicks nein fife oh o one nothing null zip")
	// hems holds words said between digits that do not separate them.
	hems = english.Set(`um uh er erm ah hm hmm mm well so and then it it's its was is that's i think say the a yes ok okay now right`)
)

// run is a group of digits that were said together.
type run struct {
	from, to  int
	digits    string
	variant   bool
	oh        bool // it may be a sigh rather than a digit
	apart     bool // other words, or the end of a sentence, came before it
	corrected bool // it corrects what came before it
}

// digits compares the last digits said with those that were read out.
func digits(_ tasks.Task, it tasks.Item, said []Said) Score {
	s := Score{Max: it.Max}
	list := parted(said)
	if len(list) == 0 {
		return s
	}
	runs := digitRuns(list)
	if len(runs) == 0 {
		s.Unclear = !unknown.MatchString(between(list, 0, len(list)))
		return s
	}
	want := it.Digits
	if it.Backward {
		b := []byte(want)
		slices.Reverse(b)
		want = string(b)
	}
	start, got := lastSaid(runs, len(want))
	if start > 0 {
		s.Evidence = append(s.Evidence, Evidence{Quote: cut(said, list, runs[0].from, runs[start-1].to), Why: WhyCorrected})
	}
	e := Evidence{Quote: cut(said, list, runs[start].from, runs[len(runs)-1].to), Counts: got == want}
	switch {
	case !e.Counts:
		e.Why = WhyWrong
	default:
		s.Points, s.Level = it.Max, it.Level
		if slices.ContainsFunc(runs[start:], func(r run) bool { return r.variant }) {
			e.Why = WhyVariant
		}
	}
	s.Evidence = append(s.Evidence, e)
	return s
}

// lastSaid returns the digits that were said last, with the digits before a correction that it left
// standing, and the run that they begin with.
func lastSaid(runs []run, n int) (start int, got string) {
	join := func(from int) string {
		var b strings.Builder
		for _, r := range runs[from:] {
			b.WriteString(r.digits)
		}
		return b.String()
	}
	last := 0
	for i, r := range runs {
		if i > 0 && r.corrected {
			last = i
		}
	}
	if last > 0 {
		if got = join(last); len(got) >= n {
			return tail(runs, last, n, join)
		}
		before := strings.TrimSuffix(join(0), got)
		return 0, before[:min(n-len(got), len(before))] + got
	}
	return tail(runs, 0, n, join)
}

// tail leaves out what was said before a fresh start, if the rest is as long as what was asked for.
func tail(runs []run, from, n int, join func(int) string) (start int, got string) {
	got = join(from)
	if len(got) <= n {
		return from, got
	}
	for i := from + 1; i < len(runs); i++ {
		if rest := join(i); len(rest) == n && (runs[i].apart || runs[i-1].oh && i == from+1) {
			return i, rest
		}
	}
	return from, got
}

// digitRuns returns the runs of digits in an answer, word by word.
func digitRuns(list []token) (out []run) {
	after := 0
	for i := 0; i < len(list); {
		r, n := runAt(list, i)
		if n == 0 {
			i++
			continue
		}
		r.from, r.to = i, i+n
		r.apart = i > after || list[i].Break == english.Stop
		r.corrected = len(out) > 0 && corrects.MatchString(between(list, after, i))
		out = append(out, r)
		i += n
		after = i
	}
	return out
}

// runAt reads the digits at a word, and returns how many words they take.
func runAt(list []token, i int) (r run, n int) {
	w := list[i].Text
	if times := doubled[w]; times > 0 && i+1 < len(list) {
		if next, n := runAt(list, i+1); n == 1 && len(next.digits) == 1 {
			next.digits = strings.Repeat(next.digits, times)
			return next, 2
		}
	}
	if weak[w] {
		before, after := amongDigits(list, i, -1), amongDigits(list, i, 1)
		if !after || !before && (w != "one" || i+1 == len(list)) {
			return run{}, 0
		}
	}
	if zeros[w] {
		return run{digits: "0", oh: w == "oh" || w == "o"}, 1
	}
	if v := slips[w]; v > 0 {
		return run{digits: strconv.Itoa(v), variant: true}, 1
	}
	if strings.ContainsAny(w, "0123456789") {
		return run{digits: strings.Join(digitGroup.FindAllString(w, -1), "")}, 1
	}
	texts := []string{w}
	for k := i + 1; k < min(i+5, len(list)) && list[k].Break == english.Space; k++ {
		texts = append(texts, list[k].Text)
	}
	v, n := english.NumberAt(texts...)
	if n == 0 {
		return run{}, 0
	}
	return run{digits: strconv.Itoa(v), variant: v > 9}, n
}

// amongDigits reports whether the next word in a direction, apart from hems, may be a digit, or
// punctuation or the end comes first.
func amongDigits(list []token, i, step int) bool {
	for k := i + step; k >= 0 && k < len(list); k += step {
		if list[max(k, k-step)].Break != english.Space {
			return true
		}
		switch w := list[k].Text; {
		case hems[w]:
		case corrects.MatchString(w):
			return list[i].Text != "oh"
		default:
			_, n := english.NumberAt(w)
			return n > 0 || weak[w] || zeros[w] || doubled[w] > 0 || strings.ContainsAny(w, "0123456789")
		}
	}
	return true
}

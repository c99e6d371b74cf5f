package evaluation

import (
	"slices"
	"strings"
	"unicode"
)

// faint are words that a question has whatever it is about.
var faint = strings.Fields(`a about after all am an and any are as at be been before but by can could day did do does
	for from get go had has have he her him his how i in is it its like may me my no not now of off on one or our out
	say she so still take tell than that the their them then there they this to up us was we were what when where
	which who whose why will with year you your`)

// InOtherWords reports whether a question shares no word with one of the turns
// that answer it, nor with what nAIber asked there. Then only meaning finds it.
func (e Elder) InOtherWords(q Question) bool {
	asked := e.words(q.Text)
	for _, c := range e.Calls {
		for i, t := range c.Turns {
			if t.Tag == "" || !slices.Contains(q.Gold, t.Tag) {
				continue
			}
			said := e.words(c.Turns[i-1].Text + " " + t.Text)
			if !slices.ContainsFunc(asked, func(w string) bool { return slices.Contains(said, w) }) {
				return true
			}
		}
	}
	return false
}

// words are the words of a text that say something, without their endings. The
// person's own name is not among them: it is everywhere.
func (e Elder) words(text string) []string {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	own := strings.FieldsFunc(strings.ToLower(e.Name+" "+e.CallName), between)
	var out []string
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), between) {
		if len(w) < 2 || slices.Contains(faint, w) || slices.Contains(own, w) {
			continue
		}
		for _, end := range []string{"ing", "ies", "es", "ed", "s", "e", "y"} {
			if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 3 {
				w = rest
				break
			}
		}
		out = append(out, w)
	}
	return out
}

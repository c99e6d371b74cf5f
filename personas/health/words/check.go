package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/health/packs"
)

const (
	fewestRunes = 10
	mostRunes   = 320 // about twenty seconds of speech
	moreRunes   = 120 // in addition to the length of the pack's own wording
	mostBefore  = 2   // sentences before the question
)

// clean removes quotation marks and line breaks that models put around a sentence.
func clean(text string) string {
	text = english.OneLine(text)
	for _, pair := range [][2]string{{`"`, `"`}, {"“", "”"}, {"'", "'"}} {
		if strings.HasPrefix(text, pair[0]) && strings.HasSuffix(text, pair[1]) && len(text) > len(pair[0])+len(pair[1]) {
			text = strings.TrimSpace(text[len(pair[0]) : len(text)-len(pair[1])])
		}
	}
	return text
}

// unfit returns the reason why a model's wording cannot be used, or "". It is strict, since the
// pack's own wording is always available: a plain question is better than a different one.
func (a Ask) unfit(text string) string {
	own := a.Question.Wording(0)
	runes := utf8.RuneCountInString(text)
	switch {
	case runes < fewestRunes || runes > min(mostRunes, utf8.RuneCountInString(own)+moreRunes):
		return "length"
	case strings.ContainsFunc(text, unspoken):
		return "marks"
	case !strings.HasSuffix(text, "?") || strings.Count(text, "?") > max(1, strings.Count(own, "?")):
		return "questions"
	case !speaks(text, a.Language):
		return "language"
	}
	before, question := split(text)
	if len(before) > mostBefore || len(before) > 0 && !a.soft() && !twoPart(own) {
		return "sentences"
	}
	if why := tongueOf(a.Language).unwelcome(text, own); why != "" {
		return why
	}
	if a.misses(strings.Join(before, " ")) {
		return "comfort"
	}
	return a.strays(strings.Join(before, " "), question, own)
}

// misses reports whether the words before the question comfort a person who gave no bad news, or
// express joy at bad news.
func (a Ask) misses(before string) bool {
	t := tongueOf(a.Language)
	switch a.Lead {
	case Thanks, Glad:
		return slices.ContainsFunc(listOf(before), t.Comforting.has)
	case Sorry:
		return slices.ContainsFunc(listOf(before), t.Gladdening.has)
	default:
		return false
	}
}

// strays returns how the question differs from the pack's, or "".
func (a Ask) strays(before, question, own string) string {
	q, t := a.Question, tongueOf(a.Language)
	known := append(vocabulary(q), listOf(a.Name)...)
	switch {
	case foreignNumber(before+" "+question, own):
		return "numbers"
	case !slices.ContainsFunc(listOf(question), func(w string) bool { return t.about(q, w) }):
		return "topic"
	case q.Type == packs.TypeScale && !t.keepsScale(q, question):
		return "scale"
	case q.Type == packs.TypeChoice && !keepsChoices(q, question):
		return "choices"
	case !t.covers(question, q):
		return "meaning"
	case q.Type == packs.TypeBoolean && (t.foreignWord(question, known) || t.turned(question, q)):
		return "meaning"
	}
	return ""
}

// unspoken reports whether r is a mark that cannot be spoken, or an exclamation mark, which would
// sound too cheerful.
func unspoken(r rune) bool {
	return strings.ContainsRune("!*#_`[]{}<>|~^=\\•→/@…", r) || unicode.Is(unicode.So, r) || unicode.IsControl(r)
}

// split splits a text into the sentences before the question, and the question.
func split(text string) (before []string, question string) {
	rest := text
	for {
		i := strings.IndexAny(rest, ".?")
		if i < 0 || rest[i] == '?' {
			return before, strings.TrimSpace(rest)
		}
		if s := strings.TrimSpace(rest[:i+1]); s != "." && s != "" {
			before = append(before, s)
		}
		rest = rest[i+1:]
	}
}

// twoPart reports whether the pack's own wording has a sentence before the question.
func twoPart(own string) bool {
	before, _ := split(own)
	return len(before) > 0
}

func (t *tongue) unwelcome(text, own string) string {
	said, allowed := " "+english.Plain(text)+" ", " "+english.Plain(own)+" "
	for _, a := range t.Advice {
		if strings.Contains(said, " "+a) && !strings.Contains(allowed, " "+a) {
			return "unwelcome"
		}
	}
	return ""
}

// keepsChoices reports whether the question names all its choices.
func keepsChoices(q packs.Question, question string) bool {
	said := english.Plain(question)
	return !slices.ContainsFunc(q.Choices, func(c packs.Choice) bool { return !english.Holds(said, english.Plain(c.Label)) })
}

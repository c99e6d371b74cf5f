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
	moreRunes   = 120 // beyond the pack's own wording
	mostBefore  = 2   // sentences before the question
)

// clean takes off what models like to put around a sentence.
func clean(text string) string {
	text = english.OneLine(text)
	for _, pair := range [][2]string{{`"`, `"`}, {"“", "”"}, {"'", "'"}} {
		if strings.HasPrefix(text, pair[0]) && strings.HasSuffix(text, pair[1]) && len(text) > len(pair[0])+len(pair[1]) {
			text = strings.TrimSpace(text[len(pair[0]) : len(text)-len(pair[1])])
		}
	}
	return text
}

// unfit says why a model's wording cannot be used; "" when it can. It is strict,
// since the pack's own wording is always there: better a plain question than
// another one.
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
	if why := unwelcome(text, own); why != "" {
		return why
	}
	if a.misses(strings.Join(before, " ")) {
		return "comfort"
	}
	return a.strays(strings.Join(before, " "), question, own)
}

// Words of comfort and of gladness: one where the other belongs is worse than none.
var (
	comforting = strings.Fields(`sorry fright frightening dreadful awful terrible horrid nasty poor ouch painful unfortunate sad difficult hard rough miserable shame pity worrying`)
	gladdening = strings.Fields(`glad lovely wonderful marvellous great good nice splendid excellent delighted pleased happy fine well brilliant`)
)

// misses reports whether what goes before the question comforts somebody who told
// nothing bad, or rejoices at bad news.
func (a Ask) misses(before string) bool {
	has := func(list []string) bool {
		return slices.ContainsFunc(listOf(before), func(w string) bool { return slices.Contains(list, w) })
	}
	switch a.Lead {
	case Thanks, Glad:
		return has(comforting)
	case Sorry:
		return has(gladdening)
	default:
		return false
	}
}

// strays says how the question differs from the pack's.
func (a Ask) strays(before, question, own string) string {
	q := a.Question
	known := append(vocabulary(q), listOf(a.Name)...)
	switch {
	case foreignNumber(before+" "+question, own):
		return "numbers"
	case !slices.ContainsFunc(listOf(question), func(w string) bool { return about(q, w) }):
		return "topic"
	case q.Type == packs.TypeScale && !keepsScale(q, question):
		return "scale"
	case q.Type == packs.TypeChoice && !keepsChoices(q, question):
		return "choices"
	case !covers(question, q):
		return "meaning"
	case q.Type == packs.TypeBoolean && (foreignWord(question, known) || turned(question, q)):
		return "meaning"
	}
	return ""
}

// unspoken are the marks that no voice can say, and the cheer that none should.
func unspoken(r rune) bool {
	return strings.ContainsRune("!*#_`[]{}<>|~^=\\•→/@…", r) || unicode.Is(unicode.So, r) || unicode.IsControl(r)
}

// split cuts a text into the sentences before the question and the rest.
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

// twoPart reports whether the pack's own wording has a sentence before the
// question.
func twoPart(own string) bool {
	before, _ := split(own)
	return len(before) > 0
}

// advice are beginnings of words, and phrases, that a question has no use for
// unless the pack's own wording has them.
var advice = []string{
	"advice", "advis", "recommend", "suggest", "you should", "you must", "you need to", "you ought", "make sure", "try to", "remember to",
	"diagnos", "symptom", "disease", "disorder", "depress", "anxi", "dement", "doctor", "physician", "hospital", "dose", "dosage",
	"prescri", "treatment", "therapy", "emergency", "ambulance", "medical", "excellent", "perfect", "well done", "good job", "great job",
	"wonderful", "fantastic", "goodbye", "press", "as an ai", "language model", "i'm human", "i am human", "a human being", "real person",
	"when i was", "my own", "instruction", "prompt", "system",
}

func unwelcome(text, own string) string {
	said, allowed := " "+english.Plain(text)+" ", " "+english.Plain(own)+" "
	for _, a := range advice {
		if strings.Contains(said, " "+a) && !strings.Contains(allowed, " "+a) {
			return "unwelcome"
		}
	}
	return ""
}

// keepsChoices reports whether every answer of the question is named.
func keepsChoices(q packs.Question, question string) bool {
	said := english.Plain(question)
	return !slices.ContainsFunc(q.Choices, func(c packs.Choice) bool { return !english.Holds(said, english.Plain(c.Label)) })
}

// Package likely tells what a reply to a health check's question likely means, by weights that
// were learned from replies of strangers (testdata/corpus and others, see learn_test.go): people
// answer by idiom, by rhetoric and by facts, and there is no end of those. Rules come first: what
// weights make of a reply is read back before it counts, and takes nothing back by itself.
package likely

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	english "github.com/kljensen/snowball/english"
	spanish "github.com/kljensen/snowball/spanish"

	text "github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/weights"
	"github.com/naiber/naiber/personas/health/reader"
)

//go:embed *.weights
var files embed.FS

// language is what is known of one.
type language struct {
	weights *weights.Weights
	stem    func(string, bool) string
}

var languages = func() map[string]*language {
	all := map[string]*language{"en": {stem: english.Stem}, "es": {stem: spanish.Stem}}
	for code, l := range all {
		var err error
		if l.weights, err = weights.Open(files, code+".weights"); err != nil {
			panic(fmt.Sprintf("health: %s: %v", code, err)) // a file of ours
		}
	}
	return all
}()

// What a reply may come to besides an option of a choice. [None] is a reply that holds no answer,
// [Given] one that holds a number, a time or a telling.
const (
	None    = ""
	Refused = "refused"
	Skipped = "skipped"
	End     = "end"
	Given   = "given"
	Yes     = "yes"
	No      = "no"
)

// Meaning is how likely a reply is each of the things that it may be; nothing is nil, and as
// likely as nothing.
type Meaning map[string]float64

// Of returns what a reply to q likely means; rules is what rules made of it. It is nil where
// nothing was learned: in other languages, and where nobody was asked q.
func Of(q *reader.Question, said string, rules reader.Reading, rc reader.Context) Meaning {
	l := languageOf(rc)
	if l == nil || !l.weights.Learned(weights.Hash('q', q.ID)) {
		return nil
	}
	of, among := l.evidence(q, said, rules, rc, l.weights.Kinds)
	p := l.weights.Read(of, among)
	m := make(Meaning)
	for i, k := range l.weights.Kinds {
		if among[i] {
			m[k] = p[i]
		}
	}
	return m
}

func languageOf(rc reader.Context) *language {
	code, _, _ := strings.Cut(cmp.Or(rc.Locale, "en"), "-")
	return languages[code]
}

// Evidence returns what weights are for in a reply, and which of the kinds it may be of. It is for
// those who learn them.
func Evidence(q *reader.Question, said string, rules reader.Reading, rc reader.Context, kinds []string) (of []weights.Feature, among []bool) {
	return languageOf(rc).evidence(q, said, rules, rc, kinds)
}

// Learned returns the header of a language's weights.
func Learned(code string) weights.Header { return languages[code].weights.Header }

// Answer returns the answer that is likeliest, and how likely it is.
func (m Meaning) Answer() (answer string, likely float64) {
	for k, p := range m {
		if p > likely && k != None && k != Refused && k != Skipped && k != End {
			answer, likely = k, p
		}
	}
	return answer, likely
}

// Meant is what a reading is in the words of a [Meaning].
func Meant(rd reader.Reading) string {
	switch {
	case rd.Status == reader.Refused:
		return Refused
	case rd.Status == reader.Skipped:
		return Skipped
	case rd.Status != reader.Answered:
		return None
	case rd.Value.Kind == reader.Boolean || rd.Value.Kind == reader.Choice:
		return rd.Value.String()
	default:
		return Given
	}
}

// amongOf tells which kinds a reply to q may be of.
func amongOf(q *reader.Question, kinds []string) []bool {
	among := make([]bool, len(kinds))
	for i, k := range kinds {
		switch k {
		case None, Refused, Skipped, End:
			among[i] = true
		case Yes, No:
			among[i] = q.Kind == reader.Boolean
		case Given:
			among[i] = q.Kind != reader.Boolean && q.Kind != reader.Choice
		default:
			among[i] = q.Kind == reader.Choice && slices.ContainsFunc(q.Options, func(o reader.Option) bool { return o.Value == k })
		}
	}
	return among
}

// mostWords is how many words of a reply are read.
const mostWords = 60

// evidence is the words of a reply, by themselves, by the kind of question and by the question,
// and what rules make of it.
func (l *language) evidence(q *reader.Question, said string, rules reader.Reading, rc reader.Context, kinds []string) (of []weights.Feature, among []bool) {
	scanned := text.Scan(said)
	words := make([]string, 0, len(scanned))
	for _, w := range scanned[:min(len(scanned), mostWords)] {
		words = append(words, l.stem(text.Unmarked(w.Text), false))
	}
	f := weights.Of(words)
	about := string(q.Kind) // what means the same to each question of a sort
	for _, o := range q.Options {
		about += " " + o.Value
	}
	for i, w := range words {
		f.Add('k', string(q.Kind), w)
		f.Add('o', about, w)
		f.Add('w', q.ID, w)
		if i+1 < len(words) {
			f.Add('K', string(q.Kind), w, words[i+1])
			f.Add('W', q.ID, w, words[i+1])
		}
	}
	f.Add('q', q.ID)
	f.Add('Q', string(q.Kind))
	f.Add('R', string(q.Kind), Meant(rules), strconv.FormatBool(rules.Settled))
	f.Add('V', about, rules.Value.Choice, boolean(rules.Value), strconv.FormatBool(rules.Settled))
	f.Add('y', string(q.Kind), rules.Why)
	f.Add('I', string(q.Kind), string(reader.IntentIn(said, rc)))
	f.Add('n', string(q.Kind), strconv.Itoa(min(len(scanned), 8)))
	if len(words) > 0 {
		f.Add('f', string(q.Kind), words[0])
		f.Add('l', string(q.Kind), words[len(words)-1])
	}
	return f.All, amongOf(q, kinds)
}

func boolean(v reader.Value) string {
	if v.Kind != reader.Boolean {
		return ""
	}
	return v.String()
}

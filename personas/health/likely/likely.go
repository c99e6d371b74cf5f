// Package likely estimates the meaning of replies to a health check's questions, by weights learned
// from replies of strangers (testdata/corpus and others, see learn_test.go): people answer in
// idioms, by rhetorical questions and with facts, which no rules can list in full. Rules come
// first: what the weights suggest is read back before it counts, and does not change an answer by
// itself.
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

// language is what is known about one language.
type language struct {
	weights *weights.Weights
	stem    func(string, bool) string
}

var languages = func() map[string]*language {
	all := map[string]*language{"en": {stem: english.Stem}, "es": {stem: spanish.Stem}}
	for code, l := range all {
		var err error
		if l.weights, err = weights.Open(files, code+".weights"); err != nil {
			panic(fmt.Sprintf("health: %s: %v", code, err)) // the files are embedded
		}
	}
	return all
}()

// What a reply may mean, in addition to the options of a choice. [None] is a reply without an
// answer, [Given] one with a number, a time or a text.
const (
	None    = ""
	Refused = "refused"
	Skipped = "skipped"
	End     = "end"
	Given   = "given"
	Yes     = "yes"
	No      = "no"
)

// Meaning is the probability of each thing that a reply may mean. A nil Meaning has probability 0
// for everything.
type Meaning map[string]float64

// Of returns what a reply to q likely means; rules is what rules read in it. It returns nil if
// nothing was learned: in other languages, or about a question that the learned replies do not
// answer.
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

// Evidence returns the features of a reply that have weights, and which of the kinds it may be of.
// It is exported for the learning of weights.
func Evidence(q *reader.Question, said string, rules reader.Reading, rc reader.Context, kinds []string) (of []weights.Feature, among []bool) {
	return languageOf(rc).evidence(q, said, rules, rc, kinds)
}

// Learned returns the header of a language's weights. It panics if there are none for code.
func Learned(code string) weights.Header { return languages[code].weights.Header }

// Answer returns the most probable answer and its probability, or "" and 0.
func (m Meaning) Answer() (answer string, likely float64) {
	for k, p := range m {
		if p > likely && k != None && k != Refused && k != Skipped && k != End {
			answer, likely = k, p
		}
	}
	return answer, likely
}

// Meant returns a reading as a key of [Meaning].
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

// amongOf returns which of the kinds a reply to q may be of.
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

// mostWords is the number of words of a reply that are used.
const mostWords = 60

// evidence returns the features of a reply: its words, by themselves and combined with the question
// and its kind, and what rules read in it. It also returns which of the kinds the reply may be of.
func (l *language) evidence(q *reader.Question, said string, rules reader.Reading, rc reader.Context, kinds []string) (of []weights.Feature, among []bool) {
	scanned := text.Scan(said)
	words := make([]string, 0, len(scanned))
	for _, w := range scanned[:min(len(scanned), mostWords)] {
		words = append(words, l.stem(text.Unmarked(w.Text), false))
	}
	f := weights.Of(words)
	parts := []string{string(q.Kind)}
	for _, o := range q.Options {
		parts = append(parts, o.Value)
	}
	about := strings.Join(parts, " ") // shared by questions with the same kind and options
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

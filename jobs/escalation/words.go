package escalation

import (
	"cmp"
	"embed"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/store/people"
)

//go:embed words
var wordFiles embed.FS

// Words are the texts of alerts in one language.
type Words struct {
	Language string `yaml:"-"`
	Kinds    map[string]string
	Notice   struct{ Subject, Operator, What, Unsure, Take, Others, Emergency, Welfare, Number string }
	Page     struct {
		Title, When, Said, Call, Name, Button, Taken, Closed, Expired, Unknown, Thanks, Outcome, Example, Close, Missing string
	}
}

var languages = func() map[string]Words {
	all := make(map[string]Words)
	for _, name := range []string{"en", "es", "de"} {
		data, err := wordFiles.ReadFile("words/" + name + ".yaml")
		if err != nil {
			panic(err)
		}
		w := Words{Language: name}
		if err := yaml.UnmarshalWithOptions(data, &w, yaml.Strict()); err != nil {
			panic("words/" + name + ".yaml: " + err.Error()) // the file is part of the program
		}
		all[name] = w
	}
	return all
}()

// WordsIn returns the texts for a language tag, or the English ones.
func WordsIn(language string) Words {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	if w, known := languages[base]; known {
		return w
	}
	return languages["en"]
}

// Kind returns the words for a kind of alert.
func (w Words) Kind(kind string) string { return cmp.Or(w.Kinds[kind], w.Kinds["other"]) }

// Operator reports whether an alert of a kind is for the operator.
func Operator(kind string) bool { return strings.HasPrefix(kind, "operator_") }

// Head returns a one-line summary of an alert, without a name if the person is unknown.
func (w Words) Head(p people.Person, kind string) string {
	switch {
	case Operator(kind):
		return w.Notice.Operator + ": " + strings.ReplaceAll(strings.TrimPrefix(kind, "operator_"), "_", " ")
	case p.Name == "":
		return w.Kind(kind)
	}
	return Fill(w.Notice.Subject, "name", p.Name, "kind", w.Kind(kind))
}

// text returns the text of a notice, without its link.
func (w Words) text(p people.Person, kind string, at time.Time, unsure bool) string {
	when := When(p, at)
	if p.Name == "" {
		return w.Head(p, kind) + " (" + when + ")."
	}
	text := Fill(w.Notice.What, "name", p.Name, "kind", w.Kind(kind), "when", when)
	if unsure {
		text += " " + w.Notice.Unsure
	}
	return text
}

// When formats a time in the person's time zone, in digits that every language understands.
func When(p people.Person, at time.Time) string {
	return at.In(p.Location()).Format("2006-01-02 15:04 MST")
}

// Fill replaces {names} in text by values; pairs alternates names and values.
func Fill(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

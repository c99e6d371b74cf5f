package model

import (
	"embed"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/internal/english"
)

// formFiles hold how a request for structured output is answered: forms/NAME.yaml
// for the schema of that name, as a template that makes the answer. What it reads is
// a [record]; the functions are those of theForms.
//
//go:embed forms/*.yaml
var formFiles embed.FS

// theForms are the embedded forms. A mistake in one is a broken invariant, and a test
// reads them.
var theForms = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"json":  func(v any) string { return string(mustJSON(v)) },
		"match": func(pattern, text string) bool { return find(pattern, text) != nil },
		"find":  find,
		"lower": lowerFirst, "bare": bare, "cites": cites,
	}).ParseFS(formFiles, "forms/*.yaml"))
})

// find returns the match of a pattern in a text and of its groups, whatever the case.
func find(pattern, text string) []string {
	return regexp.MustCompile("(?i)" + pattern).FindStringSubmatch(text)
}

// fill answers a request for the form of a name. One that nobody has written yet
// gets an answer that says nothing.
func fill(name string, s *schema, messages []message) string {
	var out []byte
	record := ""
	for _, m := range messages {
		if m.Role == "user" {
			record = m.text()
		}
	}
	made, err := write(name, record)
	if err == nil {
		out, err = yaml.YAMLToJSON([]byte(made))
	}
	if err != nil {
		out = mustJSON(s.blank())
	}
	return string(out)
}

// write makes what the form of a name makes of a record.
func write(name, text string) (string, error) {
	var made strings.Builder
	err := theForms().ExecuteTemplate(&made, name+".yaml", readRecord(text))
	return strings.TrimSpace(made.String()), err
}

// A verdict says what a new fact means to old ones.
type verdict struct {
	New     int
	Verdict string
	Old     []int
}

// Verdicts compares new facts with the old ones below each.
func (r record) Verdicts() []verdict {
	var out []verdict
	fresh := ""
	for _, m := range cue("fact").FindAllStringSubmatch(r.Text, -1) {
		n, _ := strconv.Atoi(m[1]) // digits
		if strings.HasPrefix(m[0], "NEW") {
			fresh = m[2]
			out = append(out, verdict{n, "APPEND", []int{}})
			continue
		}
		if len(out) == 0 {
			continue
		}
		v := &out[len(out)-1]
		if found := verdictOn(fresh, m[2]); found != "APPEND" && (v.Verdict == "APPEND" || v.Verdict == found) {
			v.Verdict, v.Old = found, append(v.Old, n)
		}
	}
	return out
}

// verdictOn says what a fact means to an old one.
func verdictOn(fresh, old string) string {
	a, b := topicsIn(fresh), topicsIn(old)
	switch common := english.Common(a, b); {
	case common == len(a) && common == len(b):
		return "PASS"
	case common == 0:
	case cue("ends").MatchString(fresh) && !cue("ends").MatchString(old):
		return "DELETE"
	case cue("lives").MatchString(fresh) && cue("lives").MatchString(old):
		return "REPLACE"
	}
	return "APPEND"
}

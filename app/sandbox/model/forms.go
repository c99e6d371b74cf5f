package model

import (
	"embed"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/goccy/go-yaml"
)

//go:embed forms/*.yaml
var formFiles embed.FS

// theForms are how requests for structured output are answered: forms/NAME.yaml for the
// schema of that name, as a template that makes the answer of a [record].
var theForms = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"json": func(v any) (string, error) { raw, err := json.Marshal(v); return string(raw), err },
		"find": find, "sentences": sentencesOf, "lower": lowerFirst, "bare": bare, "cites": cites,
	}).ParseFS(formFiles, "forms/*.yaml"))
})

// find returns the match of a pattern in a text and of its groups, whatever the case.
func find(pattern, text string) []string {
	return regexp.MustCompile("(?i)" + pattern).FindStringSubmatch(text)
}

// fill answers a request for the form of a name. It answers one that nobody has
// written yet with what says nothing.
func fill(name string, s *schema, messages []message) string {
	text := ""
	for _, m := range messages {
		if m.Role == "user" {
			text = m.text()
		}
	}
	made, err := write(name, text)
	out, broken := yaml.YAMLToJSON([]byte(made))
	if err != nil || broken != nil {
		out, _ = json.Marshal(s.blank()) // of what came as JSON
	}
	return string(out)
}

// write returns what the form of a name makes of a record.
func write(name, text string) (string, error) {
	var made strings.Builder
	err := theForms().ExecuteTemplate(&made, name+".yaml", readRecord(text))
	return strings.TrimSpace(made.String()), err
}

// A schema is a JSON schema, as far as an answer without content needs it.
type schema struct {
	Type                 oneOrAll           `json:"type"`
	Enum                 []any              `json:"enum"`
	AnyOf                []*schema          `json:"anyOf"`
	Items                *schema            `json:"items"`
	Minimum              float64            `json:"minimum"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties any                `json:"additionalProperties"`
}

// strict reports whether s is an object, and all objects are closed and have all
// of their properties required, which the real service insists on.
func (s *schema) strict() bool { return slices.Equal(s.Type, oneOrAll{"object"}) && !s.open() }

func (s *schema) open() bool {
	if s == nil {
		return false
	}
	below := append(slices.Concat(s.AnyOf, slices.Collect(maps.Values(s.Properties))), s.Items)
	return slices.Contains(s.Type, "object") && s.AdditionalProperties != false ||
		len(s.Required) != len(s.Properties) || slices.ContainsFunc(below, (*schema).open)
}

// blank returns an answer that fits and says nothing.
func (s *schema) blank() any {
	switch {
	case len(s.AnyOf) > 0:
		return s.AnyOf[len(s.AnyOf)-1].blank()
	case len(s.Enum) > 0:
		return s.Enum[len(s.Enum)-1]
	case slices.Contains(s.Type, "null") || len(s.Type) == 0:
		return nil
	}
	properties := map[string]any{}
	for name, p := range s.Properties {
		properties[name] = p.blank()
	}
	return map[string]any{"object": properties, "array": []any{}, "integer": s.Minimum, "number": s.Minimum, "boolean": false, "string": ""}[s.Type[0]]
}

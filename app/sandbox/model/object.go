package model

import (
	"bytes"
	"encoding/json"
	"strings"
)

// fillObject answers a request for "some JSON object". The shape is that of
// the last example in the prompts, and otherwise a summary with topics.
func fillObject(messages []message) string {
	root := &schema{Types: []string{"object"}, MaxLength: -1, MaxItems: -1, Properties: []property{
		{name: "summary", schema: &schema{Types: []string{"string"}, MaxLength: -1, MaxItems: -1}},
		{name: "topics", schema: &schema{Types: []string{"array"}, MaxLength: -1, MaxItems: -1, Items: &schema{Types: []string{"string"}, MaxLength: -1, MaxItems: -1}}},
	}}
	for _, m := range messages {
		if m.Role != "system" && m.Role != "developer" {
			continue
		}
		if shape := exampleIn(m.Content); shape != nil {
			root = shape
		}
	}
	out, err := fillSchema(root, readScene(messages))
	if err != nil {
		return "{}"
	}
	return out
}

// maxExamples bounds how many braces of a prompt are tried.
const maxExamples = 100

// exampleIn returns the shape of the last JSON object in a text, or nil.
func exampleIn(text string) *schema {
	var last *schema
	at := 0
	for range maxExamples {
		i := strings.IndexByte(text[at:], '{')
		if i < 0 {
			break
		}
		at += i
		dec := json.NewDecoder(strings.NewReader(text[at:]))
		var raw json.RawMessage
		if dec.Decode(&raw) != nil || len(raw) == 0 || nesting(raw) > maxNesting {
			at++
			continue
		}
		last = shapeOf(raw)
		at += len(raw)
	}
	return last
}

// shapeOf is a schema that the example fits.
func shapeOf(raw json.RawMessage) *schema {
	s := &schema{Types: []string{kindOfJSON(raw)}, MaxLength: -1, MaxItems: -1}
	switch s.Types[0] {
	case "object":
		dec := json.NewDecoder(bytes.NewReader(raw))
		if _, err := dec.Token(); err != nil {
			return s
		}
		for dec.More() {
			key, err := dec.Token()
			var value json.RawMessage
			if name, ok := key.(string); ok && err == nil && dec.Decode(&value) == nil {
				s.Properties = append(s.Properties, property{name: name, schema: shapeOf(value)})
				continue
			}
			return s
		}
	case "array":
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
			s.Items = shapeOf(list[0])
		}
	case "null":
		s.Types = []string{"string", "null"}
	}
	return s
}

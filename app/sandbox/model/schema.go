package model

import (
	"encoding/json"
	"slices"
)

// A schema is a JSON schema, as far as an answer without content needs it.
type schema struct {
	Type                 kinds              `json:"type"`
	Enum                 []any              `json:"enum"`
	AnyOf                []*schema          `json:"anyOf"`
	Items                *schema            `json:"items"`
	Minimum              float64            `json:"minimum"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties any                `json:"additionalProperties"`
}

// kinds are the types that a value may have.
type kinds []string

// UnmarshalJSON reads one type, or a list of them.
func (k *kinds) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, (*oneOrAll)(k)) }

// least is the type of a value that says least.
func (k kinds) least() string {
	switch {
	case slices.Contains(k, "null"):
		return "null"
	case len(k) == 1:
		return k[0]
	}
	return "string"
}

// strict reports whether objects are closed and have all of their properties
// required, which the real service insists on.
func (s *schema) strict() bool {
	below := slices.Clone(s.AnyOf)
	if s.Items != nil {
		below = append(below, s.Items)
	}
	for _, p := range s.Properties {
		below = append(below, p)
	}
	return (s.AdditionalProperties == false || s.Type.least() != "object") && len(s.Required) == len(s.Properties) &&
		!slices.ContainsFunc(below, func(b *schema) bool { return !b.strict() })
}

// blank is an answer that fits and says nothing: for a form that nobody has
// written yet.
func (s *schema) blank() any {
	switch {
	case len(s.AnyOf) > 0:
		return s.AnyOf[len(s.AnyOf)-1].blank()
	case len(s.Enum) > 0:
		return s.Enum[len(s.Enum)-1]
	}
	properties := map[string]any{}
	for name, p := range s.Properties {
		properties[name] = p.blank()
	}
	return map[string]any{"object": properties, "array": []any{}, "integer": s.Minimum, "number": s.Minimum, "boolean": false, "null": nil, "string": ""}[s.Type.least()]
}

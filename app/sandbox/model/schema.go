package model

import "encoding/json"

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

// is is the type of a value that says least.
func (k kinds) is() string {
	for _, kind := range k {
		if kind == "null" || len(k) == 1 {
			return kind
		}
	}
	return "string"
}

// strict reports whether objects are closed and have all of their properties
// required, which the real service insists on.
func (s *schema) strict() bool {
	if s.AdditionalProperties != false && s.Type.is() == "object" || len(s.Required) != len(s.Properties) {
		return false
	}
	for _, p := range s.Properties {
		if !p.strict() {
			return false
		}
	}
	for _, a := range s.AnyOf {
		if !a.strict() {
			return false
		}
	}
	return s.Items == nil || s.Items.strict()
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
	switch s.Type.is() {
	case "object":
		out := map[string]any{}
		for name, p := range s.Properties {
			out[name] = p.blank()
		}
		return out
	case "array":
		return []any{}
	case "integer", "number":
		return s.Minimum
	case "boolean":
		return false
	case "null":
		return nil
	default:
		return ""
	}
}

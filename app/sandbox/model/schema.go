package model

import (
	"maps"
	"slices"
)

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

// strict reports whether it is an object, and all objects are closed and have all
// of their properties required, which the real service insists on.
func (s *schema) strict() bool {
	var closed func(*schema) bool
	closed = func(s *schema) bool {
		below := slices.Concat(s.AnyOf, slices.Collect(maps.Values(s.Properties)))
		if s.Items != nil {
			below = append(below, s.Items)
		}
		return (s.AdditionalProperties == false || !slices.Contains(s.Type, "object")) && len(s.Required) == len(s.Properties) &&
			!slices.ContainsFunc(below, func(b *schema) bool { return !closed(b) })
	}
	return slices.Equal(s.Type, oneOrAll{"object"}) && closed(s)
}

// blank is an answer that fits and says nothing: for a form that nobody has
// written yet.
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

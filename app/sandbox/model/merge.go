package model

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
)

// both is the schema that demands what a and b demand. Either may be nil.
func both(a, b *schema) *schema {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &schema{AllOf: []*schema{a, b}, MaxLength: -1, MaxItems: -1}
}

// merge narrows s by another schema that must hold as well. It changes nothing
// that s shares with others.
func (s *schema) merge(o *schema) {
	s.never = s.never || o.never
	s.mergeObject(o)
	s.mergeValues(o)
	s.mergeAlternatives(o)
	s.Minimum, s.ExclMin = greater(s.Minimum, o.Minimum), greater(s.ExclMin, o.ExclMin)
	s.Maximum, s.ExclMax = smaller(s.Maximum, o.Maximum), smaller(s.ExclMax, o.ExclMax)
	s.MultipleOf = commonMultiple(s.MultipleOf, o.MultipleOf)
	s.MinLength, s.MinItems = max(s.MinLength, o.MinLength), max(s.MinItems, o.MinItems)
	s.MaxLength, s.MaxItems = lesser(s.MaxLength, o.MaxLength), lesser(s.MaxItems, o.MaxItems)
	s.Items, s.Unique = both(s.Items, o.Items), s.Unique || o.Unique
	if len(s.Prefix) == 0 {
		s.Prefix = o.Prefix
	}
	if s.Pattern != "" && o.Pattern != "" && s.Pattern != o.Pattern {
		s.never = true // a text for two patterns is more than is worth finding
	}
	s.Pattern, s.Format, s.Description = either(s.Pattern, o.Pattern), either(s.Format, o.Format), either(s.Description, o.Description)
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// mergeObject joins the properties. What a closed schema does not name, the
// other may not bring.
func (s *schema) mergeObject(o *schema) {
	named := func(x *schema, name string) *schema {
		for _, p := range x.Properties {
			if p.name == name {
				return p.schema
			}
		}
		return nil
	}
	var props []property
	for _, p := range s.Properties {
		if other := named(o, p.name); other != nil || !o.closed {
			props = append(props, property{name: p.name, schema: both(p.schema, other)})
		}
	}
	for _, p := range o.Properties {
		if named(s, p.name) == nil && !s.closed {
			props = append(props, p)
		}
	}
	s.Properties = props
	s.Required = append(slices.Clone(s.Required), o.Required...)
	s.closed = s.closed || o.closed
}

// mergeValues keeps the types and the listed values that both allow.
func (s *schema) mergeValues(o *schema) {
	if len(s.Types) == 0 {
		s.Types = o.Types
	} else if len(o.Types) > 0 {
		kept := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return !o.allows(t) })
		if slices.Contains(o.Types, "integer") && !slices.Contains(o.Types, "number") {
			for i, t := range kept {
				if t == "number" {
					kept[i] = "integer"
				}
			}
			if slices.Contains(s.Types, "number") && !slices.Contains(kept, "integer") {
				kept = append(kept, "integer")
			}
		}
		s.Types, s.never = kept, s.never || len(kept) == 0
	}
	if len(s.Enum) == 0 {
		s.Enum = o.Enum
	} else if len(o.Enum) > 0 {
		s.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(e json.RawMessage) bool {
			return !slices.ContainsFunc(o.Enum, func(x json.RawMessage) bool { return bytes.Equal(e, x) })
		})
		s.never = s.never || len(s.Enum) == 0
	}
}

// maxAlternatives bounds the pairs of two lists of alternatives.
const maxAlternatives = 64

// mergeAlternatives pairs each alternative of one with each of the other.
func (s *schema) mergeAlternatives(o *schema) {
	switch {
	case len(o.AnyOf) == 0:
		return
	case len(s.AnyOf) == 0:
		s.AnyOf = o.AnyOf
		return
	}
	var pairs []*schema
	for _, a := range s.AnyOf {
		for _, b := range o.AnyOf {
			if len(pairs) < maxAlternatives {
				pairs = append(pairs, both(a, b))
			}
		}
	}
	s.AnyOf = pairs
}

// commonMultiple is the least step that is a multiple of both, of which nil
// means none.
func commonMultiple(a, b *float64) *float64 {
	switch {
	case a == nil || *a <= 0:
		return b
	case b == nil || *b <= 0:
		return a
	}
	for k := 1.0; k <= 1000; k++ {
		if v := *a * k; math.Abs(math.Remainder(v, *b)) < 1e-9 {
			return &v
		}
	}
	v := *a * *b
	return &v
}

// greater of two bounds, of which nil means none.
func greater(a, b *float64) *float64 {
	if a == nil || (b != nil && *b > *a) {
		return b
	}
	return a
}

// smaller of two bounds, of which nil means none.
func smaller(a, b *float64) *float64 {
	if a == nil || (b != nil && *b < *a) {
		return b
	}
	return a
}

// lesser of two bounds, of which -1 means none.
func lesser(a, b int) int {
	if a < 0 || (b >= 0 && b < a) {
		return b
	}
	return a
}

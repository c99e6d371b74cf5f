package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Limits of a schema. Source: OpenAI structured outputs, "supported schemas":
// ten levels and five thousand properties; the rest is ours, against hostile
// input.
const (
	maxSchemaDepth = 10
	maxProperties  = 5000
	maxNesting     = 100
)

// A schema is a JSON schema, as far as it bears on what may be produced. The
// zero value allows anything.
type schema struct {
	Types       []string // empty: any
	Enum        []json.RawMessage
	Properties  []property // in the order in which they were written
	Required    []string
	Items       *schema
	Prefix      []*schema
	AnyOf       []*schema
	AllOf       []*schema
	Ref         string
	Title       string
	Description string
	Format      string
	Pattern     string
	Minimum     *float64
	Maximum     *float64
	ExclMin     *float64
	ExclMax     *float64
	MultipleOf  *float64
	MinLength   int
	MaxLength   int // -1: none
	MinItems    int
	MaxItems    int // -1: none
	Unique      bool

	closed bool               // additionalProperties is false
	never  bool               // the schema is "false"
	defs   map[string]*schema // of the root, by reference
}

// A property is one field of an object, with its name.
type property struct {
	name   string
	schema *schema
}

// rawSchema is a schema as it is written.
type rawSchema struct {
	Type                 json.RawMessage   `json:"type"`
	Enum                 []json.RawMessage `json:"enum"`
	Const                json.RawMessage   `json:"const"`
	Properties           orderedSchemas    `json:"properties"`
	Required             []string          `json:"required"`
	AdditionalProperties json.RawMessage   `json:"additionalProperties"`
	Items                json.RawMessage   `json:"items"`
	PrefixItems          []*schema         `json:"prefixItems"`
	AnyOf                []*schema         `json:"anyOf"`
	OneOf                []*schema         `json:"oneOf"`
	AllOf                []*schema         `json:"allOf"`
	Ref                  string            `json:"$ref"`
	Defs                 orderedSchemas    `json:"$defs"`
	Definitions          orderedSchemas    `json:"definitions"`
	Title                string            `json:"title"`
	Description          string            `json:"description"`
	Format               string            `json:"format"`
	Pattern              string            `json:"pattern"`
	Nullable             bool              `json:"nullable"`
	Minimum              *float64          `json:"minimum"`
	Maximum              *float64          `json:"maximum"`
	ExclusiveMinimum     json.RawMessage   `json:"exclusiveMinimum"`
	ExclusiveMaximum     json.RawMessage   `json:"exclusiveMaximum"`
	MultipleOf           *float64          `json:"multipleOf"`
	MinLength            *float64          `json:"minLength"`
	MaxLength            *float64          `json:"maxLength"`
	MinItems             *float64          `json:"minItems"`
	MaxItems             *float64          `json:"maxItems"`
	UniqueItems          bool              `json:"uniqueItems"`
}

// orderedSchemas is a JSON object of schemas that keeps its order, because a
// model fills an object in the order of its schema.
type orderedSchemas []property

// UnmarshalJSON decodes an object key by key.
func (o *orderedSchemas) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	open, err := dec.Token()
	if err != nil {
		return fmt.Errorf("read object: %w", err)
	}
	if open != json.Delim('{') {
		return errNoObject
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return fmt.Errorf("read key: %w", err)
		}
		name, ok := key.(string)
		if !ok {
			return errNoObject
		}
		s := &schema{}
		if err := dec.Decode(s); err != nil {
			return fmt.Errorf("property %q: %w", name, err)
		}
		*o = append(*o, property{name: name, schema: s})
	}
	return nil
}

var (
	errNoObject  = errors.New("expected an object of schemas")
	errNoSchema  = errors.New("expected an object or a boolean as schema")
	errTooDeep   = errors.New("the schema is nested too deeply to be filled")
	errNoRef     = errors.New("a reference leads nowhere")
	errNever     = errors.New("no value is allowed")
	errTooMany   = errors.New("the schema has too many properties")
	errNotClosed = errors.New("'additionalProperties' is required to be supplied and to be false")
)

// parseSchema decodes a root schema and checks that its references lead
// somewhere.
func parseSchema(data json.RawMessage) (*schema, error) {
	if nesting(data) > maxNesting {
		return nil, errTooDeep
	}
	root := &schema{}
	if err := json.Unmarshal(data, root); err != nil {
		return nil, fmt.Errorf("the schema is not valid: %w", err)
	}
	count := 0
	return root, root.walk(nil, func(_ []string, s *schema) error {
		if count++; count > maxProperties {
			return errTooMany
		}
		if s.Ref != "" && root.lookup(s.Ref) == nil {
			return fmt.Errorf("%w: %q", errNoRef, s.Ref)
		}
		return nil
	})
}

// nesting counts how deeply brackets stand in each other. Those in strings
// count too, which only errs on the safe side.
func nesting(data []byte) int {
	depth, deepest := 0, 0
	for _, b := range data {
		switch b {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

// UnmarshalJSON decodes one schema; a boolean is one, too.
func (s *schema) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	*s = schema{MaxLength: -1, MaxItems: -1}
	switch {
	case string(data) == "true":
		return nil
	case string(data) == "false":
		s.never = true
		return nil
	case len(data) == 0 || data[0] != '{':
		return errNoSchema
	}
	var raw rawSchema
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	return s.take(&raw)
}

func (s *schema) take(raw *rawSchema) error {
	s.Properties, s.Required, s.Prefix = raw.Properties, raw.Required, raw.PrefixItems
	s.Enum, s.AllOf, s.AnyOf = raw.Enum, raw.AllOf, slices.Concat(raw.AnyOf, raw.OneOf)
	s.Ref, s.Title, s.Description, s.Format, s.Pattern = raw.Ref, raw.Title, raw.Description, raw.Format, raw.Pattern
	s.Minimum, s.Maximum, s.MultipleOf, s.Unique = raw.Minimum, raw.Maximum, raw.MultipleOf, raw.UniqueItems
	s.closed = string(bytes.TrimSpace(raw.AdditionalProperties)) == "false"
	if len(raw.Const) > 0 {
		s.Enum = []json.RawMessage{raw.Const}
	}
	for _, defs := range []orderedSchemas{raw.Defs, raw.Definitions} {
		for _, d := range defs {
			if s.defs == nil {
				s.defs = map[string]*schema{}
			}
			s.defs[d.name] = d.schema
		}
	}
	if err := s.takeType(raw.Type, raw.Nullable); err != nil {
		return err
	}
	if len(raw.Items) > 0 && string(raw.Items) != "null" {
		s.Items = &schema{}
		if err := json.Unmarshal(raw.Items, s.Items); err != nil {
			return fmt.Errorf("items: %w", err)
		}
	}
	s.ExclMin, s.ExclMax = exclusive(raw.ExclusiveMinimum, &s.Minimum), exclusive(raw.ExclusiveMaximum, &s.Maximum)
	s.MinLength, s.MaxLength = bound(raw.MinLength, 0), bound(raw.MaxLength, -1)
	s.MinItems, s.MaxItems = bound(raw.MinItems, 0), bound(raw.MaxItems, -1)
	return nil
}

var schemaTypes = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

// takeType reads "type", which is a word or a list of words.
func (s *schema) takeType(raw json.RawMessage, nullable bool) error {
	if len(raw) > 0 && string(raw) != "null" {
		var one string
		switch {
		case json.Unmarshal(raw, &one) == nil:
			s.Types = []string{one}
		case json.Unmarshal(raw, &s.Types) != nil:
			return errNoSchema
		}
	}
	for _, t := range s.Types {
		if !slices.Contains(schemaTypes, t) {
			return fmt.Errorf("%q is not a type", t)
		}
	}
	if nullable && len(s.Types) > 0 {
		s.Types = append(s.Types, "null")
	}
	return nil
}

// exclusive reads a bound that is a number, or a boolean that makes the other
// bound exclusive, as in older drafts.
func exclusive(raw json.RawMessage, inclusive **float64) *float64 {
	var n float64
	if len(raw) > 0 && json.Unmarshal(raw, &n) == nil {
		return &n
	}
	if string(raw) == "true" && *inclusive != nil {
		limit := *inclusive
		*inclusive = nil
		return limit
	}
	return nil
}

// bound is a count in a schema, kept within what can sensibly be produced.
func bound(n *float64, byDefault int) int {
	const most = 10_000
	if n == nil {
		return byDefault
	}
	return int(min(max(*n, 0), most))
}

// lookup follows a reference within the root. It returns nil when it leads
// nowhere.
func (s *schema) lookup(ref string) *schema {
	if ref == "#" {
		return s
	}
	for _, prefix := range []string{"#/$defs/", "#/definitions/"} {
		if name, ok := strings.CutPrefix(ref, prefix); ok {
			return s.defs[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		}
	}
	return nil
}

// walk visits a schema and all within it, without following references.
func (s *schema) walk(path []string, visit func([]string, *schema) error) error {
	if err := visit(path, s); err != nil {
		return err
	}
	at := func(step string) []string { return append(slices.Clip(path), step) }
	for _, p := range s.Properties {
		if err := p.schema.walk(append(at("properties"), p.name), visit); err != nil {
			return err
		}
	}
	for name, d := range s.defs {
		if err := d.walk(append(at("$defs"), name), visit); err != nil {
			return err
		}
	}
	lists := slices.Concat(s.AnyOf, s.AllOf, s.Prefix)
	if s.Items != nil {
		lists = append(lists, s.Items)
	}
	for _, sub := range lists {
		if sub == nil {
			return errNoSchema
		}
		if err := sub.walk(at("items"), visit); err != nil {
			return err
		}
	}
	return nil
}

// checkStrict refuses what the real service refuses in strict mode: an object
// that is open, or that does not require all of its properties; a root that is
// not an object.
func (s *schema) checkStrict() error {
	if len(s.Types) != 1 || s.Types[0] != "object" {
		if s.Ref == "" {
			return errors.New("schema must be a JSON Schema of 'type: \"object\"'")
		}
	}
	return s.walk(nil, func(path []string, s *schema) error {
		where := "In context=(" + strings.Join(path, ", ") + ")"
		if s.isObject() && !s.closed {
			return fmt.Errorf("%s, %w", where, errNotClosed)
		}
		required := map[string]bool{}
		for _, r := range s.Required {
			required[r] = true
		}
		for _, p := range s.Properties {
			if !required[p.name] {
				return fmt.Errorf("%s, 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'", where, p.name)
			}
		}
		if len(s.AllOf) > 0 {
			return fmt.Errorf("%s, 'allOf' is not permitted", where)
		}
		return nil
	})
}

func (s *schema) isObject() bool {
	return len(s.Properties) > 0 || s.allows("object") && len(s.Types) > 0
}

// allows reports whether the schema names the type, or names none.
func (s *schema) allows(kind string) bool {
	if len(s.Types) == 0 {
		return true
	}
	for _, t := range s.Types {
		if t == kind || t == "number" && kind == "integer" {
			return true
		}
	}
	return false
}

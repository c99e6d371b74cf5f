package llm

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Schema says what a structured answer looks like.
type Schema struct {
	// Name is told to the model: letters, digits, "_" and "-".
	Name string
	// JSON is a JSON schema with an object at its root.
	JSON json.RawMessage
}

// SchemaOf derives the schema of T, a struct, as strict mode wants it: every
// field is required, none may be added, and what may be absent (a pointer, or
// a field with omitempty or omitzero) is required but may be null.
//
// The tag `desc:"…"` describes a field to the model, `enum:"a,b,c"` lists what a
// string may be; a pointer or an optional field with an enum may also be null.
// Maps, interfaces and types that contain themselves cannot be expressed:
// SchemaOf panics, so call it where the program starts.
func SchemaOf[T any](name string) Schema {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("llm: schema %s: %s is not a struct", name, t))
	}
	raw, err := json.Marshal((&reflector{schema: name}).of(t))
	if err != nil {
		panic(fmt.Sprintf("llm: schema %s: %v", name, err))
	}
	return Schema{Name: name, JSON: raw}
}

// node is one schema. Its order of members is the order in which models read
// it, and Properties keeps the order of fields.
type node struct {
	Type        any        `json:"type,omitempty"` // a string, or two with "null"
	Description string     `json:"description,omitempty"`
	Enum        []any      `json:"enum,omitempty"`
	Format      string     `json:"format,omitempty"`
	Items       *node      `json:"items,omitempty"`
	AnyOf       []*node    `json:"anyOf,omitempty"`
	Properties  properties `json:"properties,omitempty"`
	Required    []string   `json:"required,omitempty"`
	// Closed becomes "additionalProperties": false.
	Closed *bool `json:"additionalProperties,omitempty"`
}

type property struct {
	name string
	node *node
}

// properties marshals as an object, in order.
type properties []property

// MarshalJSON writes the properties in the order of the struct's fields,
// because models answer in the order of the schema.
func (p properties) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, prop := range p {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, prop.name)
		b = append(b, ':')
		raw, err := json.Marshal(prop.node)
		if err != nil {
			return nil, fmt.Errorf("property %s: %w", prop.name, err)
		}
		b = append(b, raw...)
	}
	return append(b, '}'), nil
}

// reflector walks a type. It knows which types it is inside of.
type reflector struct {
	schema string
	inside []reflect.Type
}

func (r *reflector) refuse(t reflect.Type, why string) {
	panic(fmt.Sprintf("llm: schema %s: %s %s", r.schema, t, why))
}

func (r *reflector) of(t reflect.Type) *node {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &node{Type: "string", Format: "date-time"}
	case t.Implements(reflect.TypeFor[json.Marshaler]()), reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		r.refuse(t, "has JSON of its own")
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return &node{Type: "string"}
	}
	switch t.Kind() {
	case reflect.String:
		return &node{Type: "string"}
	case reflect.Bool:
		return &node{Type: "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &node{Type: "integer"}
	case reflect.Float32, reflect.Float64:
		return &node{Type: "number"}
	case reflect.Pointer:
		return nullable(r.of(t.Elem()))
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return &node{Type: "string"} // as encoding/json writes bytes
		}
		return &node{Type: "array", Items: r.of(t.Elem())}
	case reflect.Struct:
		return r.object(t)
	default:
		r.refuse(t, "cannot be expressed in a strict schema")
		return nil
	}
}

func (r *reflector) object(t reflect.Type) *node {
	for _, outer := range r.inside {
		if outer == t {
			r.refuse(t, "contains itself")
		}
	}
	r.inside = append(r.inside, t)
	defer func() { r.inside = r.inside[:len(r.inside)-1] }()

	closed := false
	n := &node{Type: "object", Properties: properties{}, Required: []string{}, Closed: &closed}
	r.fields(n, t)
	if len(n.Required) == 0 {
		r.refuse(t, "has no fields")
	}
	return n
}

// fields adds those of t to n, and those of structs embedded in it.
func (r *reflector) fields(n *node, t reflect.Type) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			r.fields(n, f.Type)
			continue
		case f.Tag.Get("json") == "-" || !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		optional := false
		for o := range strings.SplitSeq(options, ",") {
			optional = optional || o == "omitempty" || o == "omitzero"
		}
		n.Properties = append(n.Properties, property{name, r.field(f, optional)})
		n.Required = append(n.Required, name)
	}
}

func (r *reflector) field(f reflect.StructField, optional bool) *node {
	n := r.of(f.Type)
	if list := f.Tag.Get("enum"); list != "" {
		at := n
		if n.Items != nil {
			at = n.Items
		}
		for v := range strings.SplitSeq(list, ",") {
			at.Enum = append(at.Enum, strings.TrimSpace(v))
		}
		if _, two := at.Type.([]string); two {
			at.Enum = append(at.Enum, nil)
		}
	}
	if optional {
		n = nullable(n)
	}
	n.Description = f.Tag.Get("desc")
	return n
}

// nullable returns n with null allowed.
func nullable(n *node) *node {
	switch kind, one := n.Type.(string); {
	case !one:
		return n // it already may be null
	case kind == "object" || kind == "array":
		return &node{AnyOf: []*node{n, {Type: "null"}}}
	default:
		n.Type = []string{kind, "null"}
		if n.Enum != nil {
			n.Enum = append(n.Enum, nil)
		}
		return n
	}
}

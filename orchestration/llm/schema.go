package llm

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Schema describes the form of a structured answer.
type Schema struct {
	// Name is passed to the model: letters, digits, "_" and "-".
	Name string
	// JSON is a JSON schema with an object at its root.
	JSON json.RawMessage
}

// SchemaOf returns the schema of T, a struct, as strict mode requires it: every field is required,
// none may be added, and a pointer may be null. Each field needs a name in a json tag; the tag
// `desc:"…"` describes it to the model, and `enum:"a,b,c"` lists the values of a string, or of each
// string in a list. The fields keep their order, because models answer in the order of the schema.
//
// SchemaOf panics if T contains anything but structs, slices, strings, numbers and booleans, and
// pointers to the last three. Call it when the program starts.
func SchemaOf[T any](name string) Schema {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("llm: schema %s: %s is not a struct", name, t))
	}
	return Schema{Name: name, JSON: appendSchema(nil, t, "", "")}
}

// jsonTypes maps the kinds that a schema can have to their JSON types.
var jsonTypes = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Float64: "number",
	reflect.Slice: "array", reflect.Struct: "object",
}

func appendSchema(b []byte, t reflect.Type, desc, enum string) []byte {
	null := t.Kind() == reflect.Pointer
	if null {
		t = t.Elem()
	}
	kind := jsonTypes[t.Kind()]
	if kind == "" || null && (kind == "object" || kind == "array") || kind == "object" && t.NumField() == 0 {
		panic(fmt.Sprintf("llm: %s cannot be expressed in a strict schema", t))
	}
	if null {
		b = fmt.Appendf(b, `{"type":[%q,"null"]`, kind)
	} else {
		b = fmt.Appendf(b, `{"type":%q`, kind)
	}
	if desc != "" {
		b = AppendString(append(b, `,"description":`...), desc)
	}
	if enum != "" && kind != "array" {
		b = appendStrings(append(b, `,"enum":`...), strings.Split(enum, ","))
		if null {
			b = append(b[:len(b)-1], ",null]"...)
		}
	}
	switch kind {
	case "array":
		b = appendSchema(append(b, `,"items":`...), t.Elem(), "", enum)
	case "object":
		b = appendFields(b, t)
	}
	return append(b, '}')
}

// appendFields appends the members of an object's schema.
func appendFields(b []byte, t reflect.Type) []byte {
	var names []string
	b = append(b, `,"properties":`...)
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			panic(fmt.Sprintf("llm: %s.%s has no name in JSON", t, f.Name))
		}
		b = append(b, []string{"{", ","}[min(len(names), 1)]...)
		b = AppendString(b, name)
		b = appendSchema(append(b, ':'), f.Type, f.Tag.Get("desc"), f.Tag.Get("enum"))
		names = append(names, name)
	}
	b = appendStrings(append(b, `},"required":`...), names)
	return append(b, `,"additionalProperties":false`...)
}

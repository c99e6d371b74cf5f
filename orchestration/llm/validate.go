package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// ErrInvalidAnswer means that a structured answer does not fit its schema, even after the model was
// told of the problem.
var ErrInvalidAnswer = errors.New("answer does not fit its schema")

// rule is the part of a JSON schema that is checked: enough for strict mode. Other keywords are
// ignored.
type rule struct {
	Type       kinds           `json:"type"`
	Enum       []any           `json:"enum"`
	Items      *rule           `json:"items"`
	Properties map[string]rule `json:"properties"`
	Required   []string        `json:"required"`
}

// kinds is one type's name or a list of them.
type kinds []string

// UnmarshalJSON accepts a string or a list of strings.
func (k *kinds) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*k = kinds{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(k))
}

// validate returns an error that says what is wrong with value, in words that a model can act on.
// It quotes names from the schema, never the value.
func (r *rule) validate(at string, value any) error {
	if len(r.Type) > 0 && !slices.ContainsFunc(r.Type, func(kind string) bool { return isKind(kind, value) }) {
		return fmt.Errorf("%s must be of type %v", at, []string(r.Type))
	}
	if len(r.Enum) > 0 && !slices.ContainsFunc(r.Enum, func(e any) bool { return reflect.DeepEqual(e, value) }) {
		return fmt.Errorf("%s must be one of %v", at, r.Enum)
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range r.Required {
			if _, ok := value[name]; !ok {
				return fmt.Errorf("%s lacks the key %q", at, name)
			}
		}
		for name, sub := range r.Properties {
			if v, ok := value[name]; ok {
				if err := sub.validate(at+"."+name, v); err != nil {
					return err
				}
			}
		}
	case []any:
		for i, v := range value {
			if r.Items == nil {
				break
			}
			if err := r.Items.validate(at+"["+strconv.Itoa(i)+"]", v); err != nil {
				return err
			}
		}
	}
	return nil
}

func isKind(kind string, value any) bool {
	switch v := value.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case float64:
		return kind == "number" || (kind == "integer" && v == float64(int64(v)))
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}

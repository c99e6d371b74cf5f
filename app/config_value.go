package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// assign parses text into the value that field points to. Its errors say what
// was expected and never hold the text, which may be a misplaced secret. It
// panics on an unsupported type.
func assign(field any, text string) error {
	switch p := field.(type) {
	case *string:
		*p = text
	case *Secret:
		*p = NewSecret(text)
	case *int:
		v, err := strconv.Atoi(text)
		if err != nil {
			return errors.New("must be a whole number")
		}
		*p = v
	case *float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return errors.New("must be a number")
		}
		*p = v
	case *bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("must be true or false")
		}
		*p = v
	case *time.Duration:
		v, err := time.ParseDuration(text)
		if err != nil {
			return errors.New("must be a duration with its unit, such as 1500ms, 10s or 2m")
		}
		*p = v
	case *[]string:
		list, err := readList(text)
		if err != nil {
			return err
		}
		*p = list
	default:
		panic(fmt.Sprintf("an option of type %T", field)) // the table is wrong
	}
	return nil
}

// readList parses a, b, c; or ["a, with its comma", "b"].
func readList(text string) ([]string, error) {
	var items []string
	if strings.HasPrefix(text, "[") {
		if json.Unmarshal([]byte(text), &items) != nil {
			return nil, errors.New(`must be a list such as a,b or ["a", "b"]`)
		}
		return items, nil
	}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items, nil
}

// valueOf returns the value that field points to.
func valueOf(field any) any { return reflect.ValueOf(field).Elem().Interface() }

// yamlValue returns a value as it is written in config.yaml; secrets are
// hidden.
func yamlValue(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case Secret:
		return strconv.Quote(v.String())
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case time.Duration:
		return shortDuration(v)
	case []string:
		quoted := make([]string, len(v))
		for i, item := range v {
			quoted[i] = strconv.Quote(item)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	default: // int, bool
		return fmt.Sprint(v)
	}
}

// shortDuration formats d without the zero parts that time.Duration prints: 2m,
// not 2m0s; and in milliseconds if seconds would have a fraction.
func shortDuration(d time.Duration) string {
	if d > time.Second && d%time.Second != 0 && d%time.Millisecond == 0 {
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

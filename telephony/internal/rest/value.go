package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Redacted is what a [Secret] prints as.
const Redacted = "[redacted]"

// Secret is a credential. It prints as "[redacted]" under every verb and in JSON, to keep it out of
// logs.
type Secret string

// Format implements [fmt.Formatter] and hides the value.
func (Secret) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, Redacted) // a formatter cannot return an error
}

// MarshalText implements [encoding.TextMarshaler] and hides the value.
func (Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// Int is a whole number that may come as a number or as a string. Anything else counts as 0: audio
// must not be dropped because of a counter.
type Int int64

// UnmarshalJSON implements [json.Unmarshaler] and never fails.
func (n *Int) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		*n = Int(v)
	} else if f, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(f) < math.MaxInt64/2 {
		*n = Int(f)
	}
	return nil
}

// Tolerant returns nil if err reports only a field of another type than expected, else err.
// encoding/json decodes all other fields before it reports one.
func Tolerant(err error) error {
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil
	}
	return err
}

// maxMessage bounds an error message, in bytes.
const maxMessage = 300

// CleanMessage returns s as valid UTF-8, cut to at most maxMessage bytes and an ellipsis.
func CleanMessage(s string) string {
	s = strings.ToValidUTF8(s, "")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

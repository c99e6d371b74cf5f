package app

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted is printed in place of a secret that is set.
const redacted = "[redacted]"

// Secret is a text that no printer, logger or encoder shows. The zero value is
// the empty secret, which prints as empty, so that one can see what is not set.
//
// The text is behind a pointer because package fmt, when a verb does not fit,
// prints the fields of a value without calling its methods.
type Secret struct {
	_    [0]func() // not comparable with ==, which would compare pointers
	text *string
}

// NewSecret returns a Secret that holds text.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{text: &text}
}

// Reveal returns the text itself, for the one place that needs it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Empty reports whether nothing is set.
func (s Secret) Empty() bool { return s.text == nil }

// Equal reports whether the texts are equal. It is for tests; authentication
// compares in constant time.
func (s Secret) Equal(other Secret) bool { return s.Reveal() == other.Reveal() }

// String returns "[redacted]", or the empty string for the empty secret.
func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return redacted
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return s.String() }

// Format hides the secret from every verb, %x included.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue hides the secret from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the secret from encoders that ask for text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON hides the secret from encoding/json.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// MarshalYAML hides the secret from YAML encoders.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

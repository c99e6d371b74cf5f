package pg

import (
	"bytes"
	"regexp"
	"strings"
)

// Storable returns text in the form that PostgreSQL accepts: valid UTF-8 without NUL.
func Storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// escape matches a JSON escape, and captures as much as needed to recognize that of NUL.
var escape = regexp.MustCompile(`\\(u0000|.)`)

// StorableJSON returns JSON in the form that PostgreSQL accepts, without \u0000.
func StorableJSON(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\u0000`)) {
		return data
	}
	return escape.ReplaceAllFunc(data, func(e []byte) []byte {
		if string(e) == `\u0000` {
			return nil
		}
		return e
	})
}

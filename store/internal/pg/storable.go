package pg

import (
	"bytes"
	"regexp"
	"strings"
)

// Storable is text as PostgreSQL takes it: valid UTF-8 without NUL.
func Storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// escape is an escape in JSON, as far as it may be that of NUL.
var escape = regexp.MustCompile(`\\(u0000|.)`)

// StorableJSON is JSON as PostgreSQL takes it, which knows no \u0000 in a text.
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

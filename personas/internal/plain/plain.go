// Package plain is where package words still looks for plain text.
package plain

import "github.com/naiber/naiber/internal/english"

// Text is [english.Plain].
func Text(s string) string { return english.Plain(s) }

// Holds is [english.Holds].
func Holds(text string, phrases ...string) bool { return english.Holds(text, phrases...) }

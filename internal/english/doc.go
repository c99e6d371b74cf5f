// Package english knows the English that people speak on the telephone: its
// words and stems, sentences and clauses, numbers, days and denials.
//
// It reads text and nothing else: no state, no input or output, no language model.
// Everything may be used concurrently. What another language needs as well (one
// line of a text, its first so many characters) is here too, in text.go.
package english

// Package english analyses the English that people speak on the telephone: its words and stems,
// sentences and clauses, numbers, days and denials.
//
// It has no state, does no input or output, and uses no language model. Everything may be used
// concurrently. Functions that other languages need as well (one line of a text, its first
// characters) are in text.go.
package english

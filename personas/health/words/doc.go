// Package words generates what a health check says.
//
// [Words.Question] puts a question: in natural words by a model, if it answers within the deadline
// and passes the checks; otherwise in the pack's own words after a fixed sentence. The items of an
// instrument are never reworded. The checks are rules (check.go, vocabulary.go): one question, the
// same topic, the same ends of the scale with the same meaning, the same choices, no word that
// could turn a yes into a no, no number that is not in the pack's wording, no advice.
//
// [Say] returns the fixed sentences by situation, from stock/*.yaml, one file for a language. With
// every model down, they and the packs suffice for the whole check.
package words

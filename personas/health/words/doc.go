// Package words holds what a health check says.
//
// [Words.Question] puts a question: by a model, in natural words, if it answers
// within the deadline and passes the checks; otherwise in the pack's own words
// behind a fixed sentence. The items of an instrument are never reworded. The
// checks are rules (check.go, vocabulary.go): one question, the same topic, the
// same ends of the scale with the same meaning, the same choices, no word that
// could turn a yes into a no, no number from elsewhere, no advice.
//
// [Say] gives the fixed sentences by situation, from stock/*.yaml, one file for a
// language. With every model down they and the packs carry the whole check.
package words

// Package extract reads with a model what rules could not settle, and believes it
// only as far as what was said bears it out.
//
// The model is shown the question, the values it allows with the words for them, and
// the last exchanges. It may give an answer, on a scale also a range, say that the person
// refuses, wants the next question or the end of the call, or abstain (prompt.go).
// What it says counts only when the words it quotes were said; a number must stand in
// them, be the middle of a range or the sum of amounts that do, or be what a set phrase
// without a number means; and nothing around them may take it back: a negation, somebody
// else, another time, a later correction, a story (believe.go; what is known of the
// words is [reader.Passage]). An answer that the rules did not guess as well is marked to
// be read back before it counts. A refusal, an exit or an answer that rules find never
// reaches the model.
//
// [Anchor] is the cheap half: the words that a question itself gives to a value.
package extract

// Package extract reads replies that rules could not settle with a model, and believes it only as
// far as the person's words support it.
//
// The model is shown the question, the values it allows with the words for them, and the last
// exchanges. It may give an answer, on a scale also a range, say that the person refuses, wants the
// next question or the end of the call, or abstain (prompt.go). Its answer counts only if the words
// it quotes were said. A number must occur in them, be the middle of a range or the sum of amounts
// that do, or be what a set phrase without a number means. Nothing around the words may contradict
// it: a negation, somebody else, another time, a later correction, a story (believe.go;
// [reader.Passage] holds what is known about the words). An answer that the rules did not guess as
// well is marked to be read back before it counts. The model is not asked about a refusal, an exit
// or an answer that rules find.
//
// [Anchor] needs no model: it reads the words that a question itself has for a value.
package extract

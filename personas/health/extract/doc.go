// Package extract reads with a model what rules could not settle, and believes it
// only as far as what was said bears it out.
//
// The model is asked for a verdict, the words that hold the answer, and the value
// (prompt.go). What it says counts only when the words were said, when they hold
// the value, and when nothing around them takes it back: a negation, somebody
// else, another time, a later correction (believe.go, support.go). What hangs by
// a thread is marked to be read back to the person. A refusal that rules find
// never reaches the model.
//
// [Anchor] is the cheap half: the words that a question itself gives to a value.
package extract

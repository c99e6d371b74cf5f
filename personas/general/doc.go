// Package general is the companion: a persona that keeps people company on the
// telephone.
//
// A turn goes through three steps: classify (rules alone; fillers and
// pleasantries never cost a search), recall (what is known that fits, within a
// deadline), generate (the model's words, streamed as they come). What a rule
// must decide is not left to the model: a goodbye ends the call, and a wish not
// to be called any more is asked back once, kept, and obeyed.
//
// After the call it writes a summary and counts topics, for people who consented
// to being remembered and for nobody else.
package general

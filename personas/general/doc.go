// Package general implements the companion: a persona that keeps people company on the telephone.
//
// A turn runs through a graph without pauses: classify_intent (rules alone; fillers and
// pleasantries never cost a search), manage_topic_state (recalls what fits, within a deadline) or
// skip_rag, and generate_response (the model's words, streamed as they come). What a rule must
// decide is not left to the model: a goodbye ends the call, and a wish not to be called any more is
// asked back once, stored, and obeyed.
//
// After the call it stores what was talked about, for people who consented to being remembered and
// for nobody else. What else is learned from a call is up to package memory/learn.
package general

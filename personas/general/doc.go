// Package general is the companion: a persona that keeps people company on the
// telephone.
//
// A turn runs through a graph without pauses: classify_intent (rules alone;
// fillers and pleasantries never cost a search), manage_topic_state (what is known
// that fits, within a deadline) or skip_rag, generate_response (the model's words,
// streamed as they come). What a rule
// must decide is not left to the model: a goodbye ends the call, and a wish not
// to be called any more is asked back once, kept, and obeyed.
//
// After the call it notes what was talked about, for people who consented to being
// remembered and for nobody else. What else is to be learned from a call is
// package memory/learn's.
package general

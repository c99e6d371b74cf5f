// Package orchestration is the turn: it answers POST /v1/chat/completions, the
// endpoint at which the voice service asks what to say next.
//
// A request is authenticated, resolved to a live call, handed to the persona of
// the call's type, and what the persona says is streamed back the moment it is
// said. Turns are known by their place in the conversation, not by their arrival:
//
//	place 4, same words    ──► joins the generation that runs (or replays it)
//	place 4, other words   ──► replaces it: the old one is stopped and has ended
//	                           before the new one begins
//	place 6                ──► the conversation moved on; an older one is stopped
//	place 2                ──► late: answered, and disturbs nothing
//
// Four things are promised. What the person said is durable before the first
// word of the reply leaves (or it is counted, and kept as soon as that is
// possible). A reply is never empty, since an empty one ends the call. Silence
// on the line has an end, by filler, calm sentence or deadline. And nothing that
// a persona does, a panic included, reaches beyond its own turn.
//
// What is said is left to the personas; who is on a call, to the [Directory].
package orchestration

// Package orchestration answers turns: it serves POST /v1/chat/completions, the endpoint at which
// the voice service asks what to say next.
//
// A request is authenticated, resolved to a live call, and passed to the persona of the call's
// type, whose words are streamed back as soon as they are said. Turns are identified by their place
// in the conversation, not by their arrival:
//
//	place 4, same words    ──► joins the generation that runs (or replays it)
//	place 4, other words   ──► replaces it: the old one is stopped and has ended
//	                           before the new one begins
//	place 6                ──► the conversation moved on; an older one is stopped
//	place 2                ──► late: answered, and disturbs nothing
//
// It gives four guarantees. The person's words are stored durably before the first word of the
// reply leaves (or the delay is counted, and they are stored as soon as possible). A reply is never
// empty, since an empty one ends the call. Silence on the line is always ended, by a filler, the
// calm sentence or the deadline. And no failure of a persona, including a panic, affects another
// turn.
//
// The personas decide what is said; the [Directory] knows who is on a call.
package orchestration

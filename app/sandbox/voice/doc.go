// Package voice simulates the part of ElevenLabs that holds spoken
// conversations.
//
// Over REST it hands out signed URLs and stores agents, secrets and webhooks.
// Over a WebSocket it listens, decides when the user has finished speaking, asks
// the agent's custom language model over HTTP, and speaks the answer: from the
// first whole sentence on, faster than real time, in pieces of awkward sizes. It
// stops when it is interrupted, asks again when the model is slow or the user
// goes on speaking, prompts when nobody speaks, and ends for the same reasons as
// the real service, with the same close codes. After the end it posts the signed
// transcript.
//
// It hears and speaks through package audio, so that words really travel. It is
// written from the protocol alone, and is as strict as the real service is or
// might be: where the protocol is not known, it does the more inconvenient thing.
//
// A conversation is one goroutine with one loop that owns all state; a reader
// and the requests to the model only send to it.
//
//	socket ──► reader ──► ┌──────┐ ──► socket
//	clock ──────────────► │ loop │
//	model ◄── attempts ─► └──────┘ ──► record ──► webhook
package voice

// Package model is a simulated model server: it speaks the wire of OpenAI's
// chat completions, embeddings and model list, and answers by rules instead
// of by a neural network.
//
// It exists so that a sandbox, a test or a benchmark can hold a whole
// conversation without an account, a network or luck. The same messages give
// the same answer, always: the server keeps nothing between requests, and what
// it must not say twice it reads from the history it is given. It promises
//
//   - the wire: streamed chunks with the role first, usage when asked for, an
//     end mark, error bodies with message, type, param and code, and the
//     refusals that a strict schema meets at the real service;
//   - a companion that reacts to what was said, asks one gentle question, and
//     never says the same sentence twice in a conversation;
//   - structured output that honours the schema it was given, also one it has
//     never seen, filled from the transcript in the messages;
//   - embeddings in which a paraphrase lies closer than another subject;
//   - faults that can be switched on one by one (see [Faults]).
//
// It does not promise understanding. English only.
package model

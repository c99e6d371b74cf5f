// Package model is a simulated model server: it speaks the wire of OpenAI's
// chat completions, embeddings and model list, and answers from files instead
// of by a neural network, so that a sandbox, a test or a benchmark can hold a
// whole conversation without an account, a network or luck. The same messages
// give the same answer: the server keeps nothing between requests, and reads
// what it must not say twice from the history it is given.
//
//   - talk.yaml is what it says, and when.
//   - forms/NAME.yaml answers the schema of that name. A new schema wants a new
//     file; until there is one, it gets an answer that fits and says nothing.
//   - council.yaml is what the voices of a care council look for and propose.
//   - lexicon.txt is which words mean the same, for embeddings and subjects.
//
// It does not promise understanding. English only.
package model

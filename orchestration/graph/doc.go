// Package graph runs typed state graphs that may pause between the turns of a
// conversation.
//
// A [Graph] consists of nodes, which change a state of type S, and of edges between them.
// [Graph.Compile] checks it and freezes it into a [Machine]; errors in a graph are therefore found
// at the start of the process, not during a call.
//
// A machine without waits runs straight through: [Machine.Run]. One with waits runs in a [Thread],
// whose state is kept in a [Store]. A turn takes one load, the nodes in memory, and one
// compare-and-set:
//
//	load ─▶ which turn is this? ─▶ nodes … ─▶ wait or end ─▶ save ─▶ speak
//	          │ known, late, over                              │ moved on
//	          ▼                                                ▼
//	        the stored outcome                            load again
//
// What nodes say is held back until the state is saved: a listener never hears the next question
// while the answer to the last one could still be lost.
//
// A pause is a value, not an error: err != nil means that something failed, and that nothing was
// saved or said.
package graph

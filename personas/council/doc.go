// Package council discusses one person among three voices, in rounds: the analyzer says what the
// record shows, the solver what could be done, and the moderator sums up and proposes. A proposal
// is carried out only if a human being confirms it.
//
// A discussion consists of its events, which are numbered without gaps and never change
// (store/discussions). A process that appends an event must know the last one, so if two processes
// carry on the same discussion, one of them stops. A round is a thread of a graph
// (orchestration/graph) that is saved after each message. After a crash the round goes on in the
// middle of the message that was being said: what viewers have seen stays, and the model is asked
// for the rest.
//
// The turns follow one formula: turn = (round - 1) * 3 + position.
package council

// Package council discusses one person among three voices, in rounds: the analyzer says
// what the record shows, the solver what could be done, the moderator sums up and
// proposes. What it proposes happens only where a human confirms it.
//
// A discussion is its events, which are numbered without gaps and never change
// (store/discussions). Whoever appends one must know the last, so that of two processes
// which carry one discussion on, one stops. A round is a thread of a graph
// (orchestration/graph) that is saved after each message. After a crash the round goes
// on in the middle of the message that was being said: what viewers have seen stays, and
// the model is asked for the rest.
//
// The turns follow one formula: turn = (round - 1) * 3 + position.
package council

// Package vectors finds what lies close in meaning: it keeps the embeddings of
// windows, facts, entities and topics, and searches those of one scope.
//
// There are two implementations of [Store], held to one contract (package
// vectorstest): [Qdrant], over gRPC, and [Postgres], which keeps the vectors in
// the database and compares them in the process, exactly. Both promise that
//
//   - a search names a scope, and no hit ever stems from outside it;
//   - vectors of different embedding models never meet in one search;
//   - an id written again replaces what it held, wherever that stood;
//   - what was deleted is not found by any search that begins afterwards;
//   - bad input is an error, and changes nothing.
//
// Vectors are brought to length one when they are written, so that scores are
// cosines. What the ids stand for, and when a search may be left out, is the
// caller's to know.
package vectors

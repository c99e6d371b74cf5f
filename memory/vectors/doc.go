// Package vectors searches by meaning: it keeps the embeddings of windows, facts, entities
// and topics, and searches those of one scope.
//
// There are two implementations of [Store], tested against one contract (suite_test.go):
// [Qdrant], over gRPC, and [Postgres], which keeps the vectors in the database and compares
// them in the process, exactly. Both guarantee that
//
//   - a search names a scope, and no hit is ever from outside it;
//   - vectors of different embedding models are never compared;
//   - an id written again replaces its previous vector, whatever its owner was;
//   - a deleted vector is not found by any search that starts afterwards;
//   - bad input is an error, and changes nothing.
//
// Vectors are scaled to length one when they are written, which makes scores cosines. The
// caller must know what the ids mean, and when a search can be skipped.
package vectors

// Package checkpoint keeps the threads of state graphs: what a conversation has
// come to, saved once a turn, so that it survives the line, the process and the
// loss of Redis.
//
// A thread is a short history of checkpoints. Every checkpoint is added by
// compare-and-set: the writer names the head that it saw, and where that is the
// head no more it gets [ErrConflict], so of two racing turns one advances.
// [Redis], [Postgres] and [Memory] hold to one contract, which the package
// orchestration/graph/graphtest spells out as a test.
//
// [Failover] is Redis with PostgreSQL behind it:
//
//	       Load, Put            merge, in the background
//	turn ────────────▶ Redis ─────────────────────────────▶ PostgreSQL
//	      └ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ▶     │
//	        while Redis is lost                ◀──────────────────┘
//	                                            merge, when it is back
//
// Each checkpoint carries a revision that grows with every write and with the
// clock, so that of two copies of a thread the newer one is known wherever they
// meet again.
package checkpoint

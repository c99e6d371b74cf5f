// Package checkpoint keeps the threads of state graphs: what a conversation has
// come to, saved once a turn, so that it survives the line, the process and the
// loss of Redis.
//
// A thread is a short history of checkpoints with a revision. A turn loads it and
// puts it back with one more checkpoint; where the stored revision is newer than the
// one that was loaded the put fails with [ErrConflict], so of two racing turns one
// advances.
//
// [Store] keeps each thread in PostgreSQL and, where there is one, in Redis:
//
//	load   both at once, the newer revision counts
//	put    PostgreSQL, then Redis; one of them is enough
//	delete PostgreSQL, which remembers the revision, then Redis
//
// No process remembers what the stores missed. One that missed a put is behind, the
// next load sees that by the revision, and the next put replaces the whole thread.
package checkpoint

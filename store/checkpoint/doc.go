// Package checkpoint stores the threads of state graphs: the state of a conversation, saved
// once a turn, which survives a lost connection, a crash and the loss of Redis.
//
// A thread is a short history of checkpoints with a revision. A turn loads it and puts it
// back with one more checkpoint; if the stored revision is newer than the loaded one, the
// put fails with [ErrConflict], so only one of two racing turns advances the thread.
//
// [Store] keeps each thread in PostgreSQL and, if configured, in Redis:
//
//	load   both at once, the newer revision counts
//	put    PostgreSQL, then Redis; one of them is enough
//	delete PostgreSQL, which remembers the revision, then Redis
//
// No process remembers what a store has missed. A store that missed a put is behind; the
// next load sees that by the revision, and the next put replaces the whole thread.
package checkpoint

// Package memory remembers people. It provides what nAIber may use about a person in a
// call, as short sentences.
//
// This package holds what its parts share: turns and their keys, and the errors that they
// return. Each part has a folder:
//
//	keep      stores what was said, word for word, in windows
//	index     makes its vectors, and deletes those of deleted rows
//	search    finds it, by the words of a question, its meaning and its days
//	limits    stores what a person does not want stored or brought up
//	forget    removes it wherever it is stored, and verifies that it is gone
//	transfer  exports and imports it
//	profile   recalls what is on record of a person, without a search
//	service   combines all of these, and has the Recaller for personas
//	learn     learns facts, names, promises and summaries from what was said
//	vectors   stores and searches vectors
//	memtest   provides a memory with its dependencies, for tests
//
// Turns are stored one by one and searched in windows: three consecutive turns of one
// conversation, headed by the day and the speakers' names, since an answer rarely says what
// the question was about. A search returns turns again.
//
// The lists of a search are fused by reciprocal rank. The search by words always answers,
// from PostgreSQL; if the embedder or the vectors fail, it answers alone, and that is
// counted.
//
// A search takes four round trips to PostgreSQL, both for a call and for the text channel:
// the start (consent, limits, the words' index entries, names), the vectors, the words, and
// what may be told.
//
//	Keep ── one transaction ──► turns, windows, queue
//	                                              │ IndexPending, as often as it takes
//	Search ─► begin ─► words ─┐                   ▼
//	                   days  ─┼─► fuse ─► tell embedder ─► vectors
//	                   meaning┘
//
// What was said stays, even when it is no longer true: a turn all of whose facts have ended
// carries a [search.Outdated], and comes after the turn that says what is true instead. A
// question is widened by the names of the people that it means.
//
// The queue names each window (fact, entity) whose vector is out of date, from the
// transaction that changed it until the vector is made or deleted. Work on it may be
// repeated, and counts only when it is complete.
//
// Forgetting reaches everything based on what is forgotten, in one transaction, and leaves
// tombstones: ids that keep learning from a call at the same time from bringing it back. A
// fact or a name that others mention as well stays, unless a word of it comes only from
// what is forgotten. Vectors are deleted right away or from the queue, and so are strays.
// Verifying searches for what should be gone.
//
// Nothing is remembered or recalled of a person who did not consent to being remembered.
package memory

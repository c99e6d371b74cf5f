// Package memory remembers people. What nAIber may use about a person in a call
// comes from here, as short sentences.
//
// This package has what its parts share: what a turn is and is called, and the
// errors that they return. Each part has a folder:
//
//	keep      keeps what was said, word for word, in windows
//	index     makes the vectors of it, and deletes those of what is gone
//	search    finds it again: by the words of a question, its meaning, its days
//	limits    what a person does not want stored, or brought up
//	forget    takes it out wherever it is kept, and looks whether it is gone
//	transfer  exports and imports it
//	profile   what is on record of a person, known without any search
//	service   all of these in one, and the Recaller that personas ask
//	learn     facts, names, promises and summaries from what was said
//	vectors   where vectors are stored
//	memtest   a memory with all around it, for tests
//
// Turns are kept one by one and searched in windows: three turns that follow
// each other in one conversation, headed by the day and the speakers' names,
// since an answer rarely says what the question was about. What a search returns
// are turns again.
//
// The lists that a search makes are fused by reciprocal rank. The words always
// answer, from PostgreSQL; where the embedder or the vectors fail, they answer
// alone, and that is counted.
//
// A search takes four round trips to PostgreSQL, whatever it is for, a call or the
// text channel: what it begins with (consent, limits, the words' index entries,
// names), the vectors, the words, and what may be told.
//
//	Keep ── one transaction ──► turns, windows, queue
//	                                              │ IndexPending, as often as it takes
//	Search ─► begin ─► words ─┐                   ▼
//	                   days  ─┼─► fuse ─► tell embedder ─► vectors
//	                   meaning┘
//
// What was said stays, also when it is true no longer: a turn all of whose facts
// have ended carries a [search.Outdated], and stands behind the turn that says what is
// true instead. A question is widened by the names of whom it means.
//
// The queue names each window (fact, entity) whose vector is not what it should
// be, from the transaction that changed it until the vector is made, or is gone.
// Work on it may be done twice and never counts half.
//
// Forgetting reaches all that stems from what is forgotten, in one transaction,
// and leaves tombstones: ids, so that learning from a call at the same time does not
// bring it back. A fact or a name that others say as well stays,
// unless a word of it stems from what is forgotten. Vectors follow, now or from the
// queue, and so do strays. Verifying searches for what is gone.
//
// Nothing is remembered, and nothing recalled, of a person who did not consent to
// being remembered.
package memory

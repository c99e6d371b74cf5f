// Package memory remembers people. What nAIber may use about a person in a call
// comes from here, as short sentences.
//
// [Profile] is what is known without any search: the person's record, who cares
// for them, what the last calls were about. [Service] keeps what was said, word
// for word, and finds it again: by the words of a question, by its meaning and
// by the days that it names. [Recaller] gives personas both.
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
// have ended carries an [Outdated], and stands behind the turn that says what is
// true instead. A question is widened by the names of whom it means.
//
// The queue names each window (fact, entity) whose vector is not what it should
// be, from the transaction that changed it until the vector is made, or is gone.
// Work on it may be done twice and never counts half.
//
// [Service.Forget] reaches all that stems from what is forgotten, in one
// transaction, and leaves tombstones: ids, by which whoever learns from a call at
// the same time knows what not to bring back. A fact or a name that others say as
// well stays, unless a word of it stems from what is forgotten. Vectors follow by
// [Service.EraseForgotten], which also looks for strays, and [Service.Verify]
// searches for what is gone. [Service.Export] and [Service.Import] carry a
// person's memory out and in again.
//
// Nothing is remembered, and nothing recalled, of a person who did not consent to
// being remembered.
package memory

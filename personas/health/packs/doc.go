// Package packs holds the questions of a health check as data: what is asked, in which words, of
// whom, how often, and how the answers are scored.
//
// A pack is one YAML file. There is the daily pack, the pack of questions that depend on a person's
// conditions and medicines, and one pack for each validated instrument. [Load] decodes all of them
// strictly and reports every mistake, so that a wrong pack stops the process when it starts and
// never a call. English packs are complete; a pack in another language has only words and scores as
// the English one does.
//
// [Library.Select] selects the questions of one call. It is deterministic: the same person, history
// and moment give the same questions. A call has at most one screen, and none before its cadence
// allows it. [Score] computes the score of an instrument; it never estimates a total from part of
// the answers.
//
// Instruments are read out exactly as written in their pack (Verbatim): only the sentence before an
// item varies from one attempt to the next, never the item. The words are the published ones,
// unless a pack says that they are not. The packs contain only instruments whose authors let
// anybody use them; each pack names its licence and source. A score is a reason to look closer, not
// a diagnosis.
//
// The package uses neither a model nor the store. Everything it returns is plain data that can be
// written to a checkpoint and read by a newer binary: a [Question] contains its own words.
package packs

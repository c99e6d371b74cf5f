// Package packs holds the questions of a health check as data: what is asked, in
// which words, of whom, how often, and how the answers are scored.
//
// A pack is one YAML file. There is the daily pack, the pack of questions that
// depend on a person's conditions and medicines, and one pack for each validated
// instrument. [Load] decodes all of them strictly and reports every mistake, so
// that a wrong pack stops the process at its start and never a call. English packs are
// whole; one in another language holds words alone and scores as the English one does.
//
// [Library.Select] picks the questions of one call. It is deterministic: the same
// person, history and moment give the same questions. A call holds at most one
// screen, and none before its cadence allows it. [Score] adds up an instrument in
// code; a total is never guessed from part of the answers.
//
// Instruments are read out exactly as they stand in their pack (Verbatim): what
// varies from one attempt to the next is the sentence before the item, never the
// item. The words are the published ones, but where a pack says that they are not.
// Only those are shipped whose authors let anybody use them; each pack names its
// licence and source. A score is a reason to look closer, not a diagnosis.
//
// The package asks neither a model nor the store. Everything it returns is
// plain data that survives being written to a checkpoint and read by a newer
// binary: a [Question] carries its own words.
package packs

// Package fhir writes health checks for other systems to read: FHIR R4
// QuestionnaireResponse and Observation resources as JSON, and CSV for
// spreadsheets.
//
// It takes plain values ([Check], [Answer], [Score]) and knows nothing of the
// question packs: whoever exports fills in what they add. The FHIR types here are
// for output only and hold just the elements that are written.
//
// What was not answered is told apart from what was: a refusal is asked-declined,
// an answer that could not be understood is asked-unknown, a question that the
// call did not come to is not-asked. None of them ever carries a value, and an
// instrument that misses an item carries no total.
//
// Codes are LOINC where the check names them. Every question and score has a code
// of the house as well, so that nothing depends on a code that LOINC does not have.
package fhir

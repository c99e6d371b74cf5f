// Package fhir exports health checks to other systems: as FHIR R4 QuestionnaireResponse and
// Observation resources in JSON, and as CSV for spreadsheets.
//
// It takes plain values ([Check], [Answer], [Score]) and does not know the question packs: the
// caller fills in what they add. The FHIR types here are for output only and have just the elements
// that are written.
//
// The reason for a missing answer is exported: a refusal is asked-declined, an answer that could
// not be understood is asked-unknown, a question that the call did not reach is not-asked. None of
// them ever has a value, and an instrument with a missing item has no total.
//
// Codes are LOINC if the check names them. Every question and score has a code of our own as well,
// so that nothing depends on a code that LOINC does not have.
package fhir

// Package report puts what health checks left behind into the forms in which
// others read it: JSON for the API and the command line, the values that
// [github.com/naiber/naiber/personas/health/fhir] writes, and trends.
//
// It is pure: it takes what store kept and the question packs, and asks nobody.
// The packs only add what the store does not keep, such as codes, labels and the
// bounds of a scale; a question that no pack knows any more is reported as it was
// kept. Nothing here depends on a model, and no word of it is a diagnosis.
package report

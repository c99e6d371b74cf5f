// Package report converts stored health checks to the forms in which they are read: JSON for the
// API and the command line, the values that [github.com/naiber/naiber/personas/health/fhir] writes,
// and trends.
//
// It is pure: its input is what the store kept and the question packs, and it makes no requests.
// The packs only add what the store does not keep, such as codes, labels and the bounds of a scale;
// a question that is no longer in any pack is reported as it was stored. Nothing here depends on a
// model, and no word of it is a diagnosis.
package report

// Package telemetry is how nAIber is watched: the logger, the tracer, the
// registry of metrics and what the process knows about its own build. It is
// used by app alone, which hands its parts down; what is logged, traced and
// counted is the business of whoever does the work.
package telemetry

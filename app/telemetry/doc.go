// Package telemetry holds the logger, the tracer, the registry of metrics and the version of the
// build. Only app uses it and passes its parts on; each package decides what it logs, traces and
// counts.
package telemetry

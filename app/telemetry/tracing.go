package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Tracing provides tracers. It is safe for concurrent use.
type Tracing struct {
	provider trace.TracerProvider
	shutdown func(context.Context) error
}

// StartTracing starts sending traces to endpoint by OTLP over HTTP ("http://host:4318"; a path,
// if there is one, is used as it is). With an empty endpoint nothing is traced, at no cost. It
// does not wait for the collector: if that cannot be reached, traces are lost and log gets a
// warning, but nothing else fails.
func StartTracing(ctx context.Context, endpoint, version string, log *slog.Logger) (*Tracing, error) {
	if endpoint == "" {
		return &Tracing{provider: noop.NewTracerProvider(), shutdown: func(context.Context) error { return nil }}, nil
	}
	target, err := url.Parse(endpoint)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, fmt.Errorf("start tracing: %q must be a URL that begins with http:// or https://", endpoint)
	}
	if strings.Trim(target.Path, "/") == "" {
		target.Path = "/v1/traces" // Source: OTLP specification, "OTLP/HTTP request"
	}
	otlp, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(target.String()))
	if err != nil {
		return nil, fmt.Errorf("start tracing: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&exporter{SpanExporter: otlp, log: log}),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "naiber"),
			attribute.String("service.version", version),
		)),
	)
	return &Tracing{provider: provider, shutdown: provider.Shutdown}, nil
}

// Tracer returns the tracer for the named part of the program.
func (t *Tracing) Tracer(name string) trace.Tracer { return t.provider.Tracer(name) }

// Shutdown sends the remaining traces, until ctx is done, and stops tracing.
func (t *Tracing) Shutdown(ctx context.Context) error {
	if err := t.shutdown(ctx); err != nil {
		return fmt.Errorf("flush traces: %w", err)
	}
	return nil
}

// exporter keeps delivery failures from the library's global error handler, which would write to
// standard error. It logs only the first of consecutive failures.
type exporter struct {
	sdktrace.SpanExporter

	log    *slog.Logger
	failed atomic.Bool
}

// ExportSpans implements [sdktrace.SpanExporter].
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err == nil:
		e.failed.Store(false)
	case e.failed.CompareAndSwap(false, true):
		e.log.WarnContext(ctx, "traces cannot be delivered", slog.Int("spans", len(spans)), slog.Any("err", err))
	}
	return nil
}

package telemetry

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/naiber/naiber/store/survive"
)

// NewRegistry returns a registry with the metrics that every process has: Go's runtime, the
// process, recovered panics, and naiber_build_info with the version as a label. Modules register
// their own metrics with it.
func NewRegistry(version string) *prometheus.Registry {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "naiber_build_info",
		Help:        "Always 1; the labels say what is running.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	reg := prometheus.NewRegistry()
	reg.MustRegister(
		survive.Total,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		build,
	)
	return reg
}

// MetricsHandler returns a handler that serves the metrics of reg, and counts its own failures
// there. It may be called once for each registry.
func MetricsHandler(reg *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{Registry: reg})
}

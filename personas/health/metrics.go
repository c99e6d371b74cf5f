package health

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics counts what checks do. No label identifies a person.
type metrics struct {
	turns    *prometheus.CounterVec
	readings *prometheus.CounterVec
	checks   *prometheus.CounterVec
	resumed  prometheus.Counter
	degraded *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return promauto.With(reg).NewCounterVec(prometheus.CounterOpts{Name: "naiber_health_" + name + "_total", Help: help}, labels)
	}
	return &metrics{
		turns:    counter("turns", "Turns of health checks by what they did to their thread.", "effect"),
		readings: counter("readings", "Answers recorded in health checks by source and status.", "source", "status"),
		checks:   counter("checks", "Health checks written after their call, by status.", "status"),
		resumed: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "naiber_health_resumed_total", Help: "Health checks that went on with an earlier call's.",
		}),
		degraded: counter("degraded", "What health checks had to do without, by reason.", "reason"),
	}
}

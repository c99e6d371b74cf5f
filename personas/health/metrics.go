package health

import "github.com/prometheus/client_golang/prometheus"

// metrics counts what a check does. Nothing in a label tells of a person.
type metrics struct {
	turns    *prometheus.CounterVec
	readings *prometheus.CounterVec
	checks   *prometheus.CounterVec
	resumed  prometheus.Counter
	degraded *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &metrics{
		turns:    counter("naiber_health_turns_total", "Turns of health checks by what they did to their thread.", "effect"),
		readings: counter("naiber_health_readings_total", "Answers recorded in health checks by source and status.", "source", "status"),
		checks:   counter("naiber_health_checks_total", "Health checks written after their call, by status.", "status"),
		resumed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "naiber_health_resumed_total", Help: "Health checks that went on with an earlier call's.",
		}),
		degraded: counter("naiber_health_degraded_total", "What health checks had to do without, by reason.", "reason"),
	}
	if reg != nil {
		reg.MustRegister(m.turns, m.readings, m.checks, m.resumed, m.degraded)
	}
	return m
}

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
	m := &metrics{
		turns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "naiber_health_turns_total", Help: "Turns of health checks by what they did to their thread.",
		}, []string{"effect"}),
		readings: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "naiber_health_readings_total", Help: "Answers recorded in health checks by source and status.",
		}, []string{"source", "status"}),
		checks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "naiber_health_checks_total", Help: "Health checks written after their call, by status.",
		}, []string{"status"}),
		resumed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "naiber_health_resumed_total", Help: "Health checks that went on with an earlier call's.",
		}),
		degraded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "naiber_health_degraded_total", Help: "What health checks had to do without, by reason.",
		}, []string{"reason"}),
	}
	if reg != nil {
		reg.MustRegister(m.turns, m.readings, m.checks, m.resumed, m.degraded)
	}
	return m
}

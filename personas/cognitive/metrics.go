package cognitive

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics counts what checks do. No label says anything about a person.
type metrics struct{ turns, tasks, checks *prometheus.CounterVec }

func newMetrics(reg prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return promauto.With(reg).NewCounterVec(prometheus.CounterOpts{Name: "naiber_cognitive_" + name + "_total", Help: help}, labels)
	}
	return &metrics{
		turns:  counter("turns", "Turns of cognitive checks by what they did to their thread.", "effect"),
		tasks:  counter("tasks", "Tasks of cognitive checks that were written, by task and status.", "task", "status"),
		checks: counter("checks", "Cognitive checks written after their call, by status.", "status"),
	}
}

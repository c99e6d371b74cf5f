package learn

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics count what was learned, and what was not.
type metrics struct {
	steps    *prometheus.CounterVec
	learned  *prometheus.CounterVec
	dropped  *prometheus.CounterVec
	degraded *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return promauto.With(reg).NewCounterVec(prometheus.CounterOpts{Namespace: "naiber", Subsystem: "learn", Name: name, Help: help}, labels)
	}
	return &metrics{
		steps:    counter("steps_total", "Steps of learning from calls.", "step", "status"),
		learned:  counter("learned_total", "What was learned from calls.", "kind"),
		dropped:  counter("dropped_total", "What a model said that was not taken.", "reason"),
		degraded: counter("degraded_total", "What was done without something that was away.", "reason"),
	}
}

// kindOf is a step's name without its number.
func kindOf(step string) string {
	kind, _, _ := strings.Cut(step, "/")
	return kind
}

package learn

import (
	"errors"
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics count what was learned, and what was not.
type metrics struct {
	steps    *prometheus.CounterVec
	learned  *prometheus.CounterVec
	dropped  *prometheus.CounterVec
	degraded *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "naiber", Subsystem: "learn", Name: name, Help: help}, labels)
	}
	m := &metrics{
		steps:    counter("steps_total", "Steps of learning from calls.", "step", "status"),
		learned:  counter("learned_total", "What was learned from calls.", "kind"),
		dropped:  counter("dropped_total", "What a model said that was not taken.", "reason"),
		degraded: counter("degraded_total", "What was done in a lesser way.", "reason"),
	}
	if reg == nil {
		return m, nil
	}
	var errs []error
	for _, c := range []prometheus.Collector{m.steps, m.learned, m.dropped, m.degraded} {
		errs = append(errs, reg.Register(c))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("register metrics of learning: %w", err)
	}
	return m, nil
}

// kindOf is a step's name without its number.
func kindOf(step string) string {
	kind, _, _ := strings.Cut(step, "/")
	return kind
}

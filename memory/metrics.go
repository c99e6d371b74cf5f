package memory

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts what the memory does.
type metrics struct {
	degraded *prometheus.CounterVec
	search   prometheus.Histogram
	kept     prometheus.Counter
	indexed  prometheus.Counter
}

// newMetrics makes the metrics and registers them where there is a registry.
func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		degraded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "naiber", Name: "memory_degraded_total", Help: "Memory served with less than all, by reason.",
		}, []string{"reason"}),
		search: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "naiber", Name: "memory_search_seconds", Help: "From a question to the turns that fit it.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .15, .25, .5, 1},
		}),
		kept: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: "naiber", Name: "memory_turns_kept_total", Help: "Turns kept or replaced in memory.",
		}),
		indexed: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: "naiber", Name: "memory_vectors_total", Help: "Vectors made or deleted.",
		}),
	}
	if reg == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.degraded, m.search, m.kept, m.indexed} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("register memory metrics: %w", err)
		}
	}
	return m, nil
}

package memory

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts the work of the memory, and logs what it had to do without.
type Metrics struct {
	Search   prometheus.Histogram
	Kept     prometheus.Counter
	Indexed  prometheus.Counter
	log      *slog.Logger
	degraded *prometheus.CounterVec
}

// NewMetrics returns the metrics. It registers them unless reg is nil.
func NewMetrics(reg prometheus.Registerer, log *slog.Logger) (*Metrics, error) {
	m := &Metrics{
		log: log,
		degraded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "naiber", Name: "memory_degraded_total", Help: "Memory served with less than all, by reason.",
		}, []string{"reason"}),
		Search: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "naiber", Name: "memory_search_seconds", Help: "From a question to the turns that fit it.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .15, .25, .5, 1},
		}),
		Kept: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: "naiber", Name: "memory_turns_kept_total", Help: "Turns kept or replaced in memory.",
		}),
		Indexed: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: "naiber", Name: "memory_vectors_total", Help: "Vectors made or deleted.",
		}),
	}
	if reg == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.degraded, m.Search, m.Kept, m.Indexed} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("register memory metrics: %w", err)
		}
	}
	return m, nil
}

// Degraded counts and logs a fallback after err.
func (m *Metrics) Degraded(ctx context.Context, reason string, err error) {
	m.degraded.WithLabelValues(reason).Inc()
	m.log.LogAttrs(ctx, slog.LevelWarn, "memory degraded", slog.String("reason", reason), slog.Any("err", err))
}

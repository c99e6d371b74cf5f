package chat

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics holds the metrics of written turns.
type metrics struct {
	turns    *prometheus.CounterVec
	degraded *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) metrics {
	auto := promauto.With(reg)
	return metrics{
		turns: auto.NewCounterVec(prometheus.CounterOpts{
			Namespace: "naiber", Name: "chat_turns_total", Help: "Written turns, by how their reply ended.",
		}, []string{"outcome"}),
		degraded: auto.NewCounterVec(prometheus.CounterOpts{
			Namespace: "naiber", Name: "chat_degraded_total", Help: "Written turns served with less than all, by reason.",
		}, []string{"reason"}),
	}
}

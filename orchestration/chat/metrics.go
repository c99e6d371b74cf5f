package chat

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts what happens to written turns.
type metrics struct {
	turns    *prometheus.CounterVec
	degraded *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		turns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "naiber", Name: "chat_turns_total", Help: "Written turns, by how their reply ended.",
		}, []string{"outcome"}),
		degraded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "naiber", Name: "chat_degraded_total", Help: "Written turns served with less than all, by reason.",
		}, []string{"reason"}),
	}
	if reg == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.turns, m.degraded} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("register chat metrics: %w", err)
		}
	}
	return m, nil
}

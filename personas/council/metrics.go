package council

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct {
	messages    *prometheus.CounterVec
	failed      prometheus.Counter
	missing     prometheus.Counter
	unsupported prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	return &metrics{
		messages:    f.NewCounterVec(prometheus.CounterOpts{Name: "naiber_council_messages_total", Help: "Messages of discussions, by voice."}, []string{"persona"}),
		failed:      f.NewCounter(prometheus.CounterOpts{Name: "naiber_council_failed_rounds_total", Help: "Rounds that could not be finished."}),
		missing:     f.NewCounter(prometheus.CounterOpts{Name: "naiber_council_missing_chunks_total", Help: "Messages whose chunks lacked something of the final text, which was sent before its end."}),
		unsupported: f.NewCounter(prometheus.CounterOpts{Name: "naiber_council_unsupported_statements_total", Help: "Statements of the analyzer that rest on nothing on record."}),
	}
}

package jobs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics counts the results of jobs. With a nil registerer it is not exported.
type metrics struct {
	ended   *prometheus.CounterVec
	elapsed *prometheus.HistogramVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	with := promauto.With(reg)
	return &metrics{
		ended: with.NewCounterVec(prometheus.CounterOpts{
			Name: "naiber_job_tries_total", Help: "Tries of jobs by kind and result: completed, failed, gave_up.",
		}, []string{"kind", "result"}),
		elapsed: with.NewHistogramVec(prometheus.HistogramOpts{
			Name: "naiber_job_seconds", Help: "How long completed jobs took.", Buckets: prometheus.ExponentialBuckets(0.01, 3, 9),
		}, []string{"kind"}),
	}
}

func (m *metrics) done(kind, result string, elapsed time.Duration) {
	m.ended.WithLabelValues(kind, result).Inc()
	if elapsed > 0 {
		m.elapsed.WithLabelValues(kind).Observe(elapsed.Seconds())
	}
}

package jobs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts what became of jobs; a nil registerer counts for nobody.
type metrics struct {
	ended   *prometheus.CounterVec
	elapsed *prometheus.HistogramVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "naiber_job_tries_total", Help: "Tries of jobs by kind and result: completed, failed, gave_up.",
		}, []string{"kind", "result"}),
		elapsed: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "naiber_job_seconds", Help: "How long completed jobs took.", Buckets: prometheus.ExponentialBuckets(0.01, 3, 9),
		}, []string{"kind"}),
	}
	if reg != nil {
		reg.MustRegister(m.ended, m.elapsed)
	}
	return m
}

func (m *metrics) done(kind, result string, elapsed time.Duration) {
	m.ended.WithLabelValues(kind, result).Inc()
	if elapsed > 0 {
		m.elapsed.WithLabelValues(kind).Observe(elapsed.Seconds())
	}
}

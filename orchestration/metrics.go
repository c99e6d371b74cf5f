package orchestration

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics holds the metrics of turns.
type metrics struct {
	turns     *prometheus.CounterVec
	ttft      *prometheus.HistogramVec
	duration  *prometheus.HistogramVec
	joined    prometheus.Counter
	replaced  prometheus.Counter
	abandoned prometheus.Counter
	degraded  *prometheus.CounterVec
	refused   *prometheus.CounterVec
	fillers   prometheus.Counter
	withheld  *prometheus.CounterVec
	running   prometheus.Gauge
}

// newMetrics registers the metrics with reg. With a nil reg they are not exported.
func newMetrics(reg prometheus.Registerer) *metrics {
	auto := promauto.With(reg)
	counter := func(name, help string) prometheus.Counter {
		return auto.NewCounter(prometheus.CounterOpts{Namespace: "naiber", Name: name, Help: help})
	}
	return &metrics{
		turns: auto.NewCounterVec(prometheus.CounterOpts{
			Namespace: "naiber", Name: "turns_total", Help: "Turns answered, by persona and outcome.",
		}, []string{"persona", "outcome"}),
		ttft: auto.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "naiber", Name: "turn_first_token_seconds", Help: "From the request for a turn to the first word sent.",
			Buckets: []float64{.05, .1, .2, .3, .5, .75, 1, 1.5, 2, 3, 5, 10},
		}, []string{"persona"}),
		duration: auto.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "naiber", Name: "turn_seconds", Help: "From the request for a turn to the end of the reply.",
			Buckets: []float64{.1, .25, .5, 1, 2, 3, 5, 8, 12, 18},
		}, []string{"persona"}),
		joined:    counter("turns_joined_total", "Repeated requests that shared a reply."),
		replaced:  counter("turns_replaced_total", "Replies given up because the turn was asked with other words."),
		abandoned: counter("turns_abandoned_total", "Replies given up because nobody listened any more."),
		degraded: auto.NewCounterVec(prometheus.CounterOpts{
			Namespace: "naiber", Name: "turns_degraded_total", Help: "Turns served with less than all, by reason.",
		}, []string{"reason"}),
		refused: auto.NewCounterVec(prometheus.CounterOpts{
			Namespace: "naiber", Name: "turns_refused_total", Help: "Requests refused for their call token, by reason.",
		}, []string{"reason"}),
		fillers: counter("turn_fillers_total", "Turns whose dead air was covered."),
		withheld: auto.NewCounterVec(prometheus.CounterOpts{
			Namespace: "naiber", Name: "turns_withheld_total", Help: "Turns in which something a model said was withheld, by kind.",
		}, []string{"kind"}),
		running: auto.NewGauge(prometheus.GaugeOpts{
			Namespace: "naiber", Name: "turns_running", Help: "Replies in the making.",
		}),
	}
}

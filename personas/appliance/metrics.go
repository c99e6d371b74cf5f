package appliance

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics counts what the helper does. No label says anything about a person.
type metrics struct {
	turns, tools, models, numbers, danger *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return promauto.With(reg).NewCounterVec(prometheus.CounterOpts{Name: "naiber_appliance_" + name + "_total", Help: help}, labels)
	}
	return &metrics{
		turns:   counter("turns", "Turns of the appliance helper by channel and what they did to their thread.", "channel", "effect"),
		tools:   counter("tools", "Tools that the appliance helper ran, by outcome.", "tool", "outcome"),
		models:  counter("model_calls", "What a model was asked for by the appliance helper, by outcome.", "call", "outcome"),
		numbers: counter("numbers", "Numbers of models and parts by what became of them.", "outcome"),
		danger:  counter("dangers", "Dangers that were told of, by kind.", "kind"),
	}
}

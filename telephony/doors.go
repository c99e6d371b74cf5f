package telephony

import (
	"context"
	"fmt"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// doorMetrics count what comes to the doors of this package: wishes for a call,
// and webhooks.
type doorMetrics struct {
	dials    *prometheus.CounterVec // result
	refusals *prometheus.CounterVec // rule
	webhooks *prometheus.CounterVec // route, result
	turned   *prometheus.CounterVec // reason
	orphans  *prometheus.CounterVec // what
}

// newDoorMetrics registers the counters with reg; with a nil reg they count for nobody.
func newDoorMetrics(reg prometheus.Registerer) *doorMetrics {
	f := promauto.With(reg)
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Namespace: "naiber", Subsystem: "call", Name: name, Help: help}, labels)
	}
	return &doorMetrics{
		dials:    vec("dials_total", "Calls that the gate let pass, by what Twilio made of them.", "result"),
		refusals: vec("gate_refusals_total", "Calls that the gate refused, by rule.", "rule"),
		webhooks: vec("webhooks_total", "Webhooks, by route and result.", "route", "result"),
		turned:   vec("turned_away_total", "Callers who heard that we are busy, by why.", "reason"),
		orphans:  vec("orphans_total", "Calls that nobody carried any more, by what was done about them.", "what"),
	}
}

// keyed is a set of locks by name. The zero value is ready.
type keyed struct {
	mu   sync.Mutex // guards held
	held map[string]chan struct{}
}

// lock waits until nobody else holds key and returns how to let go of it.
func (k *keyed) lock(ctx context.Context, key string) (unlock func(), err error) {
	for {
		k.mu.Lock()
		other, taken := k.held[key]
		if !taken {
			mine := make(chan struct{})
			if k.held == nil {
				k.held = make(map[string]chan struct{})
			}
			k.held[key] = mine
			k.mu.Unlock()
			return func() {
				k.mu.Lock()
				delete(k.held, key)
				k.mu.Unlock()
				close(mine)
			}, nil
		}
		k.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for another dial: %w", ctx.Err())
		}
	}
}

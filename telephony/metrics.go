package telephony

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics holds the metrics of calls. Those of the hot path are resolved once, since looking up a
// label costs more than the count.
type metrics struct {
	dials         *prometheus.CounterVec // result
	refusals      *prometheus.CounterVec // rule
	webhooks      *prometheus.CounterVec // route, result
	turned        *prometheus.CounterVec // reason
	orphans       *prometheus.CounterVec // what
	live          prometheus.Gauge
	endings       *prometheus.CounterVec // cause, by
	seconds       prometheus.Histogram
	firstWord     prometheus.Histogram
	framesUp      prometheus.Counter // phone to voice service
	framesDown    prometheus.Counter // voice service to phone
	dropped       prometheus.Counter
	staleAudio    prometheus.Counter
	notBase64     prometheus.Counter
	malformed     *prometheus.CounterVec // side
	unknownEvents *prometheus.CounterVec // side
	stalls        *prometheus.CounterVec // side
	streams       *prometheus.CounterVec // result
	conversations *prometheus.CounterVec // result
	reconnects    *prometheus.CounterVec // what
	bargeIns      prometheus.Counter
	lateNotes     prometheus.Counter
	lostNotes     prometheus.Counter
	panics        *prometheus.CounterVec // part
}

// newMetrics registers the metrics with reg. With a nil reg they are not exported.
func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	counter := func(name, help string) prometheus.Counter {
		return f.NewCounter(prometheus.CounterOpts{Namespace: "naiber", Subsystem: "call", Name: name, Help: help})
	}
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Namespace: "naiber", Subsystem: "call", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets ...float64) prometheus.Histogram {
		return f.NewHistogram(prometheus.HistogramOpts{Namespace: "naiber", Subsystem: "call", Name: name, Help: help, Buckets: buckets})
	}
	frames := vec("frames_total", "Audio messages relayed, by direction.", "direction")
	return &metrics{
		live: f.NewGauge(prometheus.GaugeOpts{
			Namespace: "naiber", Subsystem: "call", Name: "live", Help: "Calls carried by this process now.",
		}),
		dials:    vec("dials_total", "Calls that the gate let pass, by what Twilio made of them.", "result"),
		refusals: vec("gate_refusals_total", "Calls that the gate refused, by rule.", "rule"),
		webhooks: vec("webhooks_total", "Webhooks, by route and result.", "route", "result"),
		turned:   vec("turned_away_total", "Callers who heard that we are busy, by why.", "reason"),
		orphans:  vec("orphans_total", "Calls that nobody carried any more, by what was done about them.", "what"),
		endings:  vec("endings_total", "Calls ended, by cause and by whose doing it was.", "cause", "by"),
		seconds:  histogram("duration_seconds", "How long calls were carried.", 5, 15, 30, 60, 120, 300, 600, 900, 1200, 1800),
		firstWord: histogram("first_word_seconds", "From the answer to the first audio sent to the phone.",
			0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10),
		framesUp:      frames.WithLabelValues("up"),
		framesDown:    frames.WithLabelValues("down"),
		dropped:       counter("frames_dropped_total", "Audio from the phone dropped because the voice service did not take it in time."),
		staleAudio:    counter("stale_audio_total", "Audio of interrupted replies that was not passed on."),
		notBase64:     counter("frames_not_base64_total", "Audio messages whose payload was not base64."),
		malformed:     vec("malformed_messages_total", "Messages that could not be read, by who sent them.", "side"),
		unknownEvents: vec("unknown_events_total", "Messages of a kind not known here, by who sent them.", "side"),
		stalls:        vec("write_stalls_total", "Sockets closed because they took no data any more.", "side"),
		streams:       vec("streams_total", "Media streams, by what became of their opening.", "result"),
		conversations: vec("conversations_total", "Conversations with the voice service, by result.", "result"),
		reconnects:    vec("reconnects_total", "Picking-ups of a call in its middle, by what had broken.", "what"),
		bargeIns:      counter("interruptions_total", "Times that a person spoke over nAIber."),
		lateNotes:     counter("notes_retried_total", "Transcript lines and events that the database did not take at first."),
		lostNotes:     counter("notes_lost_total", "Transcript lines and events that could not be kept."),
		panics:        vec("panics_total", "Panics within a call, which ended that call alone, by its part.", "part"),
	}
}

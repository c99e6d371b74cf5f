package app

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// latelySteps is how many notes of the counters are kept, one a minute: degradations of the
	// last five to six minutes are reported.
	latelySteps = 5
)

// degradedCounters are the counters of what was degraded or late, besides all whose name ends in
// _degraded_total, each with its name for people.
var degradedCounters = map[string]string{
	"naiber_turns_degraded_total":     "turns",
	"naiber_call_notes_retried_total": "transcripts kept late",
	"naiber_call_notes_lost_total":    "transcript lines lost",
}

const degradedSuffix = "_degraded_total"

// A degradation in a health check is counted for the check and for its turn. It is reported once,
// for the check.
const degradedTurns, degradedHealth = "turns: ", "health: "

// onceIsNone ends the names of what is reported only if it happened at least twice.
const onceIsNone = ": recall late"

// lately reports what was degraded in the last minutes, by how much the counters of degradations
// have grown. A new counter is reported without being listed if its name ends in _degraded_total.
// It is safe for concurrent use.
type lately struct {
	counters prometheus.Gatherer

	mu    sync.Mutex           // guards notes
	notes []map[string]float64 // earlier values of the counters, oldest first
}

// note records the counters, for later comparison.
func (l *lately) note() {
	now := l.read()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, now)
	if len(l.notes) > latelySteps {
		l.notes = l.notes[1:]
	}
}

// grew returns the counters, and a function that returns how much a counter has grown since the
// oldest note.
func (l *lately) grew() (now map[string]float64, grew func(name string) float64) {
	now = l.read()
	l.mu.Lock()
	defer l.mu.Unlock()
	var before map[string]float64 // until enough notes are kept, counts from zero
	if len(l.notes) == latelySteps {
		before = l.notes[0]
	}
	return now, func(name string) float64 { return now[name] - before[name] }
}

// degraded returns what has grown, with how often, in alphabetical order.
func (l *lately) degraded() []string {
	now, grew := l.grew()
	var out []string
	for name := range now {
		grown := grew(name)
		if reason, ok := strings.CutPrefix(name, degradedTurns); ok {
			grown -= grew(degradedHealth + reason)
		}
		if grown > 1 || grown > 0 && !strings.HasSuffix(name, onceIsNone) {
			out = append(out, fmt.Sprintf("%s (%.0f in the last minutes)", name, grown))
		}
	}
	slices.Sort(out)
	return out
}

// read sums the counters by the name under which they are reported.
func (l *lately) read() map[string]float64 {
	families, err := l.counters.Gather()
	if err != nil && len(families) == 0 {
		return nil // with an inconsistent registry, what can be read is used
	}
	out := make(map[string]float64)
	for _, f := range families {
		name, known := degradedCounters[f.GetName()]
		if !known {
			short, ok := strings.CutSuffix(f.GetName(), degradedSuffix)
			if !ok {
				continue
			}
			name = strings.ReplaceAll(strings.TrimPrefix(short, "naiber_"), "_", " ")
		}
		for _, m := range f.GetMetric() {
			told := []string{name}
			for _, label := range m.GetLabel() {
				if label.GetName() == "reason" {
					told = append(told, strings.ReplaceAll(label.GetValue(), "_", " "))
				}
			}
			out[strings.Join(told, ": ")] += m.GetCounter().GetValue()
		}
	}
	return out
}

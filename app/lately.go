package app

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// latelySteps is how many notes of the counters are kept, one a minute: what was
	// degraded within five to six minutes is told.
	latelySteps = 5
)

// degradedCounters are the counters of what was degraded or late, besides all whose
// name ends in _degraded_total, and what each is called for people.
var degradedCounters = map[string]string{
	"naiber_turns_degraded_total":     "turns",
	"naiber_call_notes_retried_total": "transcripts kept late",
	"naiber_call_notes_lost_total":    "transcript lines lost",
}

const degradedSuffix = "_degraded_total"

// What a health check did without is counted there and as its turn's. It is told
// once, as the check's.
const degradedTurns, degradedHealth = "turns: ", "health: "

// onceIsNone is what has to have happened twice before it is told.
const onceIsNone = "chat: recall late"

// lately reports what was degraded in the last minutes: by how much
// the counters of degradations have grown. What counts there is told here
// without being asked. It may be used concurrently.
type lately struct {
	counters prometheus.Gatherer

	mu    sync.Mutex           // guards what follows
	notes []map[string]float64 // the counters as they stood, oldest first
}

// note notes the counters, for what is told later.
func (l *lately) note() {
	now := l.read()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, now)
	if len(l.notes) > latelySteps {
		l.notes = l.notes[1:]
	}
}

// grew returns the counters, and by how much each has grown.
func (l *lately) grew() (now map[string]float64, grew func(name string) float64) {
	now = l.read()
	l.mu.Lock()
	defer l.mu.Unlock()
	var before map[string]float64 // at the start, nothing was counted
	if len(l.notes) == latelySteps {
		before = l.notes[0]
	}
	return now, func(name string) float64 { return now[name] - before[name] }
}

// degraded names what has grown, with how often, in alphabetical order.
func (l *lately) degraded() []string {
	now, grew := l.grew()
	var out []string
	for name := range now {
		grown := grew(name)
		if reason, ok := strings.CutPrefix(name, degradedTurns); ok {
			grown -= grew(degradedHealth + reason)
		}
		if grown > 1 || grown > 0 && name != onceIsNone {
			out = append(out, fmt.Sprintf("%s (%.0f in the last minutes)", name, grown))
		}
	}
	slices.Sort(out)
	return out
}

// read sums the counters by what is told of them.
func (l *lately) read() map[string]float64 {
	families, err := l.counters.Gather()
	if err != nil && len(families) == 0 {
		return nil // what can be read of a registry at odds with itself is read
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

package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// checkNote is the data that a health check adds to the turns of its call.
type checkNote struct {
	Health *struct {
		Phase    string
		Question *struct {
			ID      string
			Attempt int // from 0
		}
		Readings []struct {
			QuestionID, Status, Source string
			Value                      any
			Confidence                 float64
			Correction                 bool
		}
	}
}

// asking are the phases in which the open question was just asked.
var asking = []string{"asking", "follow_up"}

// describeCheck returns what a turn of a health check asked and recorded, such
// as "asked sleep (try 2); energy: 8 (rules, 0.90)". It returns the empty
// string for a turn of another call.
func describeCheck(data json.RawMessage) string {
	var n checkNote
	if err := json.Unmarshal(data, &n); err != nil || n.Health == nil {
		return ""
	}
	var parts []string
	if phase := n.Health.Phase; n.Health.Question != nil && slices.Contains(asking, phase) {
		asked := "asked " + n.Health.Question.ID
		if try := n.Health.Question.Attempt + 1; try > 1 {
			asked += fmt.Sprintf(" (try %d)", try)
		}
		parts = append(parts, asked)
	} else if phase != "" {
		parts = append(parts, strings.ReplaceAll(phase, "_", " "))
	}
	for _, r := range n.Health.Readings {
		what := any(strings.ReplaceAll(r.Status, "_", " "))
		if r.Value != nil {
			what = r.Value
		}
		how := fmt.Sprintf("%s, %.2f", r.Source, r.Confidence)
		if r.Correction {
			how += ", corrected"
		}
		parts = append(parts, fmt.Sprintf("%s: %v (%s)", r.QuestionID, what, how))
	}
	return strings.Join(parts, "; ")
}

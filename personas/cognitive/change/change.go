// Package change tells change from noise in the scores of repeated cognitive checks.
package change

import "time"

// Session is what one check measured.
type Session struct {
	ID     string // the call
	At     time.Time
	Values map[string]Value // by measure
}

// Value is one score, with how far it is to be trusted, 0 to 1.
type Value struct {
	Raw        float64
	Confidence float64
}

// Measure is what is known of a measure beforehand.
type Measure struct {
	ID     string
	Domain string
	Max    float64 // 0: open ended
	// SD is the variation within a person between sessions, Practice the gain from the
	// first session to the second, in points.
	SD, Practice float64
}

// Verdict is what may be said of a measure; never more.
type Verdict string

// The verdicts.
const (
	TooEarly    Verdict = "too_early"
	None        Verdict = "none"    // no reliable change
	Decline     Verdict = "decline" // a change worth discussing with a clinician
	Improvement Verdict = "improvement"
)

// Trend is a measure over the sessions.
type Trend struct {
	Measure  string
	Baseline struct{ Mean, SD float64 }
	Points   []Point // in order of time
	Change   Verdict
	// Index is the reliable-change index of the last session; nil: too early.
	Index      *float64
	Confidence float64
}

// Point is one session's score with the band in which it would lie without change.
type Point struct {
	ID        string
	At        time.Time
	Raw       float64
	Low, High float64 // the band; both 0 before there is a baseline
	Weight    float64
}

// Package change tells change from noise in the scores of repeated cognitive checks.
//
// Each measure is compared with the person's own first sessions by a reliable-change
// index: the difference over its standard error (Jacobson and Truax, J Consult Clin
// Psychol 1991;59:12-19), after the gain from practice that is expected at that session
// is taken off (Chelune et al., Neuropsychology 1993;7:41-52), with a person's own
// variation, and not only a group's, in the standard error (Temkin et al., J Int
// Neuropsychol Soc 1999;5:357-369, compare such models). Two things are added: single
// scores of a person vary more than a change worth talking about, so that domains and
// all measures together are followed too, as composites; and as every session is another
// look, the criterion rises with the looks, so that all of them together raise a false
// alarm about a stable person in no more than a few of a hundred.
//
// Nothing here is a diagnosis: a verdict is about a person's scores against their own.
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
	// first session to the second, in points. A measure without an SD has points, and
	// never a verdict.
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

// Trend is a measure over the sessions, or a composite of measures: Overall, or
// domain: and the domain's name. A composite's figures have the prior SD of its measures
// as their unit, and the baseline as their zero.
type Trend struct {
	Measure string
	// Baseline is the mean of the first sessions' scores as they are, and the variation
	// within the person; both 0: there is none yet.
	Baseline struct{ Mean, SD float64 }
	Points   []Point // in order of time
	Change   Verdict
	// Index is the reliable-change index of the latest state: the mean of the last
	// sessions after the baseline. nil: too early.
	Index *float64
	// Confidence is the mean weight of the sessions that the verdict rests on.
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

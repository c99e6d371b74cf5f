// Package change distinguishes change from noise in the scores of repeated cognitive checks.
//
// Each measure is compared with the person's own first sessions by a reliable-change index: the
// difference over its standard error (Jacobson and Truax, J Consult Clin Psychol 1991;59:12-19).
// The gain from practice that is expected at that session is subtracted first (Chelune et al.,
// Neuropsychology 1993;7:41-52), and the standard error includes a person's own variation, not only
// a group's (Temkin et al., J Int Neuropsychol Soc 1999;5:357-369, compare such models). Two things
// are added. A person's single scores vary more than a change worth talking about, so domains and
// all measures together are followed too, as composites. And every session is another look, so the
// criterion rises with the looks: all of them together raise a false alarm about a stable person in
// no more than a few of a hundred.
//
// Nothing here is a diagnosis: a verdict compares a person's scores with their own earlier ones.
package change

import "time"

// Session holds what one check measured.
type Session struct {
	ID     string // the call's ID
	At     time.Time
	Values map[string]Value // by measure
}

// Value is one score, and how far it can be trusted, from 0 to 1.
type Value struct {
	Raw        float64
	Confidence float64
}

// Measure describes a measure: what is known about it beforehand.
type Measure struct {
	ID     string
	Domain string
	Max    float64 // 0: open ended
	// SD is the variation within a person between sessions, and Practice the gain from the first
	// session to the second, in points. A measure without an SD has points, but never a verdict.
	SD, Practice float64
}

// Verdict is all that may be said about the change in a measure.
type Verdict string

// The verdicts.
const (
	TooEarly    Verdict = "too_early"
	None        Verdict = "none"    // no reliable change
	Decline     Verdict = "decline" // a change worth discussing with a clinician
	Improvement Verdict = "improvement"
)

// Trend is a measure over the sessions, or a composite of measures: [Overall], or "domain:" and the
// domain's name. A composite's values are in units of the prior SD of its measures, with the
// baseline as zero.
type Trend struct {
	Measure string
	// Baseline is the mean of the first sessions' raw scores, and the variation within the person;
	// both are 0 if there is no baseline yet.
	Baseline struct{ Mean, SD float64 }
	Points   []Point // in order of time
	Change   Verdict
	// Index is the reliable-change index of the latest state, which is the mean of the last
	// sessions after the baseline. It is nil if it is too early.
	Index *float64
	// Confidence is the mean weight of the sessions on which the verdict rests.
	Confidence float64
}

// Point is one session's score, and the band in which it would lie without a change.
type Point struct {
	ID        string
	At        time.Time
	Raw       float64
	Low, High float64 // the band; both 0 before there is a baseline
	Weight    float64
}

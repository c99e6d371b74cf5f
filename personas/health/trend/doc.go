// Package trend says how an answer compares with the same person's earlier ones.
//
// Each person is compared only with themselves: an energy of 4 is a good day for one and a bad one
// for another. A [Baseline] is the person's median with the median distance from it, so that one
// odd day does not move it. [Latest] compares the newest answer with the baseline before it,
// [Slope] looks for a slow drift. Both say how certain they are, and both give no result if there
// is too little data.
//
// The results are worded as changes from this person's usual. They are never a diagnosis, and
// nothing here depends on what a question is about.
//
// All functions are pure: the same points give the same result, in any order.
package trend

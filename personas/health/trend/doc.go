// Package trend says how an answer compares with the same person's earlier ones.
//
// Everybody is their own measure: an energy of 4 is a good day for one and a bad
// one for another. A [Baseline] is the person's median with the median distance
// from it, so that one odd day does not move it. [Latest] compares the newest
// answer with the baseline before it, [Slope] looks for a slow drift. Both say how
// sure they are, and both say nothing where there is too little to go by.
//
// What comes out is worded as what it is, a change from this person's usual. It is
// never a diagnosis, and nothing here depends on what a question is about.
//
// All functions are pure: the same points give the same answer, in any order.
package trend

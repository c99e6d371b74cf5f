// Package evaluation asks a memory questions whose answers are known.
//
// Its set is ten invented people, fifteen calls with each, and three hundred
// questions, each with the turns that answer it. What matters in a call is
// written by hand in testdata, one file a person; greetings and small talk are
// dealt out around it, the same way each time, so that there is something to
// overlook. The questions were written without regard to any search: they use
// other words than the answers, and say "my sister" where the answer says "Carmen".
//
// [Load] returns the set, [Score] compares what a search found with what it
// should have. Keeping the set in a memory and searching it is the tests' part.
//
// A file has one thing a line:
//
//	person NAME | how they are called | time zone
//	asked 2026-08-04 10:00              when the questions are asked
//	call 2026-01-06 10:05               a call begins
//	n How are you sleeping?             nAIber's turn
//	e#sleep Badly.                      the person's turn, with a tag
//	forget sleep hip                    tags of turns that are to be forgotten
//	fact F1 health hip | sleep | TEXT   a fact: kind, topic, tags it was learned from
//	close F1 F2 2026-04-14              since when F2 is true instead of F1
//	depends F3 F1                       F3 holds only while F1 does
//	name person sister | sleep | NAME   somebody: kind, what they are to the person, tags they were met in
//	ask KIND sleep hip < old | TEXT     a question, the tags that answer it, the tags that no longer do
package evaluation

// Package evaluation tests a memory with questions whose answers are known.
//
// Its set is ten invented people, fifteen calls with each, and three hundred questions,
// each with the turns that answer it. The relevant parts of a call are written by hand in
// testdata, one file per person; greetings and small talk are dealt out around them, the
// same way each time, as noise. The questions were written without regard to any search:
// they use other words than the answers, and say "my sister" where the answer says
// "Carmen".
//
// [Load] returns the set, [Score] compares what a search found with what it should have
// found. The tests store the set in a memory and search it.
//
// A file has one entry per line:
//
//	person NAME | what they are called | time zone
//	asked 2026-08-04 10:00              when the questions are asked
//	call 2026-01-06 10:05               a call begins
//	n How are you sleeping?             nAIber's turn
//	e#sleep Badly.                      the person's turn, with a tag
//	forget sleep hip                    tags of turns to forget
//	fact F1 health hip | sleep | TEXT   a fact: kind, topic, tags of its sources
//	close F1 F2 2026-04-14              the day from which F2 is true instead of F1
//	depends F3 F1                       F3 holds only while F1 does
//	name person sister | sleep | NAME   a name: kind, relation to the person, tags of turns that mention it
//	name person son of NAME | hip | TOM a name of somebody who is related to one before
//	ask KIND sleep hip < old | TEXT     a question, the tags that answer it, the tags that no longer do
package evaluation

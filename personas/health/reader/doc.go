// Package reader reads spoken answers to health-check questions by rules.
//
// It is the first to see what an elder said. It settles what rules can settle,
// in microseconds, the same way each time, with every model down. What it can't
// settle it says so, and the caller may ask a model or ask again. It never
// guesses: words without a number are no number, a refusal is never an answer,
// and a number that belongs to something else in the story ("my son, who is
// fifty-two") is left alone.
//
//	q := reader.Question{ID: "energy", Kind: reader.Scale, Min: 1, Max: 10}
//	r := reader.Read(q, "Ten! No, say nine.", reader.Context{})
//	// r.Value.Number == 9, r.Settled, r.Quote == "nine"
//
// [Read] reads one question, [ReadMany] finds answers to other open questions
// in the same reply, [Told] what a follow-up would ask for, [Corrections] earlier
// answers taken back, and [IntentOf] tells what a reply is for when it may not be an
// answer at all.
//
// # How it reads
//
// The reply becomes words that know where they stand in what was said (token.go).
// Each kind of question collects candidates (numbers.go, time.go, choice.go,
// yesno.go), drops those that belong to something else, to the past or to
// someone else (weigh.go), lets the last correction win, joins ranges, and
// gives what is left a confidence. From [SettleAt] on it is settled.
//
// The words and what is found in them are a text (token.go); each side of reading is a
// small type over it that also holds the question (kinds.go).
//
// Whether a reply refuses the question, passes it over or ends the call is a grammar
// (grammar.go), since there is no end of ways to say any of them.
//
// Words are data: a language is a folder of cue files in cues, and a [Lexicon] holds
// what they say. All cues are looked up once, when the reply becomes words; the rules
// ask for them by class (cues.go). A cue file has headers at the start of a line, each
// with its cues indented under it:
//
//	words joiners:             single words of a class
//	phrases same habit:        phrases of a class, parted by commas, and their value
//	list fillers:              phrases that others name as @fillers
//	values ones:               words that stand for something: one=1
//	unit mass 1 lb:            a measure, by dimension, factor and how it is recorded
//	alike pills:               things that are counted as pills
//	group good well | sleep:   phrases for the option "good" or "well", of sleep alone
//	grade good | bad | .7 | .1: phrases for a place on a scale
//	theme fall symptom:        a subject by its words; its phrases are fall.did and so on
//	classes skip, rules skip:  a grammar (grammar.go)
//
// The order of words is part of the cues as well. A class says on which side of the hour
// the minutes stand ("ten to eleven", "once menos diez", "halb elf"), what joins tens and
// ones ("treinta y uno"), where "ago" stands; a class that a language has no words for is
// a rule that it does without. What holds for a language as a whole are its traits:
//
//	traits es:                 comma: the decimal mark; inflected: a verb says who acts
//	words accented:            words that an accent tells from others: of all others the
//	                           accents are dropped, in the cues and in what is said
//
// A language without the class accented keeps its accents.
//
// All functions are pure and safe to call concurrently.
package reader

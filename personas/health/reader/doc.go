// Package reader reads spoken answers to health-check questions by rules.
//
// It is the first step for every reply. It settles what rules can settle, in microseconds,
// deterministically, and even if every model is down. It reports what it cannot settle, and the
// caller may ask a model or put the question again. It never guesses: words without a number are
// not a number, a refusal is never an answer, and a number that belongs to something else in the
// story ("my son, who is fifty-two") is ignored.
//
//	q := reader.Question{ID: "energy", Kind: reader.Scale, Min: 1, Max: 10}
//	r := reader.Read(q, "Ten! No, say nine.", reader.Context{})
//	// r.Value.Number == 9, r.Settled, r.Quote == "nine"
//
// [Read] reads the answer to one question. [ReadMany] finds answers to other open questions in the
// same reply, [Told] answers to follow-ups, and [Corrections] earlier answers that are taken back.
// [IntentOf] returns the purpose of a reply that may not be an answer at all.
//
// # How it reads
//
// The reply is split into words with their places in the original text (token.go). Each kind of
// question collects candidates (numbers.go, time.go, choice.go, yesno.go), drops those that belong
// to something else, to the past or to someone else (weigh.go), prefers the last correction, joins
// ranges, and gives the rest a confidence. From [SettleAt] on the reading is settled.
//
// The words and the cues found in them are a text (token.go). Each kind of question and each other
// purpose has a small type based on it, most of which also hold the question (kinds.go).
//
// Whether a reply refuses the question, skips it or ends the call is decided by a grammar
// (grammar.go), since the ways to say so are too many to list.
//
// Words are data: a language is a folder of cue files in cues, and a [Lexicon] holds their
// contents. All cues are looked up once, when the reply is split into words; the rules refer to
// them by class (cues.go). A cue file has headers at the start of a line, each with its cues
// indented under it:
//
//	words joiners:             single words of a class
//	phrases same habit:        phrases of a class, separated by commas, and their value
//	list fillers:              phrases that others name as @fillers
//	values ones:               words that stand for something: one=1
//	unit mass 1 lb:            a unit, by dimension, factor and code for the record
//	alike pills:               things that are counted as pills
//	group good well | sleep:   phrases for the option "good" or "well", about sleep only
//	grade good | bad | .7 | .1: phrases for a place on a scale
//	theme fall symptom:        a subject by its words; its phrases are fall.did and so on
//	classes skip, rules skip:  a grammar (grammar.go)
//
// The order of words is part of the cues, too. Classes determine on which side of the hour the
// minutes stand ("ten to eleven", "once menos diez", "halb elf"), what joins tens and ones
// ("treinta y uno"), and where "ago" stands. If a language has no words for a class, the rule for
// it does not apply. What holds for a language as a whole are its traits:
//
//	traits es:                 comma: the decimal mark; inflected: a verb implies its subject
//	words accented:            words that an accent distinguishes from others: all other
//	                           words lose their accents, in the cues and in replies
//
// A language without the class accented keeps its accents.
//
// All functions are pure and safe for concurrent use.
package reader

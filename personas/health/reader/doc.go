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
// in the same reply, [Corrections] finds earlier answers taken back, and
// [IntentOf] tells what a reply is for when it may not be an answer at all.
//
// # How it reads
//
// The reply becomes words that know where they stand in what was said (token.go).
// Each kind of question collects candidates (numbers.go, time.go, choice.go,
// yesno.go), drops those that belong to something else, to the past or to
// someone else (weigh.go), lets the last correction win, joins ranges, and
// gives what is left a confidence. From [SettleAt] on it is settled.
//
// Whether a reply refuses the question or passes it over is a grammar (grammar.go), since
// there is no end of ways to say either.
//
// Words are data: a [Lexicon] holds those of one language, and the files that begin
// with en_ hold the English one. The order of words inside numbers and times of
// day is code, and is English too; another language may need its own.
//
// All functions are pure and safe to call concurrently.
package reader

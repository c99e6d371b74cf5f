// Package learn learns from a call after it has ended, and from a written session when the
// person has stopped writing: what is kept word for word, facts with the turns that they
// come from, the people and things that they are about, what nAIber promised, summaries,
// and what the person does not want kept or raised.
//
// A [Learner] takes a call through steps. Each step and its mark are written in one
// transaction, so a crash or an unavailable model leaves neither duplicates nor holes: the
// next try continues where the last one ended.
//
//	limits ─► turns ─► forget ─► settle ─┬─► pointed
//	                                     ├─► facts/1 ─► facts/2 … ─► names/1 …
//	                                     ├─► promises
//	 what the person said about being    ├─► summary   of the call
//	 remembered counts before anything   └─► person    over all calls
//	 is kept; no model takes part
//
// Written text takes the same steps except turns, settle and summary: the text channel
// keeps its own words, and summarizes its sessions itself.
//
// A model's answer is never taken unchecked. A fact must come from existing turns, one of
// them the person's, and its words must be theirs; days such as "yesterday" are resolved by
// rules against the day of the call. How a new fact affects old ones is also asked of the
// model, and checked by rules. The words and patterns of all rules are in english.txt.
//
// Facts wait for each other: if one chunk of a call fails, the later ones are left for the
// next try, since news would otherwise be taken for history. Relations wait for the facts
// that they are based on. No other step waits.
package learn

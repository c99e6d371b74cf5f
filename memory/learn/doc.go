// Package learn learns from a call after it has ended, and from what a person
// wrote when they have stopped: what is kept word for word, facts with the turns
// they come from, whom and what they are about, what nAIber promised, summaries;
// and what the person does not want kept or raised.
//
// A [Learner] takes a call through steps. Each is done in one transaction
// together with its mark, so that a crash, or a model that is away, leaves
// neither duplicates nor holes: the next try goes on where the last one ended.
//
//	limits ─► turns ─► forget ─► settle ─┬─► pointed
//	                                     ├─► facts/1 ─► facts/2 … ─► names/1 …
//	                                     ├─► promises
//	 what the person said about being    ├─► summary   of the call
//	 remembered counts before anything   └─► person    over all calls
//	 is kept; no model takes part
//
// What was written takes the same steps but for turns, settle and summary: the
// text channel keeps its own words, and sums its sessions up itself.
//
// What a model says is never taken as it is. A fact must come from turns that
// there are, one of them the person's, and its words must be theirs; days such
// as "yesterday" are resolved by rules against the day of the call. What a new
// fact does to old ones is asked of the model too, and held to rules. The words and
// patterns of all rules are in english.txt.
//
// Facts wait for each other: where one chunk of a call fails, the later ones are
// left for the next try, or news would be taken for history; and relations wait
// for the facts that they stand on. Nothing else waits.
package learn

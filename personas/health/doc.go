// Package health is the health check: a persona that asks a person 8 to 14 questions by telephone,
// or 18 if PHQ-8 follows PHQ-2, one a turn, and loses no answer.
//
// A check is a thread of a state graph (see orchestration/graph). Its state holds the questions
// with their own words and all answers; it is saved before the reply is spoken. Therefore what the
// person has said is not affected by a turn that arrives twice, longer, late or at the same time as
// another, by a line that drops, or by a process that crashes:
//
//	orchestrator ─▶ ask_question ─▶ wait_for_answer ─▶ validate_answer
//	                    ▲                (pause)          │   │    │
//	                    ├─────────────────────────────────┘   │    ▼
//	                    └─ advance ◀─ check_follow_up ◀───────┘  finalize
//	                          └────────────────────────────────────▲
//
// Only advance limits the attempts: it gives up a question that was asked as often as its attempts
// allow, and then handles its follow-ups once more.
//
// Rules read answers first (package reader); a model is asked only for what rules leave open, and
// for natural wordings, each within a deadline. With every model down the whole check works with
// rules and the packs' own words.
//
// An answer belongs to a question only if the person has heard that question. After a reconnect, at
// the opening, and when a barge-in cut short a question that is new to them, only words that
// clearly concern a question count. An answer given in pieces is read as one.
//
// [Persona.Finish] writes the check to the tables and deletes the thread last.
package health

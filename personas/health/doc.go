// Package health is the health check: a persona that asks a person 8 to 14
// questions by telephone, 18 where PHQ-2 goes on as PHQ-8, one a turn, and loses no
// answer.
//
// A check is a thread of a state graph (see orchestration/graph). Its state holds
// the questions with their own words and all that was answered; it is saved before
// the reply is spoken. So a turn that comes twice, longer, late or at the same time
// as another, a line that drops and a process that dies change nothing of what the
// person has said:
//
//	orchestrator ─▶ ask_question ─▶ wait_for_answer ─▶ validate_answer
//	                    ▲                (pause)          │   │    │
//	                    ├─────────────────────────────────┘   │    ▼
//	                    └─ advance ◀─ check_follow_up ◀───────┘  finalize
//	                          └────────────────────────────────────▲
//
// Advance is the one place that counts: what was put as often as its tries allow is left,
// and its follow-ups are seen to once more.
//
// Rules read answers first (package reader); a model is asked only for what rules
// leave open, and for natural wordings, each within a deadline. With every model
// down the whole check runs from rules and the packs' own words.
//
// An answer belongs to a question only where the person has heard that question.
// After a reconnect, at the opening, and where a barge-in cut a question short that is
// new to them, only words that clearly speak of a question count. What is said in pieces
// is read as one.
//
// Finish writes the check into tables and deletes the thread last.
package health

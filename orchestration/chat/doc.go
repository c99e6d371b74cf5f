// Package chat is the text channel: written conversations, in sessions that may
// belong to a person and to a project, over the same model and memory that serve
// the telephone.
//
// It guarantees that the parts of a prompt are always in the same order, that a session never sees
// data of another person or project, and that nothing is stored about a person who has not
// consented to being remembered: the conversation works, and says that it is not remembered. The
// work after a reply (remembering, naming, summarising) is done in the background, and its failures
// are only logged.
//
// It does not decide how memory works ([Memory]), which model answers, and how messages arrive and
// replies leave: it does not depend on HTTP.
package chat

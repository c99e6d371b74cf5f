// Package chat is the text channel: written conversations, in sessions that may
// belong to a person and to a project, over the same model and memory that serve
// the telephone.
//
// It promises that a prompt is always put together in the same order, that a
// session never sees what belongs to another person or project, and that nothing
// is kept of a person who has not consented to being remembered: the
// conversation works, and says that it is not remembered. What comes after a
// reply (remembering, naming, summing up) happens in the background, and its
// failures reach the log only.
//
// It leaves to others how memory works ([Memory]), which model answers, and how
// messages arrive and replies leave: it knows no HTTP.
package chat

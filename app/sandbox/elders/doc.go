// Package elders holds the people who answer the telephone in the sandbox: who
// they are, as data, and how they behave on a call, as a script that is the
// same for the same seed.
//
// Each elder is one file under people/. [Elder.Ring] returns the outcome of a
// ringing telephone: an answer, a busy line, nobody, or a machine. A [Script]
// takes what nAIber said and returns what the elder does about it. It has no
// sockets, frames or timers; its caller waits for its delays.
//
// In a health check (check.yaml) the elder answers every question, in their
// manner: Margaret plainly, Walter with detours and corrections, Rosa after a
// "Pardon?" or with the keys.
//
// In a cognitive check (cognition.yaml) the elder remembers as much of what they hear
// as their [Cognition] allows, and answers from that and from the clock.
//
// The telephone numbers are in area code 555, which is assigned to nobody, and
// none of these people exists.
package elders

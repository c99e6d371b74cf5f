// Package elders holds the people who answer the telephone in the sandbox: who
// they are, as data, and how they behave on a call, as a script that is the
// same for the same seed.
//
// Each elder is one file under people/. [Elder.Ring] says what a ringing
// telephone comes to: an answer, a busy line, nobody, or a machine. A [Script]
// hears what nAIber said and says what the elder does about it. It knows nothing
// of sockets, frames or clocks; its caller turns its delays into time.
//
// In a health check (check.yaml) the elder answers every question, in their
// manner: Margaret plainly, Walter with detours and corrections, Rosa after a
// "Pardon?" or with the keys.
//
// In a cognitive check (cognition.yaml) the elder keeps in mind what they hear, as much
// of it as their [Cognition] allows, and answers from that and from their own clock.
//
// The telephone numbers are in area code 555, which is assigned to nobody, and
// none of these people exists.
package elders

// Package twilio implements Twilio's protocols: the REST API that places and ends calls and sends
// text messages, TwiML, the signatures on webhooks, and the messages of a two-way Media Stream.
//
// It handles the wire formats only. It keeps no state about calls, starts no goroutine that
// outlives a request, logs nothing, and never puts a phone number or a credential into an error.
// Package telephony decides which calls may be placed, and what happens on them.
package twilio

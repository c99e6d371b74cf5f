// Package twilio speaks Twilio's protocols: the REST API that places and ends
// calls and sends text messages, TwiML, the signatures on webhooks, and the messages
// of a two-way Media Stream.
//
// It knows the wire and nothing else. It keeps no state about calls, starts no
// goroutine that outlives a request, logs nothing, and never puts a phone
// number or a credential into an error. Which calls may be placed, and what
// happens on them, is for package telephony.
package twilio

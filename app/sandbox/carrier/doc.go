// Package carrier is a telephone company in a box: a simulated Twilio.
//
// One side of it is Twilio's, spoken over real HTTP and WebSockets: the REST
// API that places, shows, redirects and ends calls; status callbacks and
// answering-machine verdicts, signed and retried as Twilio does; TwiML; and the
// media stream with its marks, its clear and its pace of one frame every 20 ms; and
// conferences of two.
// It is as strict as the real one, and written from the protocol alone, so that
// a mistake in a client shows here.
//
// The other side is the people's. A call makes a telephone ring: an [Answerer]
// gets a [Ring] and may answer, reject, ignore or let a machine answer it. What
// comes of answering is a [Handset], into which one speaks with Say and from
// which one hears exactly the words that were played, when they are played.
// [Carrier.Dial] is the way in: someone calls the account's number. Text messages
// go the same ways: what was sent is in [Carrier.Texts], and [Carrier.Text] sends
// one to the account's number.
//
// What can be made to go wrong is listed in package faults. What the real
// service would write to its debugger is counted, see [Carrier.Warnings].
//
//	call (one goroutine)    initiated → ringing → answered → TwiML … → completed
//	  notifier              status callbacks, one after the other
//	  line                  the clock of 20 ms: what is said goes up, what is played is heard
//	  stream                a reader and a writer for as long as <Stream> lasts
package carrier

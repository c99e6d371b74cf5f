// Package carrier simulates Twilio.
//
// It speaks Twilio's protocol over real HTTP and WebSockets: the REST API that
// places, shows, redirects and ends calls; status callbacks and
// answering-machine verdicts, signed and retried as Twilio does; TwiML; the
// media stream with its marks, its clear and its pace of one frame every 20 ms;
// and conferences of two. It is as strict as the real service, and written from
// the protocol alone, so that a mistake in a client shows here.
//
// On the other side are the people. A call makes a telephone ring: an [Answerer]
// gets a [Ring] and may answer, reject or ignore it, or let a machine answer.
// Answering returns a [Handset]: its Say speaks, and its Heard returns exactly
// the words that were played, when they are played. [Carrier.Dial] calls the
// account's number. Text messages sent to people are in [Carrier.Texts], and
// [Carrier.Text] sends one to the account's number.
//
// Package faults lists the faults that can be injected. Warnings that the real
// service would write to its debugger are counted, see [Carrier.Warnings].
//
//	call (one goroutine)    initiated → ringing → answered → TwiML … → completed
//	  notifier              status callbacks, one after the other
//	  line                  the clock of 20 ms: sends what is said, plays what is received
//	  stream                a reader and a writer for as long as <Stream> lasts
package carrier

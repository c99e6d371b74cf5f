package orchestration

import "sync"

// outlet streams a reply to one client. The goroutine that says something also writes it out: a
// reply is a few kilobytes, which the kernel accepts even for a client that does not read, and
// waking up a goroutine for each word would cost as much as the word. A write that blocks all the
// same ends at its deadline.
type outlet struct {
	speech *Speech
	reply  *reply
	sent   chan struct{} // closed once everything was sent, or the client is gone

	mu   sync.Mutex // guards the fields below, and orders writes
	res  *response
	off  int // bytes of words that were sent
	over bool
}

// more sends what was said since the last call.
func (o *outlet) more() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		return
	}
	words, whole := o.speech.read(o.off)
	b := o.res.buffer()
	if !o.res.begun && (len(words) > 0 || whole) {
		b = o.reply.roleChunk(b)
	}
	if len(words) > 0 {
		b = o.reply.textChunk(b, words)
		o.off += len(words)
	}
	if whole {
		b = o.reply.endChunks(b, o.speech.ended())
	}
	if err := o.res.write(b); err != nil || whole {
		o.over = true // a client that is gone leaves; the reply may have other clients
		close(o.sent)
	}
}

// close waits for a write under way and prevents further ones.
func (o *outlet) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	o.res.done()
}

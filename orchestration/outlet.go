package orchestration

import "sync"

// outlet streams a reply to one client. Whoever has said something writes it
// out: a reply is a few kilobytes, which the kernel takes even from a client that
// does not read, and a goroutine to wake up for each word would cost as much as
// the word. A write that is stuck all the same ends at its deadline.
type outlet struct {
	speech *Speech
	reply  *reply
	sent   chan struct{} // closed when there is nothing more to send, or nobody to send it to

	mu   sync.Mutex // guards all below, and keeps writes in order
	res  *response
	off  int // how many bytes of words were sent
	over bool
}

// more sends what has been said since it was last called.
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
		o.over = true // a client that is gone leaves; the reply may have others
		close(o.sent)
	}
}

// close waits for a write that is under way and lets none follow it.
func (o *outlet) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	o.res.done()
}

package telephony

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/naiber/naiber/telephony/elevenlabs"
)

const (
	// The ring holds two seconds of audio while a conversation is being opened,
	// and one while it runs: older words would only confuse the turn-taking.
	ringOpening = 2 * time.Second
	ringRunning = time.Second
	ringFrames  = 128 // bounds the count too, should pieces be tiny
)

// wrapBytes is what a message adds to the audio it carries.
var wrapBytes = len(elevenlabs.AppendUserAudio(nil, nil))

// ring holds the person's audio until the voice service takes it: messages ready
// to be sent, the oldest dropped when there is more than may wait. One goroutine
// pops; any may push.
type ring struct {
	ready chan struct{}                // capacity 1: there may be something to pop
	to    atomic.Pointer[conversation] // takes audio before which nothing waits; nil: none runs

	mu    sync.Mutex         // guards what follows
	items [ringFrames][]byte // a circle
	head  int
	count int
	bytes int      // of base64 audio that wait
	limit int      // how many may
	spare [][]byte // buffers to use again, the warmest last
}

func newRing(limit time.Duration) *ring {
	r := &ring{ready: make(chan struct{}, 1)}
	r.setLimit(limit)
	return r
}

// setLimit sets how much audio may wait.
func (r *ring) setLimit(d time.Duration) {
	r.mu.Lock()
	r.limit = int(d/time.Millisecond) * 8 / 3 * 4 // 8 bytes a ms, as base64
	r.mu.Unlock()
}

// send passes audio on and never waits for the voice service: it has it written at
// once where that can be, and leaves it to the feeder otherwise. It returns how
// many messages were dropped for it.
func (r *ring) send(audio []byte) (dropped int) {
	if v := r.to.Load(); v != nil && v.writeNow(r, audio) {
		return 0
	}
	return r.push(audio)
}

// push adds audio and returns how many messages were dropped for it.
func (r *ring) push(audio []byte) (dropped int) {
	r.mu.Lock()
	var buf []byte
	if n := len(r.spare); n > 0 {
		buf, r.spare = r.spare[n-1], r.spare[:n-1]
	}
	buf = elevenlabs.AppendUserAudio(buf[:0], audio)
	for r.count > 0 && (r.bytes+len(audio) > r.limit || r.count == ringFrames) {
		r.recycle(r.take())
		dropped++
	}
	r.items[(r.head+r.count)%ringFrames] = buf
	r.count++
	r.bytes += len(buf) - wrapBytes
	r.mu.Unlock()
	select {
	case r.ready <- struct{}{}:
	default:
	}
	return dropped
}

// pop returns the oldest message; it is the caller's until it is handed back as
// done with the next pop.
func (r *ring) pop(done []byte) (message []byte, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recycle(done)
	if r.count == 0 {
		return nil, false
	}
	return r.take(), true
}

// empty reports whether nothing waits.
func (r *ring) empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count == 0
}

// take removes the oldest message. The caller holds r.mu.
func (r *ring) take() []byte {
	m := r.items[r.head]
	r.items[r.head] = nil
	r.head = (r.head + 1) % ringFrames
	r.count--
	r.bytes -= len(m) - wrapBytes
	return m
}

// recycle keeps a buffer for later. The caller holds r.mu.
func (r *ring) recycle(buf []byte) {
	if cap(buf) > 0 && cap(buf) <= keptBuffer && len(r.spare) < 4 {
		r.spare = append(r.spare, buf)
	}
}

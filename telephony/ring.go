package telephony

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/naiber/naiber/telephony/elevenlabs"
)

const (
	// The ring holds two seconds of audio while a conversation is being opened, and one while it
	// runs: older words would only confuse turn-taking.
	ringOpening = 2 * time.Second
	ringRunning = time.Second
	ringFrames  = 128 // bounds the number of messages too, in case they are tiny
)

// wrapBytes is the size of a message without its audio.
var wrapBytes = len(elevenlabs.AppendUserAudio(nil, nil))

// ring holds the person's audio until the voice service takes it, as messages ready to be sent. It
// drops the oldest when the limit is reached. Only one goroutine may pop; any may push.
type ring struct {
	ready chan struct{}                // capacity 1: there may be a message to pop
	to    atomic.Pointer[conversation] // takes audio directly while the ring is empty; nil if no conversation runs

	mu    sync.Mutex         // guards the fields below
	items [ringFrames][]byte // a circular buffer
	head  int
	count int
	bytes int      // base64 audio that waits
	limit int      // maximum of bytes
	spare [][]byte // buffers for reuse, the most recently used last
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

// send passes audio on without ever waiting for the voice service: it writes the audio at once if
// possible, and else leaves it to the feeder. It returns how many messages were dropped for it.
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

// pop returns the oldest message. It belongs to the caller until returned as done in the next pop.
func (r *ring) pop(done []byte) (message []byte, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recycle(done)
	if r.count == 0 {
		return nil, false
	}
	return r.take(), true
}

// empty reports whether no message waits.
func (r *ring) empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count == 0
}

// take removes and returns the oldest message. The caller must hold r.mu.
func (r *ring) take() []byte {
	m := r.items[r.head]
	r.items[r.head] = nil
	r.head = (r.head + 1) % ringFrames
	r.count--
	r.bytes -= len(m) - wrapBytes
	return m
}

// recycle keeps a buffer for reuse. The caller must hold r.mu.
func (r *ring) recycle(buf []byte) {
	if cap(buf) > 0 && cap(buf) <= keptBuffer && len(r.spare) < 4 {
		r.spare = append(r.spare, buf)
	}
}

package telephony

import (
	"strconv"
	"sync"
	"time"
)

// playback keeps the books of what Twilio has yet to play. It sends nothing
// itself. It may be used concurrently.
//
// Twilio returns a mark when everything before it was played, but also when a
// clear threw that away. So a mark counts as proof only when no clear was sent
// since.
type playback struct {
	mu     sync.Mutex
	until  time.Time       // when all that was sent will have been played
	marks  map[string]bool // outstanding marks; false: a clear spoilt it as proof
	issued int
}

// audioTime is how long base64 of µ-law audio lasts: 8000 bytes a second, three
// bytes in four characters. Padding is not looked at: it is worth 0.25 ms.
func audioTime(base64Chars int) time.Duration {
	return time.Duration(base64Chars/4*3) * (time.Second / 8000)
}

// add books audio that was handed to Twilio at now.
func (p *playback) add(base64Chars int, now time.Time) {
	p.mu.Lock()
	if p.until.Before(now) {
		p.until = now
	}
	p.until = p.until.Add(audioTime(base64Chars))
	p.mu.Unlock()
}

// cleared books that Twilio was told to throw away what it had not played.
func (p *playback) cleared(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.until.After(now) {
		p.until = now
	}
	for name := range p.marks {
		p.marks[name] = false
	}
}

// newMark names a mark that is about to be sent; no name is used twice.
func (p *playback) newMark(prefix string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.issued++
	name := prefix + "-" + strconv.Itoa(p.issued)
	if p.marks == nil {
		p.marks = make(map[string]bool)
	}
	p.marks[name] = true
	return name
}

// returned books a mark that came back and reports whether it proves that what
// was sent before it was heard. A name that we never gave proves nothing.
func (p *playback) returned(name string) (played bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	played = p.marks[name]
	delete(p.marks, name)
	return played
}

// queued estimates how much audio Twilio has yet to play.
func (p *playback) queued(now time.Time) time.Duration { return max(p.ends().Sub(now), 0) }

// ends is when everything sent so far will have been played; zero: nothing was sent.
func (p *playback) ends() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until
}

package telephony

import (
	"strconv"
	"sync"
	"time"
)

// playback tracks the audio that Twilio has yet to play. It sends nothing itself. It may be used
// concurrently.
//
// Twilio returns a mark when everything before it was played, but also when a clear discarded that.
// So a mark is proof only if no clear was sent since.
type playback struct {
	mu     sync.Mutex
	until  time.Time       // when all audio sent so far will have been played
	marks  map[string]bool // outstanding marks; false if a clear has made one worthless as proof
	issued int
}

// audioTime returns the duration of µ-law audio from the length of its base64: 8000 bytes a second,
// three bytes in four characters. It ignores padding, which is worth 0.25 ms.
func audioTime(base64Chars int) time.Duration {
	return time.Duration(base64Chars/4*3) * (time.Second / 8000)
}

// add records audio that was sent to Twilio at now.
func (p *playback) add(base64Chars int, now time.Time) {
	p.mu.Lock()
	if p.until.Before(now) {
		p.until = now
	}
	p.until = p.until.Add(audioTime(base64Chars))
	p.mu.Unlock()
}

// cleared records that Twilio was asked to discard what it had not played.
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

// newMark returns a unique name for a mark that is about to be sent.
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

// returned records a mark that came back and reports whether it proves that the audio before it was
// heard. An unknown name proves nothing.
func (p *playback) returned(name string) (played bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	played = p.marks[name]
	delete(p.marks, name)
	return played
}

// queued returns an estimate of how much audio Twilio has yet to play.
func (p *playback) queued(now time.Time) time.Duration { return max(p.ends().Sub(now), 0) }

// ends returns when everything sent so far will have been played; zero if nothing was sent.
func (p *playback) ends() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until
}

package carrier

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/faults"
)

const (
	// quietAfter is the pause after which a speaker is taken to have finished.
	quietAfter = 600 * time.Millisecond
	// maxEvents is how many events a listener may fall behind, and how many utterances may wait.
	maxEvents = 1024
	// maxBuffered bounds the audio that waits in either direction, in bytes: Twilio's ten
	// minutes.
	maxBuffered = audio.SampleRate * 600
	// maxCatchUp is how many lost frames the line makes up for. More than a second means that the
	// machine slept.
	maxCatchUp = 50
)

// A line connects the person with the other side: it says and plays one frame at every tick, from
// the answer to the end of the call.
type line struct {
	k      *call
	events chan HeardEvent

	mu      sync.Mutex // guards the fields below
	frames  int64      // ticks so far
	says    []utterance
	plays   []segment
	waiting int // bytes in plays
	sink    *stream
	keys    chan<- string // receives the keys that a Gather waits for; nil: none does
	room    *conference   // nil if the line is in none
	decoder audio.Decoder
	words   audio.Words
	said    []string // words since the last silence
	quiet   time.Duration
	closed  bool
}

// An utterance is something that the person says.
type utterance struct {
	audio []byte
	done  chan struct{}
}

// A segment is audio to play, or a mark between audio.
type segment struct {
	audio []byte
	mark  string
}

func newLine(k *call) *line {
	return &line{k: k, events: make(chan HeardEvent, maxEvents+1)}
}

// run ticks until ctx is done, making up for lost time.
func (l *line) run(ctx context.Context) {
	interval := l.k.c.cfg.FrameInterval
	tick := time.NewTicker(interval)
	defer tick.Stop()
	start, done := time.Now(), int64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		due := int64(time.Since(start) / interval)
		done = max(done, due-maxCatchUp)
		for ; done < due; done++ {
			l.tick(done+1 < due)
		}
	}
}

// tick says and plays one frame. late means that it makes up for lost time.
func (l *line) tick(late bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.frames++
	up := l.nextSaid()
	if l.sink != nil {
		l.sink.out.frame(up, l.k.c.cfg.Faults.On(faults.NotBase64))
	}
	played := l.nextPlayed()
	if l.room != nil {
		played = l.room.exchange(l, up)
	}
	l.hear(played, late)
}

// nextSaid takes one frame of what the person says, padded with silence.
func (l *line) nextSaid() []byte {
	frame := make([]byte, 0, audio.FrameBytes)
	for len(l.says) > 0 && len(frame) < audio.FrameBytes {
		u := &l.says[0]
		n := min(len(u.audio), audio.FrameBytes-len(frame))
		frame = append(frame, u.audio[:n]...)
		if u.audio = u.audio[n:]; len(u.audio) == 0 {
			close(u.done)
			l.says = l.says[1:]
		}
	}
	return append(frame, audio.Quiet(audio.FrameBytes-len(frame))...)
}

// nextPlayed takes at most one frame of the audio to play, and reports the marks before it as
// reached.
func (l *line) nextPlayed() []byte {
	frame := make([]byte, 0, audio.FrameBytes)
	for len(l.plays) > 0 && len(frame) < audio.FrameBytes {
		s := &l.plays[0]
		if s.audio == nil {
			if len(frame) > 0 {
				break // reached when this frame has been played
			}
			l.reach(s.mark)
			l.plays = l.plays[1:]
			continue
		}
		n := min(len(s.audio), audio.FrameBytes-len(frame))
		frame = append(frame, s.audio[:n]...)
		l.waiting -= n
		if s.audio = s.audio[n:]; len(s.audio) == 0 {
			l.plays = l.plays[1:]
		}
	}
	return frame
}

// hear lets the person hear a played frame. An empty frame in lost time is not silence, since the
// speaker may have lost that time too.
func (l *line) hear(p []byte, late bool) {
	for _, piece := range l.decoder.Write(p) {
		for _, w := range l.words.Add(piece) {
			l.heard(w, false)
		}
	}
	if !audio.Silent(p) {
		l.quiet = 0
		return
	}
	if late && len(p) == 0 {
		return
	}
	if l.quiet += audio.FrameDuration; l.quiet >= quietAfter {
		l.pause()
	}
}

func (l *line) heard(word string, partial bool) {
	l.said = append(l.said, word)
	l.emit(HeardEvent{Kind: HeardWord, Text: word, Partial: partial})
}

// pause reports a silence with the words said since the last one, if there are any.
func (l *line) pause() {
	if len(l.said) == 0 {
		return
	}
	text := strings.Join(l.said, " ")
	l.said = nil
	l.emit(HeardEvent{Kind: HeardSilence, Text: text})
}

func (l *line) reach(mark string) {
	if l.sink != nil {
		l.sink.out.put("mark", map[string]string{"name": mark})
	}
	l.emit(HeardEvent{Kind: HeardMark, Text: mark})
}

// emit sends e to the listener, or drops it if the channel is full. The last place in the channel
// is kept for HeardClosed.
func (l *line) emit(e HeardEvent) {
	if l.closed || len(l.events) >= maxEvents && e.Kind != HeardClosed {
		return
	}
	e.At = time.Duration(l.frames) * audio.FrameDuration
	l.events <- e
}

// say queues audio that the person says. The channel is closed when it has been said or cut off.
func (l *line) say(p []byte) <-chan struct{} {
	done := make(chan struct{})
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(p) == 0 || len(l.says) >= maxEvents {
		close(done)
		return done
	}
	l.says = append(l.says, utterance{p, done})
	return done
}

func (l *line) hush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range l.says {
		close(u.done)
	}
	l.says = nil
}

func (l *line) press(digits string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range digits {
		select {
		case l.keys <- string(d):
		default: // no Gather waits
		}
		if l.sink == nil || l.closed {
			continue
		}
		l.sink.out.put("dtmf", map[string]string{"track": "inbound_track", "digit": string(d)})
	}
}

// gather sends keys to a channel from now on; nil ends that.
func (l *line) gather(keys chan<- string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys = keys
}

// enter moves the line into a conference or, with nil, out of one. Audio not yet played is lost.
func (l *line) enter(f *conference) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose()
	l.room = f
}

// play queues audio for the person. It reports false if too much is waiting.
func (l *line) play(p []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting+len(p) > maxBuffered {
		return false
	}
	if len(p) > 0 {
		l.plays = append(l.plays, segment{audio: p})
		l.waiting += len(p)
	}
	return true
}

// mark queues a mark, which is reached when the audio queued before it has been played: at once
// if there is none.
func (l *line) mark(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.plays) == 0 {
		l.reach(name)
		return
	}
	l.plays = append(l.plays, segment{mark: name})
}

// clear discards the audio not yet played; its marks count as reached.
func (l *line) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	plays := l.plays
	l.lose()
	l.emit(HeardEvent{Kind: HeardClear})
	for _, s := range plays {
		if s.audio == nil {
			l.reach(s.mark)
		}
	}
}

// lose discards the audio not yet played and reports the beginning of a word that is cut off by
// that.
func (l *line) lose() {
	l.plays, l.waiting = nil, 0
	if w := l.words.Cut(); w != "" {
		l.heard(w, true)
	}
}

// attach sends what the person says to s from now on, or to nobody if s is nil. Audio not yet
// played is lost.
func (l *line) attach(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose()
	l.sink = s
}

// announce reports a sentence of the carrier's own voice.
func (l *line) announce(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.emit(HeardEvent{Kind: HeardSay, Text: text})
}

// close ends the call for the person and closes the channel of events.
func (l *line) close() {
	defer l.hush()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose()
	l.pause()
	l.emit(HeardEvent{Kind: HeardClosed})
	l.closed = true
	close(l.events)
}

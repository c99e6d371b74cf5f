package telephony

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/twilio"
)

// This file is the hot path: in every call, a message comes in and another goes out fifty times a
// second in each direction. The base64 of the audio is the same on both sides, so it is copied from
// one message into the other without decoding. Once its buffers have grown, nothing here allocates
// per message, logs, or queries the database.

const (
	// stallLimit is how long a peer may accept no data before its socket is closed.
	stallLimit = 5 * time.Second

	// keptBuffer is the largest buffer that is kept for the next message. Audio from the voice
	// service may come in pieces of seconds; keeping the largest buffer ever needed would cost
	// memory in every call.
	keptBuffer = 16 << 10
)

// noDeadline is the context of every read and write on a socket: a deadline would cost a timer for
// each message. Closing the socket ends them instead.
var noDeadline = context.Background()

// socket is a WebSocket that one goroutine reads and several write to.
//
// Messages are written without a deadline of their own, since a timer per frame
// costs more than the frame. Instead a watchdog closes a socket whose write has
// made no progress for [stallLimit]; every reader and writer then gets an error.
type socket struct {
	conn *websocket.Conn

	mu  sync.Mutex // held while a message is written: one writer at a time, in order
	buf []byte     // guarded by mu: the message being written

	writing atomic.Int64 // when the write under way began, Unix ns; 0: none
}

// write sends one text message. The caller must hold s.mu.
func (s *socket) write(message []byte) error {
	s.writing.Store(time.Now().UnixNano())
	err := s.conn.Write(noDeadline, websocket.MessageText, message)
	s.writing.Store(0)
	return err
}

// send sends the message that build appends. It is for messages that are rare enough for a closure.
func (s *socket) send(build func(dst []byte) []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = build(s.buf[:0])
	return s.write(s.buf)
}

// watch starts the watchdog; stop ends it. stalled is called at most once, before the socket is
// closed.
func (s *socket) watch(stalled func()) (stop func()) {
	var watching sync.WaitGroup
	done := make(chan struct{})
	watching.Go(func() {
		look := time.NewTicker(stallLimit / 5)
		defer look.Stop()
		for {
			select {
			case <-look.C:
			case <-done:
				return
			}
			if began := s.writing.Load(); began != 0 && time.Since(time.Unix(0, began)) >= stallLimit {
				stalled()
				_ = s.conn.CloseNow() // the reader reports the end
				return
			}
		}
	})
	return func() {
		close(done)
		watching.Wait()
	}
}

// read reads one message into buf, growing it if needed, and returns it. Its size is bounded by the
// connection's read limit. Closing the connection ends it.
func (s *socket) read(buf []byte) ([]byte, error) {
	_, r, err := s.conn.Reader(noDeadline)
	if err != nil {
		return buf[:0], err
	}
	if cap(buf) > keptBuffer {
		buf = nil
	}
	buf = buf[:0]
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, max(512, len(buf)))
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil {
			if errors.Is(err, io.EOF) {
				return buf, nil
			}
			return buf, err
		}
	}
}

// stream is one media stream of a call, which carries audio to the person.
type stream struct {
	socket
	sid     twilio.StreamSID
	callSID twilio.CallSID
	played  playback
	url     func() (string, error) // the address for its first conversation, fetched since the stream began
	gone    chan struct{}          // closed when its reader has ended

	wrongFormat bool // its audio is in a format that we cannot pass on
}

// play sends base64 audio as one message, without pacing it. Twilio queues and paces it.
func (st *stream) play(audio []byte) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.buf = twilio.AppendMedia(st.buf[:0], st.sid, audio)
	err := st.write(st.buf)
	if cap(st.buf) > keptBuffer {
		st.buf = nil
	}
	if err == nil {
		st.played.add(len(audio), time.Now())
	}
	return err
}

// clear discards the audio that Twilio has not played yet.
func (st *stream) clear() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.buf = twilio.AppendClear(st.buf[:0], st.sid)
	err := st.write(st.buf)
	st.played.cleared(time.Now())
	return err
}

// mark requests a notification when everything sent so far was played.
func (st *stream) mark(prefix string) (name string, err error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	name = st.played.newMark(prefix)
	st.buf = twilio.AppendMark(st.buf[:0], st.sid, name)
	return name, st.write(st.buf)
}

// readPhone reads a media stream and passes the person's audio on until the socket ends. stopped
// reports whether Twilio announced the end of the stream, as it does after a hang-up; if not, the
// line broke.
func (c *liveCall) readPhone(st *stream) (stopped bool) {
	defer c.survive("stream", c.giveUp)
	var (
		buf []byte
		m   twilio.Message
		err error
	)
	for {
		if buf, err = st.read(buf); err != nil {
			return false
		}
		if err := twilio.Decode(buf, &m); err != nil {
			c.badMessage("twilio", errors.Is(err, twilio.ErrPayload))
			continue
		}
		switch m.Event {
		case twilio.EventMedia:
			if m.Media.Outbound {
				continue // our own voice
			}
			c.metrics.framesUp.Inc()
			if n := c.up.send(m.Media.Payload); n > 0 {
				c.metrics.dropped.Add(float64(n))
			}
		case twilio.EventMark:
			name, played := m.Mark, st.played.returned(m.Mark)
			c.later(func(context.Context) *verdict { return c.onMark(st, name, played) })
		case twilio.EventDTMF:
			digit := m.Digit
			c.later(func(context.Context) *verdict { c.onKey(st, digit); return nil })
		case twilio.EventStop:
			return true
		case twilio.EventConnected, twilio.EventStart:
		case twilio.EventUnknown:
			c.metrics.unknownEvents.WithLabelValues("twilio").Inc()
		}
	}
}

func (c *liveCall) badMessage(side string, notBase64 bool) {
	if notBase64 {
		c.metrics.notBase64.Inc()
		return
	}
	c.metrics.malformed.WithLabelValues(side).Inc()
}

// readVoice reads the conversation until its socket ends, and returns the reason. It sends audio to
// the phone immediately and in order of arrival. That order also makes barge-in safe: no audio of
// the interrupted reply can follow the clear.
func (c *liveCall) readVoice(v *conversation) error {
	var (
		buf []byte
		e   elevenlabs.Event
		err error
	)
	for {
		if buf, err = v.read(buf); err != nil {
			return err
		}
		if err := elevenlabs.Decode(buf, &e); err != nil {
			c.badMessage("elevenlabs", errors.Is(err, elevenlabs.ErrAudio))
			continue
		}
		if e.Kind != elevenlabs.KindAudio {
			if err := c.onEvent(v, &e); err != nil {
				return err
			}
			continue
		}
		if e.ID <= v.void {
			c.metrics.staleAudio.Inc()
			continue
		}
		if v.stream.play(e.Audio) != nil {
			continue // the stream's reader informs the loop; pings are still answered here
		}
		c.metrics.framesDown.Inc()
		if v.lastAudio.Swap(time.Now().UnixNano()) == 0 {
			at := time.Now()
			c.laterFor(v, func() { c.onFirstAudio(at) })
		}
	}
}

// writeNow writes audio and returns true, unless another goroutine is writing, older audio waits,
// or the socket may have no room.
func (v *conversation) writeNow(waiting *ring, audio []byte) bool {
	if v.room == nil || len(audio) > roomBytes-wrapBytes || !v.mu.TryLock() {
		return false
	}
	defer v.mu.Unlock()
	if !waiting.empty() || !v.room() {
		return false
	}
	v.buf = elevenlabs.AppendUserAudio(v.buf[:0], audio)
	_ = v.write(v.buf) // the reader reports a broken socket, which has no room either
	return true
}

// feed drains the ring into the conversation until ctx or the socket ends. It pops while it holds
// v.mu, to keep newer audio from overtaking what was popped.
func (c *liveCall) feed(ctx context.Context, v *conversation) {
	var (
		message []byte
		more    bool
		err     error
	)
	for {
		v.mu.Lock()
		if message, more = c.up.pop(message); more {
			err = v.write(message) //nolint:contextcheck // see noDeadline
		}
		v.mu.Unlock()
		if err != nil {
			return // the reader reports the end
		}
		if more {
			continue
		}
		select {
		case <-c.up.ready:
		case <-ctx.Done():
			return
		}
	}
}

package carrier

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/naiber/naiber/app/sandbox/audio"
)

// maxUnsent is how many frames wait for a slow reader before the oldest are
// thrown away: ten seconds.
const maxUnsent = 500

// outgoing is a message to the peer, without its sequence number and stream.
type outgoing struct {
	event string
	body  any
	media bool
}

// mediaBody is the body of a media message.
type mediaBody struct {
	Track     string `json:"track"`
	Chunk     string `json:"chunk"`
	Timestamp string `json:"timestamp"`
	Payload   string `json:"payload"`
}

// outbox is what a stream has still to send. Its writer takes from it; nobody
// who puts in ever waits.
type outbox struct {
	wake chan struct{} // has one element when there may be something

	mu     sync.Mutex // guards what follows
	sid    string
	seq    int
	chunk  int
	frames int // the age of the stream
	queue  [][]byte
	media  []bool // whether queue[i] may be thrown away
	lost   int    // frames thrown away
	closed bool
}

func newOutbox(sid string) *outbox {
	return &outbox{sid: sid, wake: make(chan struct{}, 1)}
}

// put appends a message.
func (o *outbox) put(m outgoing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.putLocked(m)
}

func (o *outbox) putLocked(m outgoing) {
	if o.closed {
		return
	}
	msg := map[string]any{"event": m.event}
	if m.event == "connected" {
		msg["protocol"], msg["version"] = "Call", "1.0.0"
	} else {
		o.seq++
		msg["sequenceNumber"], msg["streamSid"] = strconv.Itoa(o.seq), o.sid
		msg[m.event] = m.body
	}
	b, err := json.Marshal(msg)
	if err != nil {
		return // our own maps and strings always marshal
	}
	if m.media && len(o.queue) >= maxUnsent {
		o.dropOldest()
	}
	o.queue = append(o.queue, b)
	o.media = append(o.media, m.media)
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// dropOldest throws the oldest frame away.
func (o *outbox) dropOldest() {
	for i, m := range o.media {
		if m {
			o.queue = append(o.queue[:i:i], o.queue[i+1:]...)
			o.media = append(o.media[:i:i], o.media[i+1:]...)
			o.lost++
			return
		}
	}
}

// dropped is how many frames were thrown away.
func (o *outbox) dropped() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lost
}

// frame appends audio that the person said.
func (o *outbox) frame(p []byte, spoil bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.chunk++
	o.frames++
	payload := base64.StdEncoding.EncodeToString(p)
	if spoil {
		payload = "*** this is not base64 ***"
	}
	age := (o.frames - 1) * int(audio.FrameDuration.Milliseconds())
	o.putLocked(outgoing{"media", mediaBody{"inbound", strconv.Itoa(o.chunk), strconv.Itoa(age), payload}, true})
}

// close lets the writer finish what is there.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		close(o.wake)
	}
}

// take returns what there is to send, and whether more may come.
func (o *outbox) take() (messages [][]byte, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	messages, o.queue, o.media = o.queue, nil, nil
	return messages, !o.closed
}

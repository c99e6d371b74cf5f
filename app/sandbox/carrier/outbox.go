package carrier

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"github.com/naiber/naiber/app/sandbox/audio"
)

// maxUnsent is how many messages wait for a slow reader before the oldest frames are discarded:
// ten seconds.
const maxUnsent = 500

// unsent is a message in an outbox. Media may be discarded.
type unsent struct {
	message []byte
	media   bool
}

// An outbox holds the messages that a stream has still to send. Its writer takes from it; adding
// a message never blocks.
type outbox struct {
	wake chan struct{} // has an element when there may be messages

	mu     sync.Mutex // guards the fields below
	sid    string
	seq    int
	frames int // frames so far: the age of the stream
	queue  []unsent
	lost   int // frames discarded
	closed bool
}

func newOutbox(sid string) *outbox { return &outbox{sid: sid, wake: make(chan struct{}, 1)} }

// put appends a message about an event.
func (o *outbox) put(event string, body any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	msg := map[string]any{"event": event}
	if event == "connected" {
		msg["protocol"], msg["version"] = "Call", "1.0.0"
	} else {
		o.seq++
		msg["sequenceNumber"], msg["streamSid"], msg[event] = strconv.Itoa(o.seq), o.sid, body
	}
	b, _ := json.Marshal(msg) // our own maps and strings always marshal
	isMedia := func(m unsent) bool { return m.media }
	if i := slices.IndexFunc(o.queue, isMedia); i >= 0 && event == "media" && len(o.queue) >= maxUnsent {
		o.queue = slices.Delete(o.queue, i, i+1)
		o.lost++
	}
	o.queue = append(o.queue, unsent{b, event == "media"})
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// frame appends audio that the person said, or text that is not base64 if spoil is set. Only the
// line's clock calls it.
func (o *outbox) frame(p []byte, spoil bool) {
	payload := base64.StdEncoding.EncodeToString(p)
	if spoil {
		payload = "*** this is not base64 ***"
	}
	age := o.frames * int(audio.FrameDuration.Milliseconds())
	o.frames++
	o.put("media", map[string]string{
		"track": "inbound", "chunk": strconv.Itoa(o.frames), "timestamp": strconv.Itoa(age), "payload": payload,
	})
}

// close ends the outbox. The writer still sends what is in it.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		close(o.wake)
	}
}

// take returns and removes the messages to send, and reports whether more may come.
func (o *outbox) take() (messages []unsent, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	messages, o.queue = o.queue, nil
	return messages, !o.closed
}

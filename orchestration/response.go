package orchestration

import (
	"net/http"
	"time"
)

// writeDeadline bounds one write to a client that does not read.
const writeDeadline = 10 * time.Second

// response writes an answer: a stream, piece by piece, or a whole.
type response struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	begun bool
	until time.Time // the write deadline that is set
	buf   []byte
}

func newResponse(w http.ResponseWriter) *response {
	return &response{w: w, rc: http.NewResponseController(w)}
}

// buffer returns an empty buffer to build the next write in.
func (o *response) buffer() []byte { return o.buf[:0] }

// write sends b at once. The first write sends the headers of a stream.
func (o *response) write(b []byte) error {
	o.buf = b
	if len(b) == 0 {
		return nil
	}
	if !o.begun {
		o.begun = true
		h := o.w.Header()
		h["Content-Type"] = []string{"text/event-stream"}
		h["Cache-Control"] = []string{"no-cache, no-transform"}
		h["X-Accel-Buffering"] = []string{"no"} // no proxy may hold words back
		o.w.WriteHeader(http.StatusOK)
	}
	// The deadline is extended now and then, not for every word.
	if now := time.Now(); o.until.Sub(now) < writeDeadline/2 {
		o.until = now.Add(writeDeadline)
		_ = o.rc.SetWriteDeadline(o.until) // only a test's writer has no deadlines
	}
	if _, err := o.w.Write(b); err != nil {
		return err
	}
	return o.rc.Flush()
}

// done removes the deadline: the connection may serve another request.
func (o *response) done() {
	if !o.until.IsZero() {
		_ = o.rc.SetWriteDeadline(time.Time{})
	}
}

// writeWhole sends an answer that is not a stream.
func (o *response) writeWhole(b []byte) error {
	o.begun = true
	o.w.Header().Set("Content-Type", "application/json")
	_, err := o.w.Write(b)
	return err
}

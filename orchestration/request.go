package orchestration

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/naiber/naiber/orchestration/llm"
)

// maxBodyBytes bounds a request. A long call's history is some tens of kilobytes.
const maxBodyBytes = 1 << 20

// bodyDeadline bounds how long a caller may take to send a body.
const bodyDeadline = 10 * time.Second

// request holds the parts of a chat-completions request that we use.
type request struct {
	messages []llm.Message
	tools    []string // names of the functions offered
	users    []string // the values of "user" and "user_id" that are present
	tokened  bool     // there is a call token, in any form
	token    string   // signed call token
	call     string   // call id as the voice service repeats it; the token is authoritative
	stream   bool
	usage    bool
	body     []byte // the whole request, for a passthrough; valid while it is being served
}

func (r *request) offers(tool string) bool {
	return slices.Contains(r.tools, tool)
}

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// readBody reads a request's whole body into buf. It must be called before anything is streamed:
// net/http may cut a body off once the response has begun.
func readBody(w http.ResponseWriter, r *http.Request, buf *bytes.Buffer) error {
	if r.ContentLength > maxBodyBytes {
		return errTooLarge
	}
	rc := http.NewResponseController(w)
	// The error is ignored: only a test's writer has no deadlines. net/http removes the deadline
	// once the body was read, and applies it to the rest of a body that is refused.
	_ = rc.SetReadDeadline(time.Now().Add(bodyDeadline))
	buf.Reset()
	_, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return errTooLarge
	}
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return badRequest("", "The request body ended early.")
		}
		return badRequest("", "The request body could not be read.")
	}
	return nil
}

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

// request is what we read of a chat-completions request.
type request struct {
	messages []llm.Message
	tools    []string // names of the functions offered
	users    []string // "user" and "user_id", those that are there
	tokened  bool     // there is a call token, of whatever form
	token    string   // signed call token
	call     string   // call id as the voice service repeats it; the token is what counts
	stream   bool
	usage    bool
	body     []byte // the whole request, for a passthrough; valid while it is being served
}

func (r *request) offers(tool string) bool {
	return slices.Contains(r.tools, tool)
}

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// readBody reads all of a request's body into buf. Nothing is streamed before
// that: net/http may cut a body off once the response has begun.
func readBody(w http.ResponseWriter, r *http.Request, buf *bytes.Buffer) error {
	if r.ContentLength > maxBodyBytes {
		return errTooLarge
	}
	rc := http.NewResponseController(w)
	// A writer without deadlines (in tests) is as good as one that was set.
	// net/http lifts it once the body is there, and uses it up on the rest of one
	// that is refused.
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

package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/openai/openai-go/v3/option"
)

const (
	// maxBrokenChunks is how many chunks in a row may be unreadable before the stream counts as
	// broken. One may be a glitch; more means that the server speaks another dialect.
	maxBrokenChunks = 3
	// maxReplyBytes bounds the text of one stream: a thousand times what anyone listens to on the
	// phone.
	maxReplyBytes = 1 << 20
	// tailWait is how long to wait for the end of the protocol (usage, [DONE]) once the reply
	// itself is complete.
	tailWait = 250 * time.Millisecond
	// drainWait is how long to wait for the end of the body after [DONE]. That saves a connection,
	// which is not worth more.
	drainWait = 20 * time.Millisecond
	// maxToolCalls bounds the index in the pieces of a tool call.
	maxToolCalls = 64
)

// attempt is one model's answer to one request, read as it arrives. It must not be used
// concurrently.
type attempt struct {
	model  string
	began  time.Time
	client *Client
	// cancel ends the request for the given reason; cause returns that reason, or the caller's, or
	// nil while the request may go on.
	cancel context.CancelCauseFunc
	cause  func() error

	body io.ReadCloser
	sse  *sseReader
	// whole is an answer that came as one JSON object although a stream was requested; nil once it
	// is used.
	whole  []byte
	chunk  chunk
	heard  int  // payloads read
	bytes  int  // of text and tool arguments
	broken int  // unreadable chunks in a row
	done   bool // [DONE], or the end of a whole answer

	finish string
	usage  Usage
	tools  []ToolCall
	// lead is all text up to and including the first useful token.
	lead string
	// keep requests unchanged payloads; head holds those up to the lead.
	keep bool
	head [][]byte

	err error // why it failed
}

// open sends p and reads up to the first useful token. On failure a.err is set and the attempt is
// closed.
func (a *attempt) open(ctx context.Context, p *payload) {
	err := a.send(ctx, p)
	if err == nil {
		err = a.prime()
	}
	if err != nil {
		a.err = a.reason(err)
		a.close()
	}
}

var acceptStream = option.WithHeader("Accept", "text/event-stream")

// send posts p. It repeats that without a parameter that the server refuses.
func (a *attempt) send(ctx context.Context, p *payload) error {
	for range optional {
		body := p.encode(a.model, a.client.quirks.of(a.model))
		resp, err := a.client.post(ctx, "chat/completions", body, acceptStream) //nolint:bodyclose // attempt.close does
		if err == nil {
			return a.accept(resp)
		}
		if !a.client.quirks.learn(a.model, p, err) {
			return err
		}
	}
	return errors.New("server refuses one parameter after another")
}

// accept adopts the answer's body, if it can be a stream or a whole answer.
func (a *attempt) accept(resp *http.Response) error {
	a.body = resp.Body
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // an unknown type is judged by its first line
	switch kind {
	case "text/html":
		return ErrNotStream
	case "application/json":
		whole, err := io.ReadAll(io.LimitReader(resp.Body, maxReplyBytes))
		if err != nil {
			return fmt.Errorf("read answer: %w", err)
		}
		if len(whole) == maxReplyBytes {
			return ErrTooLong
		}
		a.whole = whole
	default:
		a.sse = newSSEReader(resp.Body)
	}
	return nil
}

// prime reads until the model has said something useful: text that is not blank, or a tool call.
// Roles, reasoning and blanks do not count.
func (a *attempt) prime() error {
	var lead strings.Builder
	for {
		payload, err := a.next()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			if a.heard == 0 || a.done || a.finish != "" {
				return ErrNoContent
			}
			return err
		}
		if err != nil {
			return err
		}
		if a.keep && (!a.chunk.reasoning || len(a.chunk.text) > 0) {
			a.head = append(a.head, bytes.Clone(payload))
		}
		lead.Write(a.chunk.text)
		if !blank(a.chunk.text) || len(a.chunk.tools) > 0 {
			a.lead = lead.String()
			return nil
		}
	}
}

// blank reports whether text contains nothing audible.
func blank(text []byte) bool {
	return bytes.IndexFunc(text, func(r rune) bool {
		return !unicode.IsSpace(r) && r != 0 && r != '\u200b' && r != '\ufeff'
	}) < 0
}

// next reads one chunk into a.chunk and returns its payload, which is valid until the next call. It
// returns io.EOF at the proper end of a reply, io.ErrUnexpectedEOF if the stream ends in mid-reply,
// and ErrBrokenChunk for a chunk that cannot be read, after which reading may continue.
func (a *attempt) next() ([]byte, error) {
	if a.done {
		return nil, io.EOF
	}
	payload, err := a.payload()
	if err != nil {
		if errors.Is(err, io.EOF) && a.finish == "" {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if string(bytes.TrimSpace(payload)) == "[DONE]" {
		a.done = true
		return nil, io.EOF
	}
	a.heard++
	if err := a.chunk.parse(payload); err != nil {
		return nil, err
	}
	return payload, a.note()
}

// payload returns the next payload, unchanged.
func (a *attempt) payload() ([]byte, error) {
	if a.sse != nil {
		return a.sse.next()
	}
	if a.whole == nil {
		a.done = true
		if a.finish == "" {
			a.finish = FinishStop
		}
		return nil, io.EOF
	}
	whole := a.whole
	a.whole = nil
	if !bytes.HasPrefix(bytes.TrimSpace(whole), []byte("{")) {
		return nil, ErrNotStream
	}
	return whole, nil
}

// note records what a.chunk contains besides its text.
func (a *attempt) note() error {
	c := &a.chunk
	if c.failed {
		return &StreamError{Code: c.code}
	}
	if c.finish != "" {
		a.finish = c.finish
	}
	if c.usage != (Usage{}) {
		a.usage = c.usage // some servers repeat a running count; the last is right
	}
	a.bytes += len(c.text)
	for _, t := range c.tools {
		a.bytes += len(t.args)
		if err := a.addTool(t); err != nil {
			return err
		}
	}
	if a.bytes > maxReplyBytes {
		return ErrTooLong
	}
	return nil
}

func (a *attempt) addTool(t toolDelta) error {
	if t.index < 0 || t.index >= maxToolCalls {
		return ErrTooLong
	}
	for len(a.tools) <= t.index {
		a.tools = append(a.tools, ToolCall{})
	}
	call := &a.tools[t.index]
	if len(t.id) > 0 {
		call.ID = string(t.id)
	}
	call.Name += string(t.name)
	call.Arguments += string(t.args)
	return nil
}

// each reads the reply to its end and passes every further chunk to use. It returns nil if the
// reply ended properly, an error of use wrapped in a [useError], or the reason why the stream
// broke.
func (a *attempt) each(ctx context.Context, stall time.Duration, use func(payload []byte) error) error {
	late := &TimeoutError{What: "next token", After: stall}
	timer := time.AfterFunc(a.patience(stall), func() { a.cancel(late) })
	defer timer.Stop()
	for {
		payload, err := a.next()
		switch {
		case err == nil:
			a.broken = 0
		case errors.Is(err, ErrBrokenChunk) && a.broken < maxBrokenChunks-1:
			a.broken++
			a.client.log.WarnContext(ctx, "model chunk skipped", slog.String("model", a.model))
			continue
		case errors.Is(err, io.EOF):
			timer.Reset(drainWait)
			a.drain()
			return nil
		case a.finish != "":
			return nil // complete; only the protocol's tail is missing
		default:
			return a.reason(err)
		}
		timer.Stop() // use may take its time
		if err := use(payload); err != nil {
			return &useError{err}
		}
		timer.Reset(a.patience(stall))
	}
}

// ready reports whether more of the reply has already arrived.
func (a *attempt) ready() bool { return a.sse != nil && a.sse.ready() }

// patience returns how long to wait for the next chunk.
func (a *attempt) patience(stall time.Duration) time.Duration {
	if a.finish != "" {
		return min(tailWait, stall)
	}
	return stall
}

// drain reads the end of the body, which lets the connection be reused. The caller's timer bounds
// it.
func (a *attempt) drain() {
	if a.sse == nil {
		return
	}
	for {
		if _, err := a.sse.next(); err != nil {
			return
		}
		if a.heard++; a.heard > maxReplyBytes {
			return
		}
	}
}

// reason returns the reason for which the request was ended, if it was, and else err without its
// URL.
func (a *attempt) reason(err error) error {
	if cause := a.cause(); cause != nil {
		return cause
	}
	return public(err)
}

// close closes what is left of the answer. It may be called twice.
func (a *attempt) close() {
	a.cancel(nil)
	if a.body != nil {
		_ = a.body.Close() // nothing more is needed from it
		a.body = nil
	}
	if a.sse != nil {
		a.sse.release()
		a.sse = nil
		a.done = true
	}
}

// useError marks an error of the function that receives the words.
type useError struct{ err error }

func (e *useError) Error() string { return e.err.Error() }
func (e *useError) Unwrap() error { return e.err }

package model

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf8"
)

// fingerprint is the system_fingerprint of every completion.
const fingerprint = "fp_naiber_sandbox"

// stream writes the completion as server-sent events: a chunk that carries
// only the role, at once; then a chunk for each token, flushed one by one; the
// finish reason; the usage when it was asked for; the end mark.
func (s *server) stream(ctx context.Context, w http.ResponseWriter, out *outgoing) error {
	e := newEvents(w, out)
	if err := e.delta(`{"role":"assistant","content":"","refusal":null}`, "null"); err != nil {
		return err
	}
	if err := wait(ctx, out.first); err != nil {
		return err
	}
	for i, token := range out.tokens {
		if i > 0 {
			if err := wait(ctx, out.gap); err != nil {
				return err
			}
		}
		e.breakAt(ctx, i)
		if err := e.content(token); err != nil {
			return err
		}
	}
	// A break that was to come after more tokens than there are comes here.
	e.breakAt(ctx, max(out.trouble.halfAfter, out.trouble.hangAfter, 0))
	if err := e.toolCalls(out.calls); err != nil {
		return err
	}
	if err := e.delta(`{}`, strconv.Quote(out.finish)); err != nil {
		return err
	}
	return e.end()
}

// events writes chunks. Their frame is the same from first to last, so it is
// built once.
type events struct {
	w     http.ResponseWriter
	flush *http.ResponseController
	out   *outgoing
	head  []byte // up to the choices
	tail  []byte // after the choices
	buf   []byte
}

func newEvents(w http.ResponseWriter, out *outgoing) *events {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	e := &events{w: w, flush: http.NewResponseController(w), out: out}
	name, err := json.Marshal(out.model)
	if err != nil {
		name = []byte(`""`)
	}
	e.head = fmt.Appendf(nil, `data: {"id":%q,"object":"chat.completion.chunk","created":%d,"model":%s,"service_tier":"default","system_fingerprint":%q,"choices":[`,
		out.id, out.created, name, fingerprint)
	e.tail = []byte("]}\n\n")
	if out.report {
		e.tail = []byte(`],"usage":null}` + "\n\n")
	}
	return e
}

func (e *events) content(token string) error {
	e.begin()
	e.buf = append(e.buf, `{"index":0,"delta":{"content":`...)
	e.buf = appendQuoted(e.buf, validUTF8(token))
	e.buf = append(e.buf, `},"logprobs":null,"finish_reason":null}`...)
	return e.send()
}

// delta writes a chunk with the given JSON as delta and finish reason.
func (e *events) delta(delta, finish string) error {
	e.begin()
	e.buf = append(e.buf, `{"index":0,"delta":`...)
	e.buf = append(e.buf, delta...)
	e.buf = append(e.buf, `,"logprobs":null,"finish_reason":`...)
	e.buf = append(e.buf, finish...)
	e.buf = append(e.buf, '}')
	return e.send()
}

// toolCalls writes each call as a chunk that opens it, and chunks that carry
// its arguments in pieces.
func (e *events) toolCalls(calls []toolCall) error {
	for i, c := range calls {
		open := fmt.Appendf(nil, `{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":`, i, c.ID)
		open = appendQuoted(open, c.Function.Name)
		open = append(open, `,"arguments":""}}]}`...)
		if err := e.delta(string(open), "null"); err != nil {
			return err
		}
		for _, piece := range tokensOf(c.Function.Arguments) {
			part := fmt.Appendf(nil, `{"tool_calls":[{"index":%d,"function":{"arguments":`, i)
			part = appendQuoted(part, piece)
			part = append(part, `}}]}`...)
			if err := e.delta(string(part), "null"); err != nil {
				return err
			}
		}
	}
	return nil
}

// end writes the usage, when it was asked for, and the end mark.
func (e *events) end() error {
	if e.out.report {
		count, err := json.Marshal(e.out.usage)
		if err != nil {
			return fmt.Errorf("encode usage: %w", err)
		}
		e.begin()
		e.buf = fmt.Appendf(e.buf, "],\"usage\":%s}\n\n", count)
		if err := e.write(); err != nil {
			return err
		}
	}
	e.buf = append(e.buf[:0], "data: [DONE]\n\n"...)
	return e.write()
}

// breakAt carries out the faults that are due before token i.
func (e *events) breakAt(ctx context.Context, i int) {
	switch i {
	case e.out.trouble.halfAfter:
		e.begin()
		e.buf = append(e.buf, `{"index":0,"delta":{"content":" and th`...)
		_ = e.write()
		panic(http.ErrAbortHandler)
	case e.out.trouble.hangAfter:
		_ = wait(ctx, maxHang)
		panic(http.ErrAbortHandler)
	}
}

func (e *events) begin() { e.buf = append(e.buf[:0], e.head...) }

func (e *events) send() error {
	e.buf = append(e.buf, e.tail...)
	return e.write()
}

func (e *events) write() error {
	if _, err := e.w.Write(e.buf); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	if err := e.flush.Flush(); err != nil {
		return fmt.Errorf("flush event: %w", err)
	}
	return nil
}

// appendQuoted appends s, which is valid UTF-8, as a JSON string.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// writeHalf answers with the first half of body and breaks the connection.
func writeHalf(w http.ResponseWriter, body any) {
	all, err := json.Marshal(body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(all)))
	_, _ = w.Write(all[:len(all)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

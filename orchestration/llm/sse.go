package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

// maxEventBytes bounds one line and one event. Models send a token or, if they ignore "stream", a
// whole reply; neither reaches a megabyte.
const maxEventBytes = 1 << 20

// sseReader parses server-sent events as the HTML standard defines them: CR, LF and CRLF end a
// line, lines of data in one event are joined, comments and other fields are skipped. It never
// holds more than maxEventBytes of an event. Lines that end in CR alone, which no server of the
// dialect is known to write, are recognised once an LF or the end follows.
type sseReader struct {
	src   *bufio.Reader
	rest  []byte // the bytes after a CR in the line read last, or nil
	begun bool   // the first line was checked
	data  []byte
}

var sseReaders = sync.Pool{New: func() any { return &sseReader{src: bufio.NewReader(nil)} }}

func newSSEReader(src io.Reader) *sseReader {
	r, _ := sseReaders.Get().(*sseReader)
	r.src.Reset(src)
	r.rest, r.begun = nil, false
	return r
}

// release returns the buffers to the pool. The reader must not be used after it.
func (r *sseReader) release() {
	if cap(r.data) <= 64<<10 { // one unusual stream should not enlarge the pool
		r.src.Reset(nil)
		sseReaders.Put(r)
	}
}

// next returns the data of the next event that has any. The slice is valid until the next call. At
// the end it returns io.EOF, after a last event without its empty line; for a body that is no event
// stream it returns ErrNotStream.
func (r *sseReader) next() ([]byte, error) {
	r.data = r.data[:0]
	found := false
	for {
		line, err := r.line()
		if err != nil {
			if err == io.EOF && found { //nolint:errorlint // line returns io.EOF itself
				return r.data, nil
			}
			return nil, err
		}
		if len(line) == 0 {
			if found {
				return r.data, nil
			}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) != "data" {
			continue
		}
		value = bytes.TrimPrefix(value, []byte(" "))
		if len(r.data)+len(value) >= maxEventBytes {
			return nil, ErrTooLong
		}
		if found {
			r.data = append(r.data, '\n')
		}
		r.data = append(r.data, value...)
		found = true
	}
}

// ready reports whether another event with data has already arrived, so that next returns it
// without waiting. It may miss an event in an unusual format.
func (r *sseReader) ready() bool {
	window, _ := r.src.Peek(r.src.Buffered()) // peeking at buffered data cannot fail
	return bytes.HasPrefix(window, []byte("data:")) && bytes.Contains(window, []byte("\n\n"))
}

// line returns the next line without its end. It is valid until the next call. It checks the first
// line that is not blank: a page or an object is not an event stream, whatever its headers claim.
func (r *sseReader) line() ([]byte, error) {
	line, err := r.read()
	if err != nil {
		return nil, err
	}
	if before, after, found := bytes.Cut(line, []byte("\r")); found {
		line, r.rest = before, after
	}
	if r.begun {
		return line, nil
	}
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	if first := bytes.TrimLeft(line, " \t"); len(first) > 0 {
		r.begun = true
		if first[0] == '<' || first[0] == '{' || first[0] == '[' {
			return nil, ErrNotStream
		}
	}
	return line, nil
}

// read returns everything up to the next LF, without the line's end.
func (r *sseReader) read() ([]byte, error) {
	if line := r.rest; line != nil {
		r.rest = nil
		return line, nil
	}
	line, err := r.src.ReadSlice('\n')
	for whole := []byte(nil); errors.Is(err, bufio.ErrBufferFull); {
		whole = append(whole, line...)
		if len(whole) >= maxEventBytes {
			return nil, ErrTooLong
		}
		if line, err = r.src.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			line = append(whole, line...)
		}
	}
	if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
		return nil, err
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
}

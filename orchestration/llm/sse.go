package llm

import (
	"bytes"
	"io"
	"sync"
)

const (
	// readBytes is the first size of a reader's buffer: a chunk of the dialect is
	// about 300 bytes, so several fit.
	readBytes = 4 << 10
	// maxEventBytes bounds one line and one event. Models send a token or, when
	// they ignore "stream", a whole reply; a megabyte is neither.
	maxEventBytes = 1 << 20
)

// sseReader takes server-sent events apart, as the HTML standard defines them:
// CR, LF and CRLF end a line, lines of data in one event are joined, comments
// and other fields are passed over. It never holds more than maxEventBytes.
type sseReader struct {
	src   io.Reader
	buf   []byte // buf[start:end] is read but not used
	start int
	end   int
	// afterCR is set when the last line ended in CR: an LF that follows belongs
	// to it, and may not have arrived yet.
	afterCR bool
	begun   bool // the first line has been judged
	data    []byte
	err     error // what src ended with
}

var sseReaders = sync.Pool{New: func() any { return &sseReader{buf: make([]byte, readBytes)} }}

func newSSEReader(src io.Reader) *sseReader {
	r, _ := sseReaders.Get().(*sseReader)
	*r = sseReader{src: src, buf: r.buf, data: r.data[:0]}
	return r
}

// release gives the buffers back. The reader must not be used after it.
func (r *sseReader) release() {
	if len(r.buf) > 16*readBytes {
		return // one unusual stream should not fatten the pool
	}
	r.src = nil
	sseReaders.Put(r)
}

// next returns the data of the next event that has any. The slice is valid
// until the next call. At the end it returns io.EOF, after a last event that
// lacks its empty line; a body that is no event stream is ErrNotStream.
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
		value, ok := dataField(line)
		if !ok {
			continue
		}
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

// ready reports whether another event with data has come already, so that next
// returns it without waiting. It may miss one that is written unusually.
func (r *sseReader) ready() bool {
	window := r.buf[r.start:r.end]
	return bytes.HasPrefix(window, []byte("data:")) && bytes.Contains(window, []byte("\n\n"))
}

// dataField returns the value of a "data" line.
func dataField(line []byte) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(line, []byte("data"))
	if !ok {
		return nil, false
	}
	if len(rest) == 0 {
		return rest, true
	}
	if rest[0] != ':' {
		return nil, false
	}
	return bytes.TrimPrefix(rest[1:], []byte(" ")), true
}

// line returns the next line without its end. It is valid until the next call.
func (r *sseReader) line() ([]byte, error) {
	scanned := 0
	for {
		if r.afterCR && r.start < r.end {
			r.afterCR = false
			if r.buf[r.start] == '\n' {
				r.start++
			}
		}
		window := r.buf[r.start:r.end]
		if i := lineEnd(window[scanned:]); i >= 0 {
			line := window[:scanned+i]
			r.afterCR = window[len(line)] == '\r'
			r.start += len(line) + 1
			return r.judge(line)
		}
		scanned = len(window)
		if r.err != nil {
			if scanned > 0 && r.err == io.EOF { //nolint:errorlint // readers return io.EOF itself
				r.start = r.end
				return r.judge(window)
			}
			return nil, r.err
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

// lineEnd returns the place of the first CR or LF in b, or -1.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// fill reads once more into the buffer, growing it when it is full.
func (r *sseReader) fill() error {
	if r.start > 0 {
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buf) {
		if len(r.buf) >= maxEventBytes {
			return ErrTooLong
		}
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.src.Read(r.buf[r.end:])
	r.end += n
	r.err = err
	return nil
}

// judge looks at the first line that says anything: a page or an object is not
// an event stream, whatever its headers claim.
func (r *sseReader) judge(line []byte) ([]byte, error) {
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

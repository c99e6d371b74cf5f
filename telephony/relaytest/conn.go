// Package relaytest provides the far ends of calls for benchmarks: a telephone and a voice service
// that cost almost nothing, so that the relay between them is what is measured. Messages are built
// once, stamped in place, and written to the bare connection.
package relaytest

import (
	"bufio"
	"context"
	"crypto/sha1" //nolint:gosec // RFC 6455 wants it; nothing is kept secret by it
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
)

// readBuffer holds a few frames of audio; one is about 300 bytes.
const readBuffer = 1024

// Conn is a WebSocket whose user implements the protocol. One goroutine may read and one may write.
type Conn struct {
	net.Conn

	in *bufio.Reader
}

// Dial opens a WebSocket at path of the server at addr (host:port).
func Dial(ctx context.Context, addr, path string, header http.Header) (*Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	if header != nil {
		req.Header = header.Clone()
	}
	for name, value := range map[string]string{
		"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
	} {
		req.Header.Set(name, value)
	}
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(conn, readBuffer)
	resp, err := http.ReadResponse(in, req)
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close() // it holds at most the text of a refusal
	if resp.StatusCode != http.StatusSwitchingProtocols {
		_ = conn.Close()
		return nil, fmt.Errorf("open websocket: status %d", resp.StatusCode)
	}
	return &Conn{conn, in}, nil
}

// Accept opens the server's side of a WebSocket that [Dial] requests. The caller must close the
// connection.
func Accept(w http.ResponseWriter, r *http.Request) (*Conn, error) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // as above
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
	return &Conn{conn, bufio.NewReaderSize(conn, readBuffer)}, err
}

// Frame returns a text message, shorter than 64 KiB, as one frame. A client's must be masked; the
// mask is zeros.
func Frame(masked bool, text string) []byte {
	f := []byte{0x81}
	var mask byte
	if masked {
		mask = 0x80
	}
	if len(text) < 126 {
		f = append(f, mask|byte(len(text))) //nolint:gosec // less than 126
	} else {
		f = binary.BigEndian.AppendUint16(append(f, mask|126), uint16(len(text))) //nolint:gosec // as promised above
	}
	if masked {
		f = append(f, 0, 0, 0, 0)
	}
	return append(f, text...)
}

// Read reads one frame into buf, growing it if needed, and returns its payload.
func (c *Conn) Read(buf []byte) ([]byte, error) {
	head, err := c.in.Peek(2)
	if err != nil {
		return nil, err
	}
	n, masked, skip := int(head[1]&0x7f), head[1]&0x80 != 0, 2
	if n == 126 {
		if head, err = c.in.Peek(4); err != nil {
			return nil, err
		}
		n, skip = int(binary.BigEndian.Uint16(head[2:])), 4
	}
	if _, err := c.in.Discard(skip); err != nil {
		return nil, err
	}
	var key [4]byte
	if masked {
		if _, err := io.ReadFull(c.in, key[:]); err != nil {
			return nil, err
		}
	}
	buf = slices.Grow(buf[:0], n)[:n]
	if _, err := io.ReadFull(c.in, buf); err != nil {
		return nil, err
	}
	if masked {
		for i := range buf {
			buf[i] ^= key[i&3]
		}
	}
	return buf, nil
}

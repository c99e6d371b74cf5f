package telephony

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"syscall"

	"github.com/coder/websocket"
	"golang.org/x/sys/unix"
)

// roomBytes is the longest message that a socket with room accepts without blocking. Linux reports
// room while a third of the send buffer is free, and the buffer has at least 16 KiB.
const roomBytes = 2 << 10

// dialVoice opens a WebSocket to the voice service. room reports whether a message of up to
// roomBytes can be written now without waiting for the peer; it is nil if that cannot be
// determined, and may be used by one goroutine at a time.
func dialVoice(ctx context.Context, client *http.Client, url string) (conn *websocket.Conn, room func() bool, err error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) { room = roomOf(got.Conn) }})
	conn, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPClient: client, CompressionMode: websocket.CompressionDisabled,
	})
	if resp != nil && resp.Body != nil && err != nil {
		_ = resp.Body.Close()
	}
	return conn, room, err
}

func roomOf(conn net.Conn) func() bool {
	if t, is := conn.(*tls.Conn); is {
		conn = t.NetConn()
	}
	s, is := conn.(syscall.Conn)
	if !is {
		return nil
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return nil
	}
	fds, ready := make([]unix.PollFd, 1), false
	poll := func(fd uintptr) {
		fds[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLOUT} //nolint:gosec // a file descriptor fits
		n, err := unix.Poll(fds, 0)
		ready = err == nil && n == 1 && fds[0].Revents == unix.POLLOUT
	}
	return func() bool { return raw.Control(poll) == nil && ready }
}

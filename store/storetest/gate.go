package storetest

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Gate is a TCP proxy on loopback that can be shut: it then drops its connections and
// refuses new ones, like a stopped server.
type Gate struct {
	target string
	addr   string

	mu    sync.Mutex // guards the fields below
	l     net.Listener
	conns map[net.Conn]bool
	all   sync.WaitGroup
}

// NewGate opens a gate in front of target, host and port. It is closed when the test ends.
func NewGate(tb testing.TB, target string) *Gate {
	tb.Helper()
	g := &Gate{target: target, addr: "127.0.0.1:0", conns: map[net.Conn]bool{}}
	g.Open(tb)
	tb.Cleanup(func() { g.Shut(); g.all.Wait() })
	return g
}

// URL returns raw with its host replaced by the gate's address.
func (g *Gate) URL(tb testing.TB, raw string) string {
	tb.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		tb.Fatal(err)
	}
	u.Host = g.addr
	return u.String()
}

// Open listens again on the same address. On an open gate it is a no-op.
func (g *Gate) Open(tb testing.TB) {
	tb.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.l != nil {
		return
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", g.addr)
	if err != nil {
		tb.Errorf("open gate: %v", err)
		return
	}
	g.l, g.addr = l, l.Addr().String()
	g.all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			g.all.Go(func() { g.carry(in) })
		}
	})
}

// Shut stops listening and closes all connections.
func (g *Gate) Shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.l != nil {
		_ = g.l.Close()
		g.l = nil
	}
	for c := range g.conns {
		_ = c.Close()
	}
}

func (g *Gate) carry(in net.Conn) {
	defer func() { _ = in.Close() }()
	out, err := new(net.Dialer).DialContext(context.Background(), "tcp", g.target)
	if err != nil {
		return
	}
	defer func() { _ = out.Close() }()
	g.mu.Lock()
	if g.l == nil {
		g.mu.Unlock()
		return
	}
	g.conns[in], g.conns[out] = true, true
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.conns, in)
		delete(g.conns, out)
	}()
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(out, in); _ = out.Close() })
	both.Go(func() { _, _ = io.Copy(in, out); _ = in.Close() })
	both.Wait()
}

package checkpoint_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/storetest"
)

// gate stands between the tests and a server: shut, it drops what is open and
// takes nothing new, as a server that was stopped.
type gate struct {
	target string
	addr   string

	mu    sync.Mutex // guards what follows
	l     net.Listener
	conns map[net.Conn]bool
	all   sync.WaitGroup
}

func newGate(tb testing.TB, target string) *gate {
	tb.Helper()
	g := &gate{target: target, addr: "127.0.0.1:0", conns: map[net.Conn]bool{}}
	g.open(tb)
	tb.Cleanup(func() { g.shut(); g.all.Wait() })
	return g
}

func (g *gate) open(tb testing.TB) {
	tb.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.l != nil {
		return
	}
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", g.addr)
	if err != nil {
		tb.Fatalf("open gate: %v", err)
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

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.l != nil {
		g.l.Close()
		g.l = nil
	}
	for c := range g.conns {
		c.Close()
	}
}

func (g *gate) carry(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", g.target)
	if err != nil {
		return
	}
	defer out.Close()
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
	both.Go(func() { io.Copy(out, in); out.Close() })
	both.Go(func() { io.Copy(in, out); in.Close() })
	both.Wait()
}

// gatedStore is a database of its own behind a gate.
func gatedStore(tb testing.TB) (*store.Store, *gate) {
	tb.Helper()
	u, err := url.Parse(storetest.URL(tb))
	if err != nil {
		tb.Fatal(err)
	}
	g := newGate(tb, u.Host)
	u.Host = g.addr
	return storetest.Open(tb, u.String()), g
}

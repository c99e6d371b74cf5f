package app_test

import (
	"bufio"
	"bytes"
	be "encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// edge stands between the process and one of its stores and sees every command
// that passes. At the one that is waited for it calls strike, either before the
// store has heard of it or before the process hears that it was done.
type edge struct {
	t      *testing.T
	target string
	addr   string
	speak  func() dialect
	strike func()

	mu    sync.Mutex // guards what follows
	at    *boundary
	conns map[net.Conn]bool
	shut  bool
}

// boundary is a moment at which a write is under way.
type boundary struct {
	command string
	after   string // a command that comes before it: until then none counts
	skip    int    // how many such commands are let pass first
	done    bool   // strike when the store has done it, before the process hears
	struck  chan struct{}
}

// dialect reads what a client sends, command by command.
type dialect interface {
	// next reads one message and returns it as it came, with the name of the
	// command that it carries out; empty for one that carries out none.
	next(r *bufio.Reader) (raw []byte, command string, err error)
}

func newEdge(t *testing.T, target string, speak func() dialect, strike func()) *edge {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &edge{t: t, target: target, addr: l.Addr().String(), speak: speak, strike: strike, conns: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { e.carry(in) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		e.mu.Lock()
		e.shut = true
		for c := range e.conns {
			_ = c.Close()
		}
		e.mu.Unlock()
		all.Wait()
	})
	return e
}

// strikeAt waits for a boundary; what it returns is closed once it was struck.
func (e *edge) strikeAt(b boundary) <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	b.struck = make(chan struct{})
	e.at = &b
	return b.struck
}

// passes returns the boundary that a command is, if it is the one waited for.
func (e *edge) passes(command string) (b *boundary) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.at == nil:
		return nil
	case e.at.after != "":
		if e.at.after == command {
			e.at.after = ""
		}
		return nil
	case e.at.command != command:
		return nil
	}
	if e.at.skip > 0 {
		e.at.skip--
		return nil
	}
	b, e.at = e.at, nil
	return b
}

func (e *edge) carry(in net.Conn) {
	defer func() { _ = in.Close() }()
	out, err := new(net.Dialer).DialContext(e.t.Context(), "tcp", e.target)
	if err != nil {
		return
	}
	defer func() { _ = out.Close() }()
	e.mu.Lock()
	if e.shut {
		e.mu.Unlock()
		return
	}
	e.conns[in], e.conns[out] = true, true
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.conns, in)
		delete(e.conns, out)
	}()
	hold := &holding{w: in}
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(hold, out)
		_ = in.Close()
	})
	e.forward(in, out, hold)
	_ = out.Close()
	both.Wait()
}

// forward passes commands on until either side is gone.
func (e *edge) forward(in io.Reader, out io.Writer, hold *holding) {
	d, r := e.speak(), bufio.NewReader(in)
	for {
		raw, command, err := d.next(r)
		if err != nil {
			return
		}
		b := (*boundary)(nil)
		if command != "" {
			b = e.passes(command)
		}
		switch {
		case b == nil:
		case b.done:
			hold.from(func() { e.hit(b) })
		default:
			e.hit(b)
			return
		}
		if _, err := out.Write(raw); err != nil {
			return
		}
	}
}

func (e *edge) hit(b *boundary) {
	e.strike()
	close(b.struck)
}

// holding passes answers on, until the first one after from: that one is never
// delivered.
type holding struct {
	w     io.Writer
	mu    sync.Mutex // guards then
	then  func()
	holds bool
}

func (h *holding) from(then func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.then, h.holds = then, true
}

func (h *holding) Write(b []byte) (int, error) {
	h.mu.Lock()
	then, holds := h.then, h.holds
	h.then = nil
	h.mu.Unlock()
	if then != nil {
		then()
	}
	if holds {
		return 0, errors.New("held")
	}
	return h.w.Write(b)
}

// respDialect reads the commands of Redis' clients. The one script is called "put".
type respDialect struct{}

func newRESP() dialect { return respDialect{} }

func (respDialect) next(r *bufio.Reader) (raw []byte, command string, err error) {
	head, err := r.ReadBytes('\n')
	if err != nil || len(head) == 0 || head[0] != '*' {
		return nil, "", errors.Join(err, fmt.Errorf("no command: %q", head))
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(head[1:])))
	if err != nil {
		return nil, "", err
	}
	raw = append(raw, head...)
	args := make([]string, n)
	for i := range n {
		size, err := r.ReadBytes('\n')
		if err != nil {
			return nil, "", err
		}
		length, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(string(size), "$")))
		if err != nil {
			return nil, "", err
		}
		arg := make([]byte, length+2)
		if _, err := io.ReadFull(r, arg); err != nil {
			return nil, "", err
		}
		raw = append(append(raw, size...), arg...)
		args[i] = string(arg[:length])
	}
	command = strings.ToUpper(args[0])
	if strings.HasPrefix(command, "EVAL") {
		command = "put"
	}
	return raw, command, nil
}

// pgDialect reads the messages of PostgreSQL's clients. A statement is named by
// the comment that it begins with, or by its first word.
type pgDialect struct {
	started bool
	names   map[string]string // of prepared statements
	commits string            // what the transaction under way wrote
}

func newPG() dialect { return &pgDialect{names: map[string]string{}} }

func (d *pgDialect) next(r *bufio.Reader) (raw []byte, command string, err error) {
	kind := byte(0)
	if d.started {
		if kind, err = r.ReadByte(); err != nil {
			return nil, "", err
		}
		raw = append(raw, kind)
	}
	d.started = true
	size := make([]byte, 4)
	if _, err := io.ReadFull(r, size); err != nil {
		return nil, "", err
	}
	body := make([]byte, be.BigEndian.Uint32(size)-4)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, "", err
	}
	raw = append(append(raw, size...), body...)
	switch kind {
	case 'Q': // a simple query
		text, _, _ := bytes.Cut(body, []byte{0})
		command = d.carriedOut(nameOf(string(text)))
	case 'P': // parse: a name, and the text
		name, rest, _ := bytes.Cut(body, []byte{0})
		text, _, _ := bytes.Cut(rest, []byte{0})
		d.names[string(name)] = nameOf(string(text))
	case 'B': // bind: a portal, and the statement's name
		_, rest, _ := bytes.Cut(body, []byte{0})
		name, _, _ := bytes.Cut(rest, []byte{0})
		command = d.carriedOut(d.names[string(name)])
	}
	return raw, command, nil
}

// carriedOut tells commits apart by what they make true.
func (d *pgDialect) carriedOut(name string) string {
	switch name {
	case "begin", "rollback":
		d.commits = ""
	case "commit":
		if d.commits == "" {
			return ""
		}
		name += " " + d.commits
		d.commits = ""
	default:
		if d.commits == "" {
			d.commits = name
		}
	}
	return name
}

// nameOf is the name of a statement.
func nameOf(text string) string {
	if rest, ok := strings.CutPrefix(text, "-- name: "); ok {
		name, _, _ := strings.Cut(rest, " ")
		return name
	}
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return strings.ToLower(word)
}

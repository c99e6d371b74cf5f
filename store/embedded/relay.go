package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// relay stands on loopback between the library that fetches and the repository
// that serves, to give the fetch what the library does not: an end when the
// context ends, and a heartbeat while it lasts.
type relay struct {
	url    string
	server *http.Server
	served chan struct{}

	mu  sync.Mutex // guards err
	err error
}

// startRelay serves until stop is called. A cancelled ctx breaks off what is
// being fetched.
func startRelay(ctx context.Context, cfg Config) (*relay, error) {
	target, err := url.Parse(cfg.Mirror)
	if err != nil {
		return nil, fmt.Errorf("read the repository's address: %w", err)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("relay a fetch: %w", err)
	}
	r := &relay{url: "http://" + l.Addr().String(), served: make(chan struct{})}
	quiet := log.New(io.Discard, "", 0)
	r.server = &http.Server{
		ReadHeaderTimeout: 5 * time.Second,
		ErrorLog:          quiet,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		Handler: &httputil.ReverseProxy{
			ErrorLog:       quiet,
			Rewrite:        func(p *httputil.ProxyRequest) { p.SetURL(target) },
			ModifyResponse: func(resp *http.Response) error { return r.observe(cfg, resp) },
			ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
				r.note(err)
				w.WriteHeader(http.StatusBadGateway)
			},
		},
	}
	go func() {
		defer close(r.served)
		if err := r.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			r.note(err)
		}
	}()
	return r, nil
}

// stop closes every connection and waits for the listener's goroutine.
func (r *relay) stop() {
	_ = r.server.Close()
	<-r.served
}

func (r *relay) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = errors.Join(r.err, err)
}

// failure is what went wrong between here and the repository, nil if nothing.
func (r *relay) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *relay) observe(cfg Config, resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		r.note(fmt.Errorf("%s answered %s", resp.Request.URL.Host, resp.Status))
	}
	resp.Body = &meter{ReadCloser: resp.Body, total: resp.ContentLength, say: cfg.Progress, note: r.note}
	return nil
}

// progressStep is how many bytes make a line of progress.
const progressStep = 4 << 20

// meter tells how much of a body has been read, and what broke it off.
type meter struct {
	io.ReadCloser

	read, told, total int64 // bytes; total is -1 when unknown
	say               func(string)
	note              func(error)
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.read += int64(n)
	if m.total > progressStep && (m.read-m.told >= progressStep || m.read == m.total && m.told != m.total) {
		m.told = m.read
		m.say("  fetched " + megabytes(m.read) + " of " + megabytes(m.total) + " MB")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		m.note(err)
	}
	return n, err
}

func megabytes(n int64) string { return strconv.FormatInt(n>>20, 10) }

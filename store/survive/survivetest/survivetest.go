// Package survivetest checks that a panic was handled by package survive: logged, and
// counted.
package survivetest

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/store/survive"
)

// Watch returns a log, and a function that fails the test unless at least n panics of a
// part of the program were logged there and counted since.
func Watch(tb testing.TB, part string) (log *slog.Logger, expect func(n int)) {
	tb.Helper()
	lines, before := new(lines), counted(tb, part)
	return slog.New(slog.NewTextHandler(lines, nil)), func(n int) {
		tb.Helper()
		if got := lines.panics(part); got < n {
			tb.Errorf("%d panics of %q are logged, want %d", got, part, n)
		}
		if got := counted(tb, part) - before; got < n {
			tb.Errorf("%d panics of %q are counted, want %d", got, part, n)
		}
	}
}

func counted(tb testing.TB, part string) int {
	tb.Helper()
	reg := prometheus.NewRegistry()
	reg.MustRegister(survive.Total)
	families, err := reg.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if m.GetLabel()[0].GetValue() == part {
				return int(m.GetCounter().GetValue())
			}
		}
	}
	return 0
}

// lines collects the log.
type lines struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lines) panics(part string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.buf.String()) {
		if strings.Contains(line, " msg=panic ") && strings.Contains(line, " part="+part+" ") {
			n++
		}
	}
	return n
}

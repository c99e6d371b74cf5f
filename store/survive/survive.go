// Package survive contains panics: one ends the piece of work that it occurs in, and
// nothing else. An unrecovered panic in a goroutine ends the process, and with it every
// call, so all work that runs alongside a call or a turn uses [Try]. The package is here
// because everything that starts such work may import it.
package survive

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

// ErrPanic is the error of work that panicked.
var ErrPanic = errors.New("panicked")

// Total counts recovered panics by the part of the program, for the whole process; app
// exports it.
var Total = prometheus.NewCounterVec(prometheus.CounterOpts{
	Namespace: "naiber", Name: "panics_total", Help: "Panics that ended the piece of work they were in and nothing else, by its part.",
}, []string{"part"})

// Try runs work and returns its error. It recovers a panic in it, logs it with its stack,
// counts it, and returns it as an error that wraps [ErrPanic].
func Try(log *slog.Logger, part string, work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Report(log, part, p)
		}
	}()
	return work()
}

// Do is like [Try], for work without an error. It reports whether work returned without a
// panic.
func Do(log *slog.Logger, part string, work func()) bool {
	return Try(log, part, func() error { work(); return nil }) == nil
}

// Report logs and counts a recovered panic, and returns it as an error. It must be called
// by the function that recovered, which keeps the stack.
func Report(log *slog.Logger, part string, p any) error {
	Total.WithLabelValues(part).Inc()
	log.Error("panic", slog.String("part", part), slog.Any("err", p), slog.String("stack", string(debug.Stack())))
	return fmt.Errorf("%s %w: %v", part, ErrPanic, p)
}

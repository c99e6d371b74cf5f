// Package survive ends a piece of work that panics, and nothing else. A panic on
// a goroutine that nobody recovers ends the process, and with it every call: so
// all work that is done alongside a call or a turn goes through [Try]. The package
// is here because everything that begins such work may import it.
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

// Total counts panics that were survived, by the part of the program. It counts
// for the whole process; app shows it.
var Total = prometheus.NewCounterVec(prometheus.CounterOpts{
	Namespace: "naiber", Name: "panics_total", Help: "Panics that ended the piece of work they were in and nothing else, by its part.",
}, []string{"part"})

// Try runs work and returns its error. A panic in it is logged with its stack,
// counted, and returned as an error that wraps [ErrPanic].
func Try(log *slog.Logger, part string, work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Report(log, part, p)
		}
	}()
	return work()
}

// Do is [Try] for work without an error. It reports whether it came to its end.
func Do(log *slog.Logger, part string, work func()) bool {
	return Try(log, part, func() error { work(); return nil }) == nil
}

// Report logs and counts a panic that was recovered, and returns its error. It
// is to be called by the function that recovered it, for the sake of the stack.
func Report(log *slog.Logger, part string, p any) error {
	Total.WithLabelValues(part).Inc()
	log.Error("panic", slog.String("part", part), slog.Any("err", p), slog.String("stack", string(debug.Stack())))
	return fmt.Errorf("%s %w: %v", part, ErrPanic, p)
}

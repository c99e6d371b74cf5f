package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"syscall"
	"time"
)

// watchPoll is how often a server that ended by itself is looked for.
const watchPoll = 250 * time.Millisecond

// server is a running postmaster, ours by birth or by adoption.
type server struct {
	log  *slog.Logger
	pid  int
	port int

	done  chan struct{} // closed when the watch has ended
	quit  chan struct{} // closed to end the watch
	left  atomic.Bool   // quit is closed
	mourn func()        // gives up what keeps a mortal child alive
}

// adopt takes over a server that is up.
func adopt(log *slog.Logger, pm postmaster) *server {
	return watch(log, pm, func() {})
}

func watch(log *slog.Logger, pm postmaster, mourn func()) *server {
	s := &server{
		log: log, pid: pm.pid, port: pm.port, mourn: mourn,
		done: make(chan struct{}), quit: make(chan struct{}),
	}
	go s.watch()
	return s
}

func (s *server) watch() {
	defer close(s.done)
	tick := time.NewTicker(watchPoll)
	defer tick.Stop()
	for {
		select {
		case <-s.quit:
			return
		case <-tick.C:
			if !alive(s.pid) {
				s.log.Error("database server ended by itself", slog.Int("pid", s.pid))
				return
			}
		}
	}
}

// letGo ends the watch and leaves the server alone.
func (s *server) letGo() {
	if s.left.CompareAndSwap(false, true) {
		close(s.quit)
		<-s.done
		s.mourn()
	}
}

// stop ends the server: cleanly while ctx lasts, then at once.
func (s *server) stop(ctx context.Context) error {
	if s.left.CompareAndSwap(false, true) {
		close(s.quit)
		<-s.done
		defer s.mourn()
	}
	return end(ctx, s.pid)
}

// end asks a server to cut its connections and shut down (SIGINT, "fast"), and
// when ctx ends first, to die without a checkpoint (SIGQUIT, "immediate").
func end(ctx context.Context, pid int) error {
	if err := syscall.Kill(pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal server process %d: %w", pid, err)
	}
	if gone(ctx, pid) {
		return nil
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal server process %d: %w", pid, err)
	}
	// An immediate shutdown kills what does not go within 5 s by itself.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 7*time.Second)
	defer cancel()
	if !gone(last, pid) {
		return fmt.Errorf("server process %d does not end: %w", pid, ctx.Err())
	}
	return fmt.Errorf("server process %d was stopped without a checkpoint: %w", pid, ctx.Err())
}

// gone waits for the process to end and says whether it did before ctx.
func gone(ctx context.Context, pid int) bool {
	tick := time.NewTicker(statePoll)
	defer tick.Stop()
	for alive(pid) {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

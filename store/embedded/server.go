package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"syscall"
	"time"
)

// watchPoll is how often a watched server is checked.
const watchPoll = 250 * time.Millisecond

// server is a running postmaster, started by us or joined.
type server struct {
	pid     int
	port    int
	done    chan struct{}      // closed when the watch has ended
	unwatch context.CancelFunc // ends the watch
	release func()             // releases what keeps a mortal child alive
}

// takeOver starts to watch a running server.
func takeOver(log *slog.Logger, pm postmaster) *server { return watch(log, pm, func() {}) }

// watch returns a server whose done is closed when it exits, or when the watch ends.
func watch(log *slog.Logger, pm postmaster, release func()) *server {
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{pid: pm.pid, port: pm.port, done: make(chan struct{}), unwatch: cancel, release: release}
	go func() {
		defer close(s.done)
		if await(ctx, watchPoll, func() (bool, error) { return !alive(s.pid), nil }) == nil {
			log.Error("database server ended by itself", slog.Int("pid", s.pid))
		}
	}()
	return s
}

// letGo ends the watch without stopping the server.
func (s *server) letGo() {
	s.unwatch()
	<-s.done
	s.release()
}

// stop stops the server: cleanly until ctx is done, then immediately.
func (s *server) stop(ctx context.Context) error {
	s.unwatch()
	<-s.done
	defer s.release()
	return end(ctx, s.pid)
}

// end asks a server to cut its connections and shut down (SIGINT, "fast") and, if ctx is
// done first, to exit without a checkpoint (SIGQUIT, "immediate").
func end(ctx context.Context, pid int) error {
	if err := signal(pid, syscall.SIGINT); err != nil || gone(ctx, pid) {
		return err
	}
	if err := signal(pid, syscall.SIGQUIT); err != nil {
		return err
	}
	// An immediate shutdown kills processes that do not exit within 5 s.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 7*time.Second)
	defer cancel()
	if !gone(last, pid) {
		return fmt.Errorf("server process %d does not end: %w", pid, ctx.Err())
	}
	return fmt.Errorf("server process %d was stopped without a checkpoint: %w", pid, ctx.Err())
}

func signal(pid int, sig syscall.Signal) error {
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal server process %d: %w", pid, err)
	}
	return nil
}

// gone waits for the process to end and reports whether it did before ctx was done.
func gone(ctx context.Context, pid int) bool {
	return await(ctx, statePoll, func() (bool, error) { return !alive(pid), nil }) == nil
}

// await calls done repeatedly until it returns true or an error. It returns that error, or
// the cause of ctx if that is done first.
func await(ctx context.Context, every time.Duration, done func() (bool, error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if is, err := done(); is || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// maxLogBytes is the size from which the server's log is rotated at a start.
const maxLogBytes = 10 << 20

// Transient errors of a starting server.
var (
	errPortTaken = errors.New("the port is taken")
	errOrphans   = errors.New("processes of a killed server are still at work on the data")
)

// launchTries is how often a start is tried after transient errors, and launchPause the
// pause between tries: the orphans of a killed server notice its end within a moment,
// unless they are in the middle of a long computation.
const (
	launchTries = 20
	launchPause = 250 * time.Millisecond
)

// launch starts the server, after creating the cluster if there is none.
func launch(ctx context.Context, cfg Config, h home, password string) (*server, error) {
	bin, err := obtain(ctx, cfg, h)
	if err != nil {
		return nil, err
	}
	if err := makeCluster(ctx, cfg, h, bin, password); err != nil {
		return nil, err
	}
	had, err := clearStale(h.cluster())
	if err != nil {
		return nil, err
	}
	var s *server
	tries := 0
	awaited := await(ctx, launchPause, func() (bool, error) {
		at := cfg
		if at.Port == 0 && !errors.Is(err, errPortTaken) {
			at.Port = had // the port of a killed server: others may still look for it there
		}
		s, err = run(ctx, at, h, bin)
		tries++
		return tries == launchTries || !passes(cfg, err), nil
	})
	if awaited != nil {
		return nil, err
	}
	return s, err
}

// passes reports whether a start that failed with err may succeed the next time. A free
// port may be taken by another process before the server listens on it; the next try uses
// another one.
func passes(cfg Config, err error) bool {
	return errors.Is(err, errOrphans) || errors.Is(err, errPortTaken) && cfg.Port == 0
}

// run starts one server process and waits until it accepts connections.
func run(ctx context.Context, cfg Config, h home, bin binaries) (*server, error) {
	port := cfg.Port
	if port == 0 {
		var err error
		if port, err = freePort(ctx); err != nil {
			return nil, err
		}
	}
	out, err := openLog(h)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }()
	begin, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}

	// The server outlives ctx, and a Ctrl-C in our terminal: it has its own session, and
	// Stop ends it when its last user is done.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), bin.path("postgres"), serverArgs(cfg, h, port)...) //nolint:gosec // found by us
	prepare(cmd, h)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr.Setsid = true
	release := func() {}
	if cfg.Fast {
		release, err = startMortal(cmd)
	} else {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", bin.path("postgres"), err)
	}
	pid := cmd.Process.Pid
	_ = cmd.Process.Release() // from here on it is known only by its id, like a joined one

	if err := awaitReady(ctx, h, pid); err != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if alive(pid) {
			err = errors.Join(err, end(stop, pid))
		}
		release()
		return nil, explain(err, out, begin)
	}
	cfg.Log.DebugContext(ctx, "database server started", slog.Int("pid", pid), slog.String("version", bin.version))
	return watch(cfg.Log, postmaster{pid: pid, port: port}, release), nil //nolint:contextcheck // the server outlives its start
}

func awaitReady(ctx context.Context, h home, pid int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errNotReady)
	defer cancel()
	return await(ctx, statePoll, func() (bool, error) {
		pm, found, err := running(h.cluster())
		if err == nil && !alive(pid) {
			err = errors.New("the server ended while starting")
		}
		return found && pm.pid == pid && pm.ready, err
	})
}

// prepare makes cmd run as the server's user, in a folder that it can reach, and without
// our environment, which holds secrets.
func prepare(cmd *exec.Cmd, h home) {
	cmd.Dir = h.dir
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: h.runAs.credential()}
}

func freePort(ctx context.Context) (int, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close() //nolint:errcheck,forcetypeassert // it is TCP's
}

func openLog(h home) (*os.File, error) {
	if info, err := os.Stat(h.logFile()); err == nil && info.Size() > maxLogBytes {
		if err := os.Rename(h.logFile(), h.logFile()+".1"); err != nil {
			return nil, fmt.Errorf("set the server's log aside: %w", err)
		}
	}
	f, err := os.OpenFile(h.logFile(), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	if err := h.disown(h.logFile()); err != nil {
		return nil, errors.Join(fmt.Errorf("open the server's log: %w", err), f.Close())
	}
	return f, nil
}

// explain adds to err what the server has logged since begin.
func explain(err error, log *os.File, begin int64) error {
	text := make([]byte, 2048)
	n, _ := log.ReadAt(text, begin) // short by nature
	text = bytes.TrimSpace(text[:n])
	if len(text) == 0 {
		return err
	}
	switch {
	case bytes.Contains(text, []byte("could not create any TCP/IP sockets")):
		err = errPortTaken
	case bytes.Contains(text, []byte("is still in use")):
		err = errOrphans
	}
	return fmt.Errorf("%w; it said:\n%s", err, text)
}

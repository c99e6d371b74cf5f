package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// statePoll is how often the state of a server is read while waiting for it.
const statePoll = 10 * time.Millisecond

// postmaster holds the contents of a server's lock file.
// Source: PostgreSQL, src/include/utils/pidfile.h.
type postmaster struct {
	pid   int
	port  int
	ready bool
}

// parsePidFile parses a postmaster.pid. A file that is still being written has fewer lines;
// missing values are zero. ok is false without a process id.
func parsePidFile(text string) (pm postmaster, ok bool) {
	lines := strings.Split(text, "\n")
	line := func(n int) string {
		if n >= len(lines) {
			return ""
		}
		return strings.TrimSpace(lines[n])
	}
	pid, err := strconv.Atoi(line(0))
	if err != nil || pid <= 0 {
		return postmaster{}, false
	}
	port, err := strconv.Atoi(line(3))
	if err != nil || port <= 0 || port > 65535 {
		port = 0
	}
	return postmaster{pid: pid, port: port, ready: port != 0 && line(7) == "ready"}, true
}

func pidFile(cluster string) string { return filepath.Join(cluster, "postmaster.pid") }

// running reads the server's state; found is false if no server of this cluster is running,
// whatever the file says.
func running(cluster string) (pm postmaster, found bool, err error) {
	text, err := os.ReadFile(pidFile(cluster))
	if errors.Is(err, fs.ErrNotExist) {
		return postmaster{}, false, nil
	}
	if err != nil {
		return postmaster{}, false, fmt.Errorf("read the server's state: %w", err)
	}
	pm, ok := parsePidFile(string(text))
	if !ok || !alive(pm.pid) || !serves(pm.pid, cluster) {
		return postmaster{}, false, nil
	}
	return pm, true, nil
}

// awaitRunning is like running, but waits for a server that is starting or stopping.
func awaitRunning(ctx context.Context, cluster string) (pm postmaster, found bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errNotReady)
	defer cancel()
	failed := await(ctx, statePoll, func() (bool, error) {
		pm, found, err = running(cluster)
		return !found || pm.ready, err
	})
	if failed != nil && err == nil {
		err = fmt.Errorf("wait for server process %d to be ready: %w", pm.pid, failed)
	}
	return pm, found, err
}

// clearStale handles a lock file whose process id now belongs to another process, as
// happens in containers, where the same few ids recur: PostgreSQL would refuse to start.
// Writing our own id, that of its parent, tells PostgreSQL that the file is stale and,
// unlike removing the file, keeps its own check that no orphan of the old server still uses
// the data. It returns the port of the old server, or zero if there was none.
func clearStale(cluster string) (port int, err error) {
	text, err := os.ReadFile(pidFile(cluster))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	pm, ok := parsePidFile(string(text))
	if err == nil && ok && !exists(pm.pid) {
		return pm.port, nil // PostgreSQL detects that itself
	}
	if err == nil {
		_, rest, _ := strings.Cut(string(text), "\n")
		// Written in place, since the file belongs to the server: its owner and mode stay.
		err = os.WriteFile(pidFile(cluster), []byte(strconv.Itoa(os.Getpid())+"\n"+rest), 0o600) //nolint:gosec // a file of our own folder
	}
	if err != nil {
		return 0, fmt.Errorf("clear stale server state: %w", err)
	}
	return pm.port, nil
}

// exists reports whether there is a process with this id, including zombies.
func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// alive reports whether a process exists and is not a zombie. It reaps a child of ours that
// has ended.
func alive(pid int) bool {
	for {
		switch got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); {
		case errors.Is(err, syscall.EINTR):
		case got == pid || !exists(pid):
			return false
		case !zombie(pid):
			return true
		case err != nil: // not a child of ours
			return false
		}
		// It has ended since Wait4: reap it.
	}
}

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

// statePoll is how often a server's state is read while we wait for it.
const statePoll = 10 * time.Millisecond

// postmaster is what a server's lock file says.
// Source: PostgreSQL, src/include/utils/pidfile.h.
type postmaster struct {
	pid   int
	port  int
	ready bool
}

// parsePidFile reads a postmaster.pid. A file that is still being written has
// fewer lines; then what is missing is zero. ok is false without a process id.
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

// running reads the server's state; found is false when there is no server of
// this cluster, whatever the file says.
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

// awaitRunning is running, but waits for a server that is on its way up or down.
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

// clearStale deals with a lock file whose process id now belongs to somebody
// else, as happens in containers, where the same few ids come again:
// PostgreSQL would refuse to start. Naming its parent, us, tells it that the
// file is stale, and unlike removing the file it keeps PostgreSQL's own check
// that no orphan of the old server is still at work on the data. It returns the
// port that the old server had, zero where there was none.
func clearStale(cluster string) (port int, err error) {
	text, err := os.ReadFile(pidFile(cluster))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	pm, ok := parsePidFile(string(text))
	if err == nil && ok && !exists(pm.pid) {
		return pm.port, nil // PostgreSQL sees that by itself
	}
	if err == nil {
		_, rest, _ := strings.Cut(string(text), "\n")
		// The file is the server's: its owner and mode stay.
		err = os.WriteFile(pidFile(cluster), []byte(strconv.Itoa(os.Getpid())+"\n"+rest), 0o600) //nolint:gosec // a file of our own folder
	}
	if err != nil {
		return 0, fmt.Errorf("clear stale server state: %w", err)
	}
	return pm.port, nil
}

// exists says whether there is a process with this id, dead ones that nobody
// has collected included.
func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// alive says whether a process is there and not merely uncollected. A child of
// ours that has ended is collected by the way.
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
		// It has ended since it was waited for: collect it.
	}
}

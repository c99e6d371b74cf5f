package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var errGateBusy = errors.New("another process has been starting or stopping it for too long")

// gatePoll is how often a waiting process tries the gate again: a blocking flock cannot be
// canceled by a context.
const gatePoll = 25 * time.Millisecond

// lock is a flock(2) on a file. The kernel releases it with the process.
type lock struct{ file *os.File }

// takeGate waits for the gate. If it has to wait, it calls waiting once, with the process
// id of the holder.
func takeGate(ctx context.Context, h home, waiting func(holder string)) (*lock, error) {
	l, err := openLock(h, "gate")
	if err != nil {
		return nil, err
	}
	first := true
	err = await(ctx, gatePoll, func() (bool, error) {
		err := l.try(syscall.LOCK_EX)
		if errors.Is(err, syscall.EWOULDBLOCK) && first {
			first = false
			waiting(l.signature())
		}
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return false, nil
		}
		return err == nil, err
	})
	if err == nil {
		err = l.sign()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s, which process %s has: %w", l.file.Name(), l.signature(), err), l.file.Close())
	}
	return l, nil
}

// takeShared takes a shared lock on the named file. The gate must be held, which ensures
// that no one has an exclusive lock.
func takeShared(h home, name string) (*lock, error) {
	l, err := openLock(h, name)
	if err != nil {
		return nil, err
	}
	if err := l.try(syscall.LOCK_SH); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", l.file.Name(), err), l.file.Close())
	}
	return l, nil
}

func openLock(h home, name string) (*lock, error) {
	path := filepath.Join(h.dir, name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // closed on exec: the server does not inherit it
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := h.disown(path); err != nil {
		return nil, errors.Join(fmt.Errorf("open lock: %w", err), f.Close())
	}
	return &lock{file: f}, nil
}

func (l *lock) try(how int) error {
	return syscall.Flock(int(l.file.Fd()), how|syscall.LOCK_NB)
}

// alone upgrades a shared lock to an exclusive one, and reports whether it could, that is,
// no one else has a share.
func (l *lock) alone() bool { return l.try(syscall.LOCK_EX) == nil }

// release releases the lock. It may be called on nil and more than once.
func (l *lock) release() {
	if l != nil {
		_ = l.file.Close() // closing unlocks; an error cannot be handled
	}
}

// sign writes our process id to the file, for waiting processes.
func (l *lock) sign() error {
	_, err := l.file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func (l *lock) signature() string {
	text := make([]byte, 20)
	n, _ := l.file.ReadAt(text, 0) // short by nature
	pid, _, _ := strings.Cut(string(text[:n]), "\n")
	return cmp.Or(pid, "unknown")
}

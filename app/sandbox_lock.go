package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// lockSandbox keeps the data folder for one sandbox, as each knows the calls of
// its own telephone company only and would settle the other's as vanished. The
// kernel gives the folder back when the process dies, in whatever way.
func lockSandbox(dataDir string) (release func() error, err error) {
	if err := os.MkdirAll(dataDir, 0o755); err != nil { //nolint:gosec // the private database's user passes through
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dataDir, "sandbox.lock"), os.O_RDWR|os.O_CREATE, 0o600) // closed on exec: no child keeps it
	if err != nil {
		return nil, fmt.Errorf("open the sandbox's lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(inUse(dataDir, f), f.Close())
	}
	if err == nil {
		err = signLock(f)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close())
	}
	return f.Close, nil // closing unlocks
}

// inUse says which sandbox has the folder, and what to do about it.
func inUse(dataDir string, lock *os.File) error {
	where, err := filepath.Abs(dataDir)
	if err != nil {
		where = dataDir
	}
	text := make([]byte, 20)
	n, _ := lock.ReadAt(text, 0) // short by nature
	who := "another sandbox"
	if pid := strings.TrimSpace(string(text[:n])); pid != "" {
		who += " (process " + pid + ")"
	}
	return fmt.Errorf("%s uses this data folder (%s): stop it, or choose another folder with NAIBER_DATA_DIR=data2, and another port with PORT=3001", who, where)
}

// signLock leaves our process id in the lock, for whoever finds it taken.
func signLock(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

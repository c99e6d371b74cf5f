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

// lockSandbox locks the data folder for one sandbox: each knows only the calls
// of its own telephone company, and would settle another's as vanished. The
// kernel releases the lock however the process dies.
func lockSandbox(dataDir string) (release func() error, err error) {
	if err := os.MkdirAll(dataDir, 0o755); err != nil { //nolint:gosec // the private database's user passes through
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dataDir, "sandbox.lock"), os.O_RDWR|os.O_CREATE, 0o600) // closed on exec, so no child keeps it
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

// inUse returns an error that names the sandbox using the folder and what to do
// about it.
func inUse(dataDir string, lock *os.File) error {
	where, err := filepath.Abs(dataDir)
	if err != nil {
		where = dataDir
	}
	text := make([]byte, 20)
	n, _ := lock.ReadAt(text, 0) // reading less than 20 bytes is expected
	who := "another sandbox"
	if pid := strings.TrimSpace(string(text[:n])); pid != "" {
		who += " (process " + pid + ")"
	}
	return fmt.Errorf("%s uses this data folder (%s): stop it, or choose another folder with NAIBER_DATA_DIR=data2, and another port with PORT=3001", who, where)
}

// signLock writes our process id to the lock file, for the message of [inUse].
func signLock(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

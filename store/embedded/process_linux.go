package embedded

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
)

// serves says whether the process works in the data directory, which is where
// a postmaster goes first of all.
func serves(pid int, cluster string) bool {
	at, err := os.Stat(proc(pid, "cwd"))
	if err != nil {
		return false
	}
	want, err := os.Stat(cluster)
	return err == nil && os.SameFile(at, want)
}

// zombie says whether the process has ended and waits for a parent that does
// not collect it, as some containers' first process does not.
func zombie(pid int) bool {
	stat, err := os.ReadFile(proc(pid, "stat"))
	if err != nil {
		return false
	}
	// "17 (name) Z …": the name may hold anything, so read from its end.
	end := bytes.LastIndexByte(stat, ')')
	return end >= 0 && len(stat) > end+2 && stat[end+2] == 'Z'
}

func proc(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}

// startMortal starts a server that dies with this process, by any death. The
// kernel sends the signal when the thread that started the child ends, so one
// is kept until letGo is called.
func startMortal(cmd *exec.Cmd) (letGo func(), err error) {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGQUIT // PostgreSQL's immediate shutdown
	started, release, ended := make(chan error), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		started <- cmd.Start()
		<-release
	}()
	err = <-started
	letGo = sync.OnceFunc(func() {
		close(release)
		<-ended
	})
	if err != nil {
		letGo()
		return nil, err
	}
	return letGo, nil
}

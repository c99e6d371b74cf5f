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

// serves reports whether the working directory of the process is the data directory, which
// a postmaster changes to first.
func serves(pid int, cluster string) bool {
	at, err := os.Stat(proc(pid, "cwd"))
	if err != nil {
		return false
	}
	want, err := os.Stat(cluster)
	return err == nil && os.SameFile(at, want)
}

// zombie reports whether the process has ended but its parent does not reap it, as the
// first process of some containers does not.
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

// startMortal starts a server that dies with this process, however that ends. The kernel
// sends the signal when the thread that started the child ends, so that thread is kept
// until letGo is called.
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
